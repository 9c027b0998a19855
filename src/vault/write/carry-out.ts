import type { JournalGroup, JournalStep, StepOutcome, Trashed } from '../../journal/journal.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { ReplaceBatch, Store, StoredFile } from '../../stores/store.ts';
import { asLecternError } from './failed-step.ts';
import { applyStep } from './steps.ts';
import { stretches } from './stretches.ts';
import type { FailedStep, WritePlan } from './write-plan.ts';

/**
 * Replacements under way at once in a group: some wait for the drive, so that the thread pool always has others to go
 * on with.
 */
const STEPS_AT_ONCE = 32;
/** Outcomes handed to the journal at once while a group is still being written. */
const OUTCOMES = 128;

export interface CarriedOut {
  readonly done: readonly JournalStep[];
  readonly failed: readonly FailedStep[];
  /** What the journal was not told of yet. */
  readonly outcomes: readonly StepOutcome[];
  readonly trashed: ReadonlyMap<string, Trashed>;
  readonly restored: ReadonlyMap<string, { readonly etag: string; readonly bytes: number }>;
  /** Files as they were written. */
  readonly written: readonly StoredFile[];
}

/**
 * Carries the steps of a journaled group out, in the order planned; neighbouring replacements run side by side, and share
 * flushes of their folders.
 *
 * @param record notes outcomes of a group that goes on for long; false when that could not be done
 */
export async function carryOut(
  store: Store,
  group: JournalGroup,
  planned: Pick<WritePlan, 'steps' | 'decisive'>,
  record: (outcomes: readonly StepOutcome[]) => Promise<boolean>,
): Promise<CarriedOut> {
  const done: JournalStep[] = [];
  const failed: FailedStep[] = [];
  const trashed = new Map<string, Trashed>();
  const restored = new Map<string, { etag: string; bytes: number }>();
  const written: StoredFile[] = [];
  let outcomes: StepOutcome[] = [];
  let isTold = true;
  let batch: ReplaceBatch | undefined;
  /** Replacements that are waited for in {@link settle}. */
  const due = new Map<number, JournalStep>();
  /**
   * Flushes what these outcomes are about. What cannot be flushed has its place all the same: for the caller it
   * failed, for the journal it is done, so that it is taken back.
   */
  const settle = async (reached: readonly StepOutcome[]): Promise<void> => {
    const counted = reached.map(({ stepId }) => due.get(stepId)).filter((step) => step !== undefined);
    if (counted.length === 0) return;
    for (const { id } of counted) due.delete(id);
    try {
      await batch?.settle();
      done.push(...counted);
    } catch (error) {
      failed.push(...counted.map((step) => ({ step, error: asLecternError(error) })));
    }
  };
  const run = async ([at, step]: readonly [number, JournalStep], together: boolean) => {
    if (together) batch ??= store.batch?.();
    const isBatched = together && batch !== undefined;
    try {
      const { before, after } = planned.steps[at] ?? {};
      const effect = await applyStep(store, step, after, before, {
        ...(isBatched && batch && { batch }),
      });
      const { trashPath } = effect;
      if (trashPath !== undefined)
        trashed.set(step.path, { stepId: step.id, trashPath, path: step.path, time: group.time });
      outcomes.push({ stepId: step.id, state: 'done', trashPath });
      if (isBatched) due.set(step.id, step);
      else done.push(step);
      if (effect.written) written.push(effect.written);
      const back = await restoredFile(store, step);
      if (back) restored.set(step.path, back);
    } catch (error) {
      outcomes.push({ stepId: step.id, state: 'failed' });
      failed.push({ step, error: asLecternError(error) });
    }
    if (outcomes.length < OUTCOMES || !isTold) return;
    // So that a crash leaves less to look at.
    const soFar = outcomes;
    outcomes = [];
    await settle(soFar);
    isTold = await record(soFar);
    if (!isTold) outcomes.push(...soFar);
  };
  for (const stretch of stretches(group.steps)) {
    if (planned.decisive && failed.some(({ step }) => step.id === group.steps[0]?.id && !step.unseen)) {
      for (const [, step] of stretch) outcomes.push({ stepId: step.id, state: 'failed' });
      continue;
    }
    const waiting = stretch.values();
    const lane = async () => {
      for (const step of waiting) await run(step, stretch.length > 1);
    };
    await Promise.all(Array.from({ length: Math.min(STEPS_AT_ONCE, stretch.length) }, lane));
  }
  await settle(outcomes);
  return { done, failed, outcomes, trashed, restored, written };
}

/** What came back from the trash, where the plan did not know it; undefined when somebody took it away at once. */
async function restoredFile(
  store: Store,
  { action, path, afterEtag }: JournalStep,
): Promise<{ etag: string; bytes: number } | undefined> {
  if (action !== 'restore' || afterEtag !== undefined) return undefined;
  try {
    const file = await store.read(path);
    return { etag: etagOfFile(file), bytes: file.bytes.length };
  } catch {
    return undefined;
  }
}
