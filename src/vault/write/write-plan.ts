import type { LecternError } from '../../errors.ts';
import type {
  JournalActor,
  JournalGroup,
  JournalStep,
  PlannedStep,
  RepeatableWrite,
  Trashed,
} from '../../journal/journal.ts';

/** Who writes, and under which name it is journaled. */
export interface WriteContext {
  readonly actor: JournalActor;
  readonly tool: string;
  readonly requestId?: string;
  /** The number of a write for whoever writes. */
  readonly number: (id: number) => number;
  readonly mayRead: (path: string) => boolean;
  /** The call has an idempotency key: the answer is kept with the write, and a repetition gets it. */
  readonly repeatable?: RepeatableWrite;
  /** A further write of a call that is answered already, as far as it can be repeated. */
  readonly isLate?: true;
}

export interface WritePlan<Answer = unknown> {
  readonly summary: string;
  /** Empty when there is nothing to write. */
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
  /**
   * What the caller is answered, of nothing but the plan and its outcome. It is asked for before the steps are carried
   * out, too, with the outcome that is expected: so a crash in the middle leaves an answer. JSON, as it is kept as that.
   */
  readonly answer: (outcome: WriteOutcome) => Answer;
}

export interface FailedStep {
  readonly step: JournalStep;
  readonly error: LecternError;
}

/** What became of a plan, as far as its answer depends on it. */
export interface WriteOutcome {
  /** Its number for whoever wrote; undefined when nothing was to be written. */
  readonly writeId: number | undefined;
  /** Steps that met a version nobody had read; the others are on disk. None that the writer does not see. */
  readonly failed: readonly FailedStep[];
  /** What went to the vault's trash, by its old path. */
  readonly trashed: ReadonlyMap<string, Trashed>;
  /** Etags and sizes of files that came back from the trash, by path. */
  readonly restored: ReadonlyMap<string, { readonly etag: string; readonly bytes: number }>;
  /** False when the notes are written but the index could not follow yet. */
  readonly indexed: boolean;
}

export const NOTHING_WRITTEN: WriteOutcome = {
  writeId: undefined,
  failed: [],
  trashed: new Map(),
  restored: new Map(),
  indexed: true,
};

export interface Committed extends WriteOutcome {
  readonly group: JournalGroup;
  readonly writeId: number;
  /** Steps that the writer does not see and that were not done. */
  readonly unseen: readonly FailedStep[];
}

/** The answer to a write; `committed` is absent when nothing was written now. */
export interface Written<Answer> {
  readonly answer: Answer;
  readonly committed?: Committed;
}

/** What is said of a note whose links were to follow. */
export function notUpdated(path: string): string {
  return `${path} was changed meanwhile; its links were not updated.`;
}
