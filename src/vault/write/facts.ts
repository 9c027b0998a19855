import { LecternError } from '../../errors.ts';
import { nameKey, normalizePath } from '../../notes/path.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { FactChanges } from '../../stores/store.ts';
import type { Access } from '../access.ts';
import type { VaultParts } from '../parts.ts';
import type { Actor } from '../session.ts';
import { contextOf, outcomeNotices } from './edit.ts';
import { factsStep } from './facts-step.ts';
import { changedMeanwhile } from './steps.ts';
import { writableEntry } from './target.ts';
import type { FactsResult, WriteOptions } from './types.ts';
import type { WritePlan } from './write-plan.ts';

/**
 * Sets the facts kept beside a note's text: journaled, conditional and undone like any other write.
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
    const before = { path: entry.path, etag, bytes: file.bytes, facts: file.entry.facts };
    const { names, step, now } = await factsStep(store, before, changes);
    const result: FactsResult = {
      path: entry.path,
      etag: step?.afterEtag ?? etag,
      changed: names.length > 0,
      facts: now,
      writeId: undefined,
      dryRun: options.dryRun ?? false,
      notices: [],
    };
    return {
      summary: `set ${names.join(', ')} of ${entry.path}`,
      decisive: true,
      steps: step === undefined || options.dryRun ? [] : [step],
      answer: (outcome) => ({ ...result, writeId: outcome.writeId, notices: outcomeNotices(outcome) }),
    };
  };
  const { answer } = await writer.commit(contextOf(parts, access, actor, options), plan, {
    only: nameKey(normalizePath(input)),
  });
  return answer;
}
