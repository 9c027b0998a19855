import type { IdKind, NoteIds } from './note-ids.ts';

/**
 * The record of every write with the bytes it replaced. One group per operation: a move that rewrites two
 * hundred notes is one group of two hundred and one steps. A group is durable before the first byte of a note
 * changes, so that one interrupted by a crash is finished or reverted on open.
 */
export type StepAction =
  | 'create'
  | 'replace'
  /** Facts the store keeps beside the text; `before` and `after` are JSON of the facts that change. */
  | 'facts'
  | 'move'
  | 'move_folder'
  | 'make_folder'
  /** Removed if empty. */
  | 'remove_folder'
  /** To the vault's own trash. */
  | 'trash'
  /** To the desktop's trash, or without one to the vault's. */
  | 'trash_on_desktop'
  /** Removed; only the journal has the bytes. */
  | 'remove'
  | 'restore';

/** `pending` = bytes may be on disk; `done` = they are; `failed` = they never were; `undone` = reverted later. */
export type GroupState = 'pending' | 'done' | 'failed' | 'undone';

export interface JournalActor {
  readonly kind: string;
  readonly name: string;
  readonly session: string;
  /** The client's own name, when that differs from the name. */
  readonly client?: string;
  /** Address of an HTTP client: for the audit log, not stored here. */
  readonly address?: string;
}

export interface PlannedStep {
  readonly action: StepAction;
  /** Path before the step; for a restore the path it is restored to. */
  readonly path: string;
  /** Path after a move. */
  readonly toPath?: string;
  /** For trash and restore: the store's name for the trashed file, once known. */
  readonly trashPath?: string;
  readonly beforeEtag?: string;
  readonly afterEtag?: string;
  /** The topmost folder the step creates: reverting removes it if it is empty. */
  readonly madeFolder?: string;
  /** The topmost folder to remove after the file is gone from it, with its subfolders, if they are empty. */
  readonly prunedFolder?: string;
  /** Only links change, to keep their targets. */
  readonly follows?: true;
  /** The writer does not see this file, and must not learn whether the step succeeds. Not stored. */
  readonly unseen?: true;
  /** The replaced (or removed) bytes. */
  readonly before?: Uint8Array;
  /** The new bytes: stored until the group is done, to finish it after a crash. */
  readonly after?: Uint8Array;
}

export interface PlannedGroup {
  readonly tool: string;
  readonly actor: JournalActor;
  readonly requestId?: string;
  /** One line for display: `rename Old.md to New.md`. */
  readonly summary: string;
  /** The groups this one reverts. */
  readonly undoes?: readonly number[];
  readonly steps: readonly PlannedStep[];
}

export interface JournalStep extends Omit<PlannedStep, 'before' | 'after'> {
  readonly id: number;
  readonly state: GroupState;
}

/** A recorded write. */
export interface JournalGroup {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly tool: string;
  readonly actor: JournalActor;
  readonly requestId: string | undefined;
  readonly summary: string;
  readonly state: GroupState;
  /** The groups this one reverted, newest first; empty for an ordinary write. */
  readonly undoes: readonly number[];
  readonly steps: readonly JournalStep[];
}

/** The outcome of a step; `trashPath` as chosen by the store. */
export interface StepOutcome {
  readonly stepId: number;
  readonly state: 'done' | 'failed';
  readonly trashPath?: string | undefined;
}

export interface HistoryQuery {
  readonly path?: string;
  readonly actor?: string;
  readonly session?: string;
  /** Milliseconds since the epoch, inclusive. */
  readonly since?: number;
  readonly state?: GroupState;
  readonly limit: number;
  /** Groups older than this id. */
  readonly beforeId?: number;
  /** Only groups that match; applied before limit and total. */
  readonly visible?: (group: JournalGroup) => boolean;
}

/** A call that the owner's rules or the caller's scopes did not allow. */
export interface Refusal {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly actor: JournalActor;
  readonly tool: string;
  readonly code: string;
  /** The places it named, as the caller wrote them. */
  readonly paths: readonly string[];
}

/** Limits of undo: groups older than this, or beyond this many bytes counted from the newest, are deleted. */
export interface RetentionLimits {
  readonly maxAgeMs: number;
  /** Most bytes, counted as they are stored (deflated). */
  readonly maxBytes: number;
}

/** A trashed file. */
export interface Trashed {
  readonly stepId: number;
  readonly trashPath: string;
  /** Its original path. */
  readonly path: string;
  readonly time: number;
}

/** The answer to a write with an idempotency key. */
export interface RememberedAnswer {
  readonly inputHash: string;
  readonly answer: string;
}

/** Identifies one write of a repeatable call: the call, and the number of the write in it, from 0. */
export interface RepeatableWrite {
  readonly key: string;
  readonly part: number;
  readonly inputHash: string;
}

/** The expected answer of a write, by the number of its group. */
export interface AnswerToKeep extends RepeatableWrite {
  readonly answer: (groupId: number) => string;
}

/** Makes the stored answer from the expected one; undefined deletes it, so that a repeated call writes again. */
export type SettleAnswer = (expected: string, isDone: boolean) => string | undefined;

/** The stored answer of one write of a repeatable call. */
export interface KeptAnswer extends RememberedAnswer {
  readonly groupId: number;
  /** False while the group is open: its outcome is unknown. */
  readonly isDone: boolean;
}

/**
 * The journal port: the history of writes, answers to repeatable calls, and ids. Every method may throw
 * LecternError `unavailable` when the journal cannot be used.
 */
export interface Journal {
  /**
   * Records a planned group; it is durable (fsynced) when the promise resolves.
   * @param kept the answer to store with the group, in its own transaction
   * @throws LecternError `unavailable` when the journal cannot be written: nothing may change then
   */
  begin(group: PlannedGroup, kept?: AnswerToKeep): Promise<JournalGroup>;
  /** Records outcomes of a long group, so that recovery after a crash has less to check. */
  record(outcomes: readonly StepOutcome[]): void;
  /** Resolves when everything recorded so far survives a power cut; it survives a crash of the process in any case. */
  flush(): Promise<void>;
  /**
   * Records the last outcomes and closes the group: `done` when any step is done, else `failed`. Deletes the
   * new bytes. When the group is a completely applied undo, the groups it reverted become `undone`, and
   * reverting an undo makes its writes `done` again: all in one transaction, so that a state always says
   * whether the write's effect is present. Not flushed: if a power cut loses this record, the group is open
   * again, its steps are found applied, and it is closed again.
   *
   * @param answer default: the expected answer is stored with a group that is `done`
   */
  finish(groupId: number, outcomes: readonly StepOutcome[], answer?: SettleAnswer): Promise<void>;
  /** Groups left open by a crash, oldest first. */
  pending(): readonly JournalGroup[];
  /** The bytes that a step replaced; undefined when there were none or they were deleted. */
  before(stepId: number): Uint8Array | undefined;
  /** The new bytes of a step; undefined after its group is done. */
  after(stepId: number): Uint8Array | undefined;
  group(id: number): JournalGroup | undefined;
  /** The groups that match, newest first, and their total number. */
  history(query: HistoryQuery): { groups: readonly JournalGroup[]; total: number };
  /** Stores refused calls; beyond the limit the oldest are deleted. */
  refuse(refusals: readonly Refusal[]): void;
  /** Refused calls, newest first, of one session or of all, without those with the given code. */
  refusals(query: {
    readonly limit: number;
    readonly session?: string;
    readonly except?: string;
  }): readonly Refusal[];
  /** The newest finished step that trashed this file. */
  trashedFrom(trashPath: string): Trashed | undefined;
  /** The files trashed by finished steps. */
  trashedBy(stepId: number): Trashed | undefined;

  /** Idempotency: the answer stored under a key, if it is younger than `maxAgeMs`. */
  recall(key: string, maxAgeMs: number): RememberedAnswer | undefined;
  /** Stores the answer to a whole call under its key. */
  remember(key: string, answer: RememberedAnswer): void;
  /** The answer stored with a write of a call, if it is younger than `maxAgeMs`. */
  kept(write: Pick<RepeatableWrite, 'key' | 'part'>, maxAgeMs: number): KeptAnswer | undefined;

  /**
   * Deletes the groups beyond these limits, never open ones; their bytes cannot be restored any more.
   * @returns the number of deleted groups
   */
  prune(limits: RetentionLimits): Promise<number>;
  /** The ids of a kind for notes and folders; they follow every step whose outcome is recorded. */
  ids(kind: IdKind): NoteIds;
  /**
   * 32 random bytes stored in this journal: anything signed or encrypted with them stays valid as long as it
   * exists.
   */
  secret(): Uint8Array;
  close(): void;
}
