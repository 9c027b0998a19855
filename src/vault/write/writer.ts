import { isLecternError, LecternError } from '../../errors.ts';
import type { Journal, JournalActor, JournalGroup, JournalStep, PlannedStep } from '../../journal/journal.ts';
import type { WriteLock } from '../../journal/lock.ts';
import type { Store } from '../../stores/store.ts';
import type { IndexerClient } from '../indexer/client.ts';
import { applyStep, stepState } from './steps.ts';

/** Who writes, and under which name it is journaled. */
export interface WriteContext {
  readonly actor: JournalActor;
  readonly tool: string;
  readonly requestId?: string;
  readonly undoes?: number;
}

export interface WritePlan {
  readonly summary: string;
  readonly steps: readonly PlannedStep[];
  /** When the first step fails none of the others is carried out, and the plan is made again after a lost race. */
  readonly decisive: boolean;
  /** Paths whose index entry changes beyond the steps' own. */
  readonly reindex?: readonly string[];
}

export interface Committed {
  readonly group: JournalGroup;
  /** Steps that met a version nobody had read; the others are on disk. */
  readonly failed: readonly { readonly step: JournalStep; readonly error: LecternError }[];
  readonly trashPaths: ReadonlyMap<string, string>;
  /** False when the notes are written but the index could not follow yet. */
  readonly indexed: boolean;
}

export interface WriterParts {
  readonly store: Store;
  readonly journal: Journal;
  readonly lock: WriteLock;
  readonly indexer: IndexerClient;
  readonly log: (level: 'warn' | 'error', message: string) => void;
}

/** A racing editor may win a few times; one that always wins is reported. */
const ATTEMPTS = 8;
/** File operations under way at once in a group; more only queue in the thread pool. */
const STEPS_AT_ONCE = 8;

/**
 * The write path: lock, plan from fresh bytes, journal, bytes, index. `plan` runs inside the lock
 * and must read what it bases itself on; undefined means that there is nothing to write.
 */
export class VaultWriter {
  readonly #parts: WriterParts;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Commits a plan of one or more steps. When the decisive step loses a race against an editor the
   * plan is made again from the editor's bytes; other steps that lose one are reported.
   * @throws LecternError whatever `plan` throws; `conflict` when the decisive step lost every race
   */
  async commit(
    context: WriteContext,
    plan: () => Promise<WritePlan | undefined>,
  ): Promise<Committed | undefined> {
    const committed = await this.#parts.lock.run(async () => {
      for (let attempt = 1; ; attempt++) {
        const planned = await plan();
        if (!planned || planned.steps.length === 0) return undefined;
        const group = await this.#parts.journal.begin({ ...context, ...planned });
        const outcome = await this.#execute(group, planned);
        const lost = planned.decisive
          ? outcome.failed.find(({ step }) => step.id === group.steps[0]?.id)
          : undefined;
        if (!lost) return { ...outcome, reindex: planned.reindex ?? [] };
        if (lost.error.code !== 'conflict' || attempt === ATTEMPTS) throw lost.error;
      }
    });
    if (!committed) return undefined;
    const { reindex, ...outcome } = committed;
    const touched = outcome.group.steps.flatMap((step) => [step.path, ...(step.toPath ? [step.toPath] : [])]);
    return { ...outcome, indexed: await this.#index([...new Set([...touched, ...reindex])]) };
  }

  /** Finishes what a crash left half done. Runs once, before the first write. */
  async recover(): Promise<readonly JournalGroup[]> {
    if (this.#parts.journal.pending().length === 0) return [];
    return this.#parts.lock.run(async () => {
      const recovered: JournalGroup[] = [];
      // Read again inside the lock: another process may be in the middle of its own group, or have recovered this one.
      for (const group of this.#parts.journal.pending()) {
        await this.#resume(group);
        recovered.push(group);
        this.#parts.log(
          'warn',
          `Recovered an interrupted write: ${group.tool}, ${group.steps.length} steps.`,
        );
      }
      return recovered;
    });
  }

  /** Steps run in the order planned; neighbouring replacements run side by side. */
  async #execute(group: JournalGroup, planned: WritePlan) {
    const { journal } = this.#parts;
    const failed: { step: JournalStep; error: LecternError }[] = [];
    const trashPaths = new Map<string, string>();
    const run = async (step: JournalStep, at: number) => {
      try {
        const { before, after } = planned.steps[at] ?? {};
        const trashPath = await applyStep(this.#parts.store, step, after, before);
        if (trashPath !== undefined) trashPaths.set(step.path, trashPath);
        journal.stepDone(step.id, trashPath);
      } catch (error) {
        journal.stepFailed(step.id);
        failed.push({ step, error: asLecternError(error) });
      }
    };
    for (const batch of batches(group.steps)) {
      if (planned.decisive && failed.length > 0 && failed[0]?.step.id === group.steps[0]?.id) {
        for (const [, step] of batch) journal.stepFailed(step.id);
      } else await Promise.all(batch.map(([at, step]) => run(step, at)));
    }
    await journal.finish(group.id);
    return { group, failed, trashPaths };
  }

  /**
   * Nothing applied yet: the caller never got an answer and will try again, so it counts as not
   * done. Anything applied: the rest follows, as far as nobody changed those notes since.
   */
  async #resume(group: JournalGroup): Promise<void> {
    const { journal, store } = this.#parts;
    const states = await Promise.all(group.steps.map((step) => stepState(store, step)));
    const begun = group.steps.some((step, at) => step.state === 'done' || states[at] === 'applied');
    for (const [at, step] of group.steps.entries()) {
      if (step.state !== 'pending') continue;
      if (states[at] === 'applied') journal.stepDone(step.id);
      else if (!begun) journal.stepFailed(step.id);
      else {
        try {
          const trashPath = await applyStep(store, step, journal.after(step.id), journal.before(step.id));
          journal.stepDone(step.id, trashPath);
        } catch (error) {
          journal.stepFailed(step.id);
          this.#parts.log(
            'warn',
            `A step of the interrupted write was left out: ${asLecternError(error).message}`,
          );
        }
      }
    }
    await journal.finish(group.id);
  }

  async #index(paths: readonly string[]): Promise<boolean> {
    try {
      await this.#parts.indexer.index(paths);
      return true;
    } catch (error) {
      this.#parts.log('error', `The index did not follow a write: ${asLecternError(error).message}`);
      return false;
    }
  }
}

/** Steps in order, neighbouring replacements together, a few at a time. */
function batches(steps: readonly JournalStep[]): [number, JournalStep][][] {
  const result: [number, JournalStep][][] = [];
  for (const [at, step] of steps.entries()) {
    const last = result.at(-1);
    const joins = at > 1 && step.action === 'replace' && last?.[0]?.[1].action === 'replace';
    if (joins && last && last.length < STEPS_AT_ONCE) last.push([at, step]);
    else result.push([[at, step]]);
  }
  return result;
}

function asLecternError(error: unknown): LecternError {
  if (isLecternError(error)) return error;
  return new LecternError('internal', 'The note could not be written.', { cause: error });
}
