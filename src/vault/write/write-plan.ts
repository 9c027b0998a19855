import type { LecternError } from '../../errors.ts';
import type {
  JournalActor,
  JournalGroup,
  JournalStep,
  PlannedStep,
  RepeatableWrite,
  Trashed,
} from '../../journal/journal.ts';

/** The writer, and the name under which the write is journaled. */
export interface WriteContext {
  readonly actor: JournalActor;
  readonly tool: string;
  readonly requestId?: string;
  /** The number of a write as the writer sees it. */
  readonly number: (id: number) => number;
  readonly mayRead: (path: string) => boolean;
  /** Set for a call with an idempotency key: the answer is stored with the write, for a repeated call. */
  readonly repeatable?: RepeatableWrite;
  /** Set for a further write of a call that was answered already. */
  readonly isLate?: true;
}

export interface WritePlan<Answer = unknown> {
  readonly summary: string;
  /** Empty when there is nothing to write. */
  readonly steps: readonly PlannedStep[];
  /** When the first step fails, the others are not carried out, and after a lost race the plan is made again. */
  readonly decisive: boolean;
  /** When any step fails, the others are reverted. For a failure other than a foreign save they always are. */
  readonly whole?: boolean;
  /** Paths whose index entry changes in addition to the steps' own. */
  readonly reindex?: readonly string[];
  /** Notes with a link whose target changed, where the caller could not be informed: for the audit log. */
  readonly turned?: readonly string[] | undefined;
  /** Groups this plan reverts. */
  readonly undoes?: readonly number[];
  /**
   * Makes the answer from the plan and its outcome alone. It also runs before the steps, with the expected
   * outcome, so that an answer exists after a crash. Must be JSON, because it is stored.
   */
  readonly answer: (outcome: WriteOutcome) => Answer;
}

export interface FailedStep {
  readonly step: JournalStep;
  readonly error: LecternError;
}

/** The outcome of a plan, as far as its answer depends on it. */
export interface WriteOutcome {
  /** Its number for the writer; undefined when nothing had to be written. */
  readonly writeId: number | undefined;
  /** Steps that found a version nobody had read; the others are on disk. Only steps the writer sees. */
  readonly failed: readonly FailedStep[];
  /** Names in the vault's trash, by old path. */
  readonly trashed: ReadonlyMap<string, Trashed>;
  /** Etags and sizes of restored files, by path. */
  readonly restored: ReadonlyMap<string, { readonly etag: string; readonly bytes: number }>;
  /** False when the notes are written but the index has not followed. */
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
  /** Steps not done in notes the writer does not see. */
  readonly unseen: readonly FailedStep[];
}

/** The answer to a write; `committed` is absent when nothing was written by this call. */
export interface Written<Answer> {
  readonly answer: Answer;
  readonly committed?: Committed;
}

/** The notice for a note whose links should have been updated. */
export function notUpdated(path: string): string {
  return `${path} was changed meanwhile; its links were not updated.`;
}
