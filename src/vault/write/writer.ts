import { isLecternError, LecternError } from '../../errors.ts';
import type {
  Journal,
  JournalActor,
  JournalGroup,
  JournalStep,
  PlannedStep,
  StepOutcome,
} from '../../journal/journal.ts';
import type { WriteLock } from '../../journal/lock.ts';
import { nameKey } from '../../notes/path.ts';
import type { ReplaceBatch, Store, StoredFile } from '../../stores/store.ts';
import type { EndedWrite } from '../audit.ts';
import type { IndexerClient } from '../indexer/client.ts';
import { planUndo } from '../undo/plan.ts';
import { applyStep, stepState } from './steps.ts';
import { stretches } from './stretches.ts';

/** Who writes, and under which name it is journaled. */
export interface WriteContext {
  readonly actor: JournalActor;
  readonly tool: string;
  readonly requestId?: string;
  /** The number of a write for whoever writes. */
  readonly number: (id: number) => number;
  readonly mayRead: (path: string) => boolean;
}

export interface WritePlan {
  readonly summary: string;
  readonly steps: readonly PlannedStep[];
  /** When the first step fails none of the others is carried out, and the plan is made again after a lost race. */
  readonly decisive: boolean;
  /** When any step fails the others are taken back. So they are whenever one fails for another reason than a foreign save. */
  readonly whole?: boolean;
  /** Paths whose index entry changes beyond the steps' own. */
  readonly reindex?: readonly string[];
  /** Notes with a link that leads elsewhere now, where the caller could not be told: for the audit. */
  readonly turned?: readonly string[] | undefined;
  /** Groups that this plan takes back. */
  readonly undoes?: readonly number[];
}

interface FailedStep {
  readonly step: JournalStep;
  readonly error: LecternError;
}

export interface Committed {
  readonly group: JournalGroup;
  /** Its number for whoever wrote. */
  readonly writeId: number;
  /** Steps that met a version nobody had read; the others are on disk. None that the writer does not see. */
  readonly failed: readonly FailedStep[];
  /** Steps that the writer does not see and that were not done. */
  readonly unseen: readonly FailedStep[];
  readonly trashPaths: ReadonlyMap<string, string>;
  /** False when the notes are written but the index could not follow yet. */
  readonly indexed: boolean;
}

export interface WriteScope {
  /**
   * The plan looks at and changes nothing but files of this name (`nameKey`): writes to notes of other names may
   * run at the same time. Without one the write runs alone.
   */
  readonly only?: string;
}

export interface WriterParts {
  readonly store: Store;
  readonly journal: Journal;
  readonly lock: WriteLock;
  readonly indexer: IndexerClient;
  readonly log: (level: 'warn' | 'error', message: string) => void;
  /** Told of every write once it is over. */
  readonly ended?: (write: EndedWrite) => void;
  /** Told of work on the index that a large write is answered without: readers are to wait for it. */
  readonly indexLater: (work: Promise<unknown>) => void;
}

/** A racing editor may win a few times; one that always wins is reported. */
const ATTEMPTS = 8;
/**
 * Replacements under way at once in a group: some wait for the drive, so that the thread pool always has others to go
 * on with.
 */
const STEPS_AT_ONCE = 32;
/**
 * A group of more steps is answered once it is on disk; the index, which takes about as long, follows.
 * Meanwhile readers wait for it: most callers have something to think about first.
 */
const LARGE = 128;
/** Outcomes handed to the journal at once while a group is still being written. */
const OUTCOMES = 128;
/** Notes handed to the indexer at once. */
const INDEXED = 512;

/**
 * The write path: lock, plan from fresh bytes, journal, bytes, index. `plan` runs inside the lock
 * and must read what it bases itself on; undefined means that there is nothing to write.
 */
export class VaultWriter {
  readonly #parts: WriterParts;
  /** Indexing under way, by the names of files that came or went (`nameKey`). */
  readonly #namesUnderWay = new Map<string, Promise<unknown>>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
    parts.lock.onTaken(async () => {
      // Another process may have died in the middle of its own write while this one lived on.
      await this.#resumePending();
    });
  }

  /**
   * Commits a plan of one or more steps. When the decisive step loses a race against an editor the
   * plan is made again from the editor's bytes; other steps that lose one are reported.
   * @throws LecternError whatever `plan` throws; `conflict` when the decisive step lost every race
   */
  async commit(
    context: WriteContext,
    plan: () => Promise<WritePlan | undefined>,
    scope: WriteScope = {},
  ): Promise<Committed | undefined> {
    let resume: (() => void) | undefined;
    let indexing: Promise<boolean> | undefined;
    const work = async () => {
      for (let attempt = 1; ; attempt++) {
        const planned = await plan();
        if (!planned || planned.steps.length === 0) return undefined;
        if (planned.steps.length > LARGE) resume ??= this.#parts.indexer.pause();
        const group = await this.#parts.journal.begin({ ...context, ...planned });
        const outcome = await this.#execute(group, planned, context.actor);
        const lost = planned.decisive
          ? outcome.failed.find(({ step }) => step.id === group.steps[0]?.id)
          : undefined;
        if (lost && (lost.error.code !== 'conflict' || attempt === ATTEMPTS)) throw toldOf(lost, context);
        if (lost) continue;
        const broken = outcome.failed.find(({ error }) => planned.whole || !isOvertaken(error));
        if (broken) throw await this.#takeBack(context, outcome.group.id, toldOf(broken, context));
        const { written, ...committed } = outcome;
        const touched = committed.group.steps.flatMap(({ path, toPath = path }) => [path, toPath]);
        indexing = this.#index([...new Set([...touched, ...(planned.reindex ?? [])])], written);
        // Before the lock goes: the next write is not to be planned from an index that it need not wait for.
        if (resume) this.#parts.indexLater(indexing);
        else this.#announceNames(committed.group.steps, planned.reindex ?? [], indexing);
        return { ...committed, writeId: context.number(committed.group.id) };
      }
    };
    try {
      const outcome = await this.#parts.lock.run(work, scope.only);
      if (!outcome) return undefined;
      const [indexed] = await Promise.all([
        resume ? true : (indexing ?? true),
        this.#tellJournal(() => this.#parts.journal.flush()),
      ]);
      return { ...outcome, indexed };
    } finally {
      const end = resume;
      if (end) void Promise.resolve(indexing).then(end);
    }
  }

  /** Resolves when the index knows every file of this name that was written so far: the next write may be planned from it. */
  async named(path: string): Promise<void> {
    await this.#namesUnderWay.get(nameKey(path));
  }

  #announceNames(steps: readonly JournalStep[], others: readonly string[], indexing: Promise<unknown>): void {
    const places = steps.filter(({ action }) => action !== 'replace');
    const paths = [...places.map(({ path, toPath = path }) => toPath), ...others];
    for (const name of new Set(paths.map(nameKey))) {
      const known = Promise.all([this.#namesUnderWay.get(name), indexing]).then(() => {
        if (this.#namesUnderWay.get(name) === known) this.#namesUnderWay.delete(name);
      });
      this.#namesUnderWay.set(name, known);
    }
  }

  /**
   * Puts back what a write did before a step of it failed (a full disk, a drive that went away).
   * @returns the error to throw
   */
  async #takeBack(context: WriteContext, groupId: number, cause: LecternError): Promise<LecternError> {
    const { journal, store } = this.#parts;
    try {
      const group = journal.group(groupId);
      const { steps } = group ? await planUndo([group], journal, store) : { steps: [] };
      if (!group || steps.length === 0) return cause;
      const summary = `take back "${group.summary}"`;
      const back = await journal.begin({ ...context, summary, undoes: [groupId], steps });
      const { failed } = await this.#execute(back, { summary, steps, decisive: false }, context.actor);
      await this.#index(back.steps.flatMap((step) => [step.path, step.toPath ?? step.path]));
      if (failed.length === 0) return cause;
    } catch (error) {
      this.#parts.log(
        'error',
        `A write that failed could not be taken back: ${asLecternError(error).message}`,
      );
    }
    const writeId = context.number(groupId);
    return new LecternError(cause.code, `${cause.message} A part of the change is done.`, {
      cause,
      details: { ...cause.details, writeId },
      next: `Remove the cause, then undo write ${writeId} with note_undo.`,
    });
  }

  /** Finishes what a crash left half done. Also done before other writes, since processes die while others live. */
  async recover(): Promise<void> {
    if (this.#parts.journal.pending().length > 0) await this.#parts.lock.run(async () => {});
  }

  /** Only when this process has just got its turn: no pending group has a living writer then. */
  async #resumePending(): Promise<void> {
    const touched = new Set<string>();
    for (const group of this.#parts.journal.pending()) {
      await this.#resume(group);
      for (const { path, toPath = path } of group.steps) touched.add(path).add(toPath);
      this.#parts.log('warn', `Recovered an interrupted write: ${group.tool}, ${group.steps.length} steps.`);
    }
    // The indexer compares everything when it starts; this is for one that runs already, and nobody waits for it.
    if (touched.size > 0) void this.#index([...touched]);
  }

  /** Steps run in the order planned; neighbouring replacements run side by side, and share flushes of their folders. */
  async #execute(group: JournalGroup, planned: WritePlan, actor: JournalActor) {
    const done: JournalStep[] = [];
    const failed: FailedStep[] = [];
    const trashPaths = new Map<string, string>();
    let outcomes: StepOutcome[] = [];
    let isTold = true;
    const writtenFiles: StoredFile[] = [];
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
      if (together) batch ??= this.#parts.store.batch?.();
      const isBatched = together && batch !== undefined;
      try {
        const { before, after } = planned.steps[at] ?? {};
        const { trashPath, written } = await applyStep(this.#parts.store, step, after, before, {
          ...(isBatched && batch && { batch }),
        });
        if (trashPath !== undefined) trashPaths.set(step.path, trashPath);
        outcomes.push({ stepId: step.id, state: 'done', trashPath });
        if (isBatched) due.set(step.id, step);
        else done.push(step);
        if (written) writtenFiles.push(written);
      } catch (error) {
        outcomes.push({ stepId: step.id, state: 'failed' });
        failed.push({ step, error: asLecternError(error) });
      }
      if (outcomes.length < OUTCOMES || !isTold) return;
      // So that a crash leaves less to look at.
      const soFar = outcomes;
      outcomes = [];
      await settle(soFar);
      isTold = await this.#tellJournal(() => this.#parts.journal.record(soFar));
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
    await this.#tellJournal(() => this.#parts.journal.finish(group.id, outcomes));
    const { turned = [] } = planned;
    this.#parts.ended?.({ group, actor, done, failed: failed.map(({ step }) => step), turned });
    return {
      group,
      failed: failed.filter(({ step }) => !step.unseen),
      unseen: failed.filter(({ step }) => step.unseen),
      trashPaths,
      written: writtenFiles,
    };
  }

  /**
   * The bytes are on disk and the plan is in the journal: a journal that cannot take the outcome (its
   * disk is full) loses nothing. The group stays open, and the next write, which has to be
   * journaled anyway, closes it first.
   */
  async #tellJournal(work: () => void | Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#parts.log(
        'error',
        `A write is done but not closed in the journal: ${asLecternError(error).message}`,
      );
      return false;
    }
  }

  /**
   * Nothing applied yet: the caller never got an answer and will try again, so it counts as not
   * done. Anything applied: the rest follows, as far as nobody changed those notes since.
   */
  async #resume(group: JournalGroup): Promise<void> {
    const { journal, store } = this.#parts;
    const outcomes: StepOutcome[] = [];
    const states = new Map<number, Awaited<ReturnType<typeof stepState>>>();
    for (const step of group.steps)
      if (step.state === 'pending') states.set(step.id, await stepState(store, step));
    const begun = group.steps.some(
      ({ id, state }) => state === 'done' || (states.get(id) ?? 'open') !== 'open',
    );
    for (const step of group.steps) {
      if (step.state !== 'pending') continue;
      if (states.get(step.id) === 'applied') outcomes.push({ stepId: step.id, state: 'done' });
      else if (!begun) outcomes.push({ stepId: step.id, state: 'failed' });
      else {
        try {
          const { trashPath } = await applyStep(
            store,
            step,
            journal.after(step.id),
            journal.before(step.id),
            { interrupted: true },
          );
          outcomes.push({ stepId: step.id, state: 'done', trashPath });
        } catch (error) {
          outcomes.push({ stepId: step.id, state: 'failed' });
          this.#parts.log(
            'warn',
            `A step of the interrupted write was left out: ${asLecternError(error).message}`,
          );
        }
      }
    }
    await journal.finish(group.id, outcomes);
    const ended = new Map(outcomes.map(({ stepId, state }) => [stepId, state]));
    const steps = (wanted: StepOutcome['state']) => group.steps.filter(({ id }) => ended.get(id) === wanted);
    this.#parts.ended?.({
      group,
      actor: group.actor,
      done: steps('done'),
      failed: steps('failed'),
      recovered: true,
    });
  }

  async #index(paths: readonly string[], written: readonly StoredFile[] = []): Promise<boolean> {
    const files = new Map(written.map((file) => [file.entry.path, file]));
    try {
      for (let from = 0; from < paths.length; from += INDEXED) {
        const some = paths.slice(from, from + INDEXED);
        const theirs = some.map((path) => files.get(path)).filter((file) => file !== undefined);
        await this.#parts.indexer.index(some, theirs);
      }
      return true;
    } catch (error) {
      this.#parts.log('error', `The index did not follow a write: ${asLecternError(error).message}`);
      return false;
    }
  }
}

/** The error of a step as whoever writes may know it: what is in the way may be none of theirs to see. */
function toldOf({ error, step }: FailedStep, { mayRead }: WriteContext): LecternError {
  const { path } = error.details ?? {};
  if (typeof path !== 'string' || path === '' || mayRead(path)) return error;
  const aim = step.toPath ?? step.path;
  return new LecternError(error.code, `No file can be put at ${aim}.`, {
    cause: error,
    details: { path: aim },
    next: 'Choose another place.',
  });
}

/** Somebody saved or removed the note meanwhile: that is how it is now, and the rest of the write stands. */
function isOvertaken({ code }: LecternError): boolean {
  return code === 'conflict' || code === 'not_found';
}

function asLecternError(error: unknown): LecternError {
  if (isLecternError(error)) return error;
  return new LecternError('internal', 'The note could not be written.', { cause: error });
}
