import { LecternError } from '../../errors.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { etagOf } from '../../notes/etag.ts';
import { nameKey, normalizePath } from '../../notes/path.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import { factsAsBytes, factsBefore, withFacts } from '../../stores/facts.ts';
import type { FactChanges, NoteFacts } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { contextOf, outcomeNotices } from './edit.ts';
import { changedMeanwhile } from './steps.ts';
import { writableEntry } from './target.ts';
import type { FactsResult, WriteOptions } from './types.ts';
import type { WritePlan } from './write-plan.ts';

/**
 * Sets what the store keeps of a note beside its text: journaled, conditional and undone like any other write.
 * @throws LecternError `unavailable` where the store keeps nothing beside the text, `conflict`, `forbidden`
 */
export async function setNoteFacts(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  input: string,
  changes: FactChanges,
  options: WriteOptions,
): Promise<FactsResult> {
  const { store } = parts;
  if (!store.capabilities.facts)
    throw new LecternError('unavailable', 'This vault keeps everything of a note in its text.', {
      next: 'Set the property in the front matter with note_patch.',
    });
  const writer = await parts.writer();
  const plan = async (): Promise<WritePlan<FactsResult>> => {
    const entry = await writableEntry(parts, access, input);
    const file = await store.read(entry.path);
    const etag = etagOfFile(file);
    if (options.ifMatch !== undefined && options.ifMatch !== etag) throw changedMeanwhile(entry.path);
    const facts = file.entry.facts ?? {};
    const kept = (await store.asKept?.(changes)) ?? changes;
    const wanted: FactChanges = Object.fromEntries(
      Object.entries(kept).filter(([name, value]) => !isSame(facts, name, value)),
    );
    const names = Object.keys(wanted);
    const now = withFacts(facts, wanted);
    const result: FactsResult = {
      path: entry.path,
      etag: etagOf(file.bytes, now),
      changed: names.length > 0,
      facts: now,
      writeId: undefined,
      dryRun: options.dryRun ?? false,
      notices: [],
    };
    const step: PlannedStep = {
      action: 'facts',
      path: entry.path,
      beforeEtag: etag,
      afterEtag: result.etag,
      before: factsAsBytes(factsBefore(facts, wanted)),
      after: factsAsBytes(wanted),
    };
    return {
      summary: `set ${names.join(', ')} of ${entry.path}`,
      decisive: true,
      steps: names.length === 0 || options.dryRun ? [] : [step],
      answer: (outcome) => ({ ...result, writeId: outcome.writeId, notices: outcomeNotices(outcome) }),
    };
  };
  const { answer } = await writer.commit(contextOf(parts, access, actor, options), plan, {
    only: nameKey(normalizePath(input)),
  });
  return answer;
}

function isSame(facts: NoteFacts, name: string, value: unknown): boolean {
  return JSON.stringify(facts[name as keyof NoteFacts] ?? null) === JSON.stringify(value ?? null);
}
