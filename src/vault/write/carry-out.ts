import type { JournalGroup, JournalStep, StepOutcome, Trashed } from '../../journal/journal.ts';
import { etagOfFile } from '../../stores/etag-of-file.ts';
import type { ReplaceBatch, Store, StoredFile } from '../../stores/store.ts';
import { asLecternError } from './failed-step.ts';
import { applyStep } from './steps.ts';
import { stretches } from './stretches.ts';
import type { FailedStep, WritePlan } from './write-plan.ts';

/** Replacements in progress at once within a group: some wait for the drive while the thread pool works on others. */
const STEPS_AT_ONCE = 32;
/** Outcomes written to the journal at once while a group is in progress. */
const OUTCOMES = 128;

export interface CarriedOut {
  readonly done: readonly JournalStep[];
  readonly failed: readonly FailedStep[];
  /** Outcomes not yet in the journal. */
  readonly outcomes: readonly StepOutcome[];
  readonly trashed: ReadonlyMap<string, Trashed>;
  readonly restored: ReadonlyMap<string, { readonly etag: string; readonly bytes: number }>;
  /** Files as they were written. */
  readonly written: readonly StoredFile[];
}

/**
 * Carries out the steps of a journaled group in the planned order; neighbouring replacements run in parallel
 * and share flushes of their folders.
 *
 * @param record writes outcomes of a long group to the journal; false when that failed
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
  /** Replacements to wait for in {@link settle}. */
  const due = new Map<number, JournalStep>();
  /**
   * Flushes the folders of these outcomes. A file whose flush failed is in its place: the caller gets a
   * failure, the journal records it as done, so that it is reverted.
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
    // Recorded early, so that recovery after a crash has less to check.
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

/**
 * The file restored from the trash, where the plan did not know its content; undefined when it was removed
 * again at once.
 */
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
