import type { PlannedStep } from '../../journal/journal.ts';
import { etagOf } from '../../notes/etag.ts';
import { factsAsBytes, factsBefore, withFacts } from '../../stores/facts.ts';
import type { FactChanges, NoteFacts, Store } from '../../stores/store.ts';

/** A note whose facts are to be set. */
interface NoteBefore {
  readonly path: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  readonly facts: NoteFacts | undefined;
}

/**
 * The step that sets the facts of a note that differ.
 * @returns no step when none differs; `now` = the facts afterwards
 */
export async function factsStep(
  store: Pick<Store, 'asKept'>,
  { path, etag, bytes, facts = {} }: NoteBefore,
  changes: FactChanges,
): Promise<{ names: readonly string[]; step: PlannedStep | undefined; now: NoteFacts }> {
  const kept = (await store.asKept?.(changes)) ?? changes;
  const wanted: FactChanges = Object.fromEntries(
    Object.entries(kept).filter(([name, value]) => !isSame(facts, name, value)),
  );
  const names = Object.keys(wanted);
  const now = withFacts(facts, wanted);
  if (names.length === 0) return { names, step: undefined, now };
  const step: PlannedStep = {
    action: 'facts',
    path,
    beforeEtag: etag,
    afterEtag: etagOf(bytes, now),
    before: factsAsBytes(factsBefore(facts, wanted)),
    after: factsAsBytes(wanted),
  };
  return { names, step, now };
}

function isSame(facts: NoteFacts, name: string, value: unknown): boolean {
  return JSON.stringify(facts[name as keyof NoteFacts] ?? null) === JSON.stringify(value ?? null);
}
