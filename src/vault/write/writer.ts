import { LecternError } from '../../errors.ts';
import type {
  Journal,
  JournalGroup,
  JournalStep,
  RepeatableWrite,
  StepOutcome,
} from '../../journal/journal.ts';
import type { WriteLock } from '../../journal/lock.ts';
import { nameKey } from '../../notes/path.ts';
import type { Store, StoredFile } from '../../stores/store.ts';
import type { EndedWrite } from '../audit.ts';
import type { IndexerClient } from '../indexer/client.ts';
import { planUndo } from '../undo/plan.ts';
import { carryOut } from './carry-out.ts';
import { asLecternError, isOvertaken, toldOf } from './failed-step.ts';
import { recoverGroup } from './recovery.ts';
import { KEY_AGE_MS, repeatedAnswer } from './repeated.ts';
import {
  type Committed,
  NOTHING_WRITTEN,
  type WriteContext,
  type WritePlan,
  type Written,
} from './write-plan.ts';

export interface WriteScope {
  /**
   * The plan reads and changes only files of this name (`nameKey`): writes to notes of other names may run in
   * parallel. Without a key the write runs alone.
   */
  readonly only?: string;
}

export interface WriterParts {
  readonly store: Store;
  readonly journal: Journal;
  readonly lock: WriteLock;
  readonly indexer: IndexerClient;
  readonly log: (level: 'warn' | 'error', message: string) => void;
  /** Called after every write. */
  readonly ended?: (write: EndedWrite) => void;
  /** Called with the index work that a large write leaves behind its answer: readers must wait for it. */
  readonly indexLater: (work: Promise<unknown>) => void;
}

/** Retries of a plan that loses against an editor; an editor that always wins is reported. */
const ATTEMPTS = 8;
/**
 * A group with more steps is answered once it is on disk; indexing, which takes about as long, runs
 * afterwards. Readers wait for it meanwhile, but most callers pause before the next call.
 */
const LARGE = 128;
/** Notes sent to the indexer at once. */
const INDEXED = 512;

/** The write path: lock, plan from fresh bytes, journal, bytes, index. */
export class VaultWriter {
  readonly #parts: WriterParts;
  /** Indexing in progress, by the names of created or removed files (`nameKey`). */
  readonly #namesUnderWay = new Map<string, Promise<unknown>>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
    parts.lock.onTaken(async () => {
      // Another process may have died during its own write while this one was running.
      await this.#resumePending();
    });
  }

  /**
   * Commits a plan of one or more steps. `plan` runs inside the lock and must read everything it depends on.
   * When the decisive step loses a race against an editor, the plan is made again from the editor's bytes;
   * other steps that lose one are reported. A write of a repeatable call that was done before is not
   * repeated.
   *
   * @throws LecternError whatever `plan` throws; `conflict` when the decisive step lost every race
   */
  async commit<Answer>(
    context: WriteContext,
    plan: () => Promise<WritePlan<Answer>>,
    scope: WriteScope = {},
  ): Promise<Written<Answer>> {
    const { repeatable } = context;
    let resume: (() => void) | undefined;
    let indexing: Promise<boolean> | undefined;
    const work = async (): Promise<
      { planned: WritePlan<Answer>; committed: Committed } | Written<Answer>
    > => {
      for (let attempt = 1; ; attempt++) {
        const repeated = repeatable && (await this.#repeated(repeatable));
        // Recorded by this method.
        if (repeated) return repeated as Written<Answer>;
        const planned = await plan();
        if (planned.steps.length === 0) return { answer: planned.answer(NOTHING_WRITTEN) };
        if (planned.steps.length > LARGE) resume ??= this.#parts.indexer.pause();
        const expected = (groupId: number) =>
          JSON.stringify(planned.answer({ ...NOTHING_WRITTEN, writeId: context.number(groupId) }));
        const group = await this.#parts.journal.begin(
          { ...context, ...planned },
          repeatable && { ...repeatable, answer: expected },
        );
        const { outcome, lost, broken, written } = await this.#execute(group, planned, context);
        if (lost && (lost.error.code !== 'conflict' || attempt === ATTEMPTS)) throw toldOf(lost, context);
        if (lost) continue;
        if (broken) throw await this.#takeBack(context, group.id, toldOf(broken, context));
        const touched = group.steps.flatMap(({ path, toPath = path }) => [path, toPath]);
        indexing = this.#index([...new Set([...touched, ...(planned.reindex ?? [])])], written);
        // Before the lock is released: the next write must not be planned from an index it does not wait for.
        if (resume) this.#parts.indexLater(indexing);
        else this.#announceNames(group.steps, planned.reindex ?? [], indexing);
        return { planned, committed: outcome };
      }
    };
    try {
      const done = await this.#parts.lock.run(work, scope.only);
      if (!('planned' in done)) return done;
      const [indexed] = await Promise.all([
        resume ? true : (indexing ?? true),
        this.#tellJournal(() => this.#parts.journal.flush()),
      ]);
      const committed = { ...done.committed, indexed };
      return { answer: done.planned.answer(committed), committed };
    } finally {
      const end = resume;
      if (end) void Promise.resolve(indexing).then(end);
    }
  }

  /** The answer to a write that was done before; see {@link repeatedAnswer}. */
  async repeated(write: RepeatableWrite): Promise<{ answer: unknown } | undefined> {
    const kept = this.#parts.journal.kept(write, KEY_AGE_MS);
    // An open group waits for the lock: another process may be working on it, or may have died.
    return kept?.isDone === false
      ? this.#parts.lock.run(() => this.#repeated(write))
      : repeatedAnswer(this.#parts.journal, write);
  }

  /** Inside the lock an open write of this call has no living writer. */
  async #repeated(write: RepeatableWrite): Promise<{ answer: unknown } | undefined> {
    const { journal } = this.#parts;
    const kept = journal.kept(write, KEY_AGE_MS);
    const group = kept?.isDone === false ? journal.group(kept.groupId) : undefined;
    if (group?.state === 'pending') await recoverGroup(this.#parts, group);
    return repeatedAnswer(journal, write);
  }

  /**
   * Resolves when the index includes every file of this name written so far, so that the next write can be
   * planned from it.
   */
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
   * Reverts the steps of a write after one of them failed (a full disk, a drive that was removed).
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
      const plan = { steps, decisive: false, answer: () => undefined };
      const { failed } = (await this.#execute(back, plan, context)).outcome;
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

  /**
   * Finishes groups interrupted by a crash. Also called before other writes, since other processes may die
   * while this one runs.
   */
  async recover(): Promise<void> {
    if (this.#parts.journal.pending().length > 0) await this.#parts.lock.run(async () => {});
  }

  /** Only right after this process took the lock: no pending group has a living writer then. */
  async #resumePending(): Promise<void> {
    const touched = new Set<string>();
    for (const group of this.#parts.journal.pending()) {
      await recoverGroup(this.#parts, group);
      for (const { path, toPath = path } of group.steps) touched.add(path).add(toPath);
      this.#parts.log('warn', `Recovered an interrupted write: ${group.tool}, ${group.steps.length} steps.`);
    }
    // The indexer compares everything at its start; this informs one that is running already, without
    // waiting.
    if (touched.size > 0) void this.#index([...touched]);
  }

  /** Carries out a group and closes it, with its answer unless it is planned again or reverted. */
  async #execute(
    group: JournalGroup,
    planned: Pick<WritePlan, 'steps' | 'decisive' | 'whole' | 'turned' | 'answer'>,
    context: WriteContext,
  ) {
    const { journal, store } = this.#parts;
    const { done, failed, outcomes, written, ...files } = await carryOut(
      store,
      group,
      planned,
      (some: readonly StepOutcome[]) => this.#tellJournal(() => journal.record(some)),
    );
    const outcome: Committed = {
      ...files,
      group,
      writeId: context.number(group.id),
      failed: failed.filter(({ step }) => !step.unseen),
      unseen: failed.filter(({ step }) => step.unseen),
      indexed: true,
    };
    const lost = planned.decisive
      ? outcome.failed.find(({ step }) => step.id === group.steps[0]?.id)
      : undefined;
    const broken = outcome.failed.find(({ error }) => planned.whole || !isOvertaken(error));
    const answer = (_: string, isDone: boolean) =>
      lost || broken || !isDone ? undefined : JSON.stringify(planned.answer(outcome));
    await this.#tellJournal(() => journal.finish(group.id, outcomes, answer));
    const { turned = [] } = planned;
    this.#parts.ended?.({
      group,
      actor: context.actor,
      done,
      failed: failed.map(({ step }) => step),
      turned,
    });
    return { outcome, lost, broken, written };
  }

  /**
   * The bytes are on disk and the plan is in the journal: when the journal cannot store the outcome (its disk
   * is full), nothing is lost. The group stays open, and the next write, which must be journaled anyway,
   * closes it first.
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
