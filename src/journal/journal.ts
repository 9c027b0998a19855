import type { IdKind, NoteIds } from './note-ids.ts';

/**
 * The record of every write with the bytes it replaced. One group per operation: a move that
 * rewrites two hundred notes is one group of two hundred and one steps. A group is durable before
 * the first byte of a note changes, so a crash in the middle is finished or taken back on open.
 */
export type StepAction =
  | 'create'
  | 'replace'
  /** What the store keeps beside the text; `before` and `after` are JSON of the facts that change. */
  | 'facts'
  | 'move'
  | 'move_folder'
  | 'make_folder'
  /** As far as it is empty. */
  | 'remove_folder'
  /** To the vault's own trash. */
  | 'trash'
  /** To the desktop's trash, or where there is none to the vault's. */
  | 'trash_on_desktop'
  /** Gone but for the journal. */
  | 'remove'
  | 'restore';

/** `pending` = bytes may or may not be on disk; `done` = they are; `failed` = they never were; `undone` = taken back later. */
export type GroupState = 'pending' | 'done' | 'failed' | 'undone';

export interface JournalActor {
  readonly kind: string;
  readonly name: string;
  readonly session: string;
  /** What the client calls itself, when that is not the name. */
  readonly client?: string;
  /** Where a request over HTTP came from: for the audit log, not kept here. */
  readonly address?: string;
}

export interface PlannedStep {
  readonly action: StepAction;
  /** Where the note was; for a restore where it comes back to. */
  readonly path: string;
  /** Where a move takes it. */
  readonly toPath?: string;
  /** For trash and restore: the store's name for the trashed file, once known. */
  readonly trashPath?: string;
  readonly beforeEtag?: string;
  readonly afterEtag?: string;
  /** The topmost folder that the step makes on its way: taking it back removes it, if nothing is in it then. */
  readonly madeFolder?: string;
  /** The topmost folder to remove once the file is gone from it, with those below it, as far as they are empty. */
  readonly prunedFolder?: string;
  /** Only links change, so that they go on leading where they led. */
  readonly follows?: true;
  /** The writer does not see this file: whether the step can be done is not for them to know. Not kept. */
  readonly unseen?: true;
  /** The bytes that are replaced (or removed from view). */
  readonly before?: Uint8Array;
  /** The bytes that replace them: kept until the group is done, to finish it after a crash. */
  readonly after?: Uint8Array;
}

export interface PlannedGroup {
  readonly tool: string;
  readonly actor: JournalActor;
  readonly requestId?: string;
  /** One line for people: `rename Old.md to New.md`. */
  readonly summary: string;
  /** The groups this one takes back. */
  readonly undoes?: readonly number[];
  readonly steps: readonly PlannedStep[];
}

export interface JournalStep extends Omit<PlannedStep, 'before' | 'after'> {
  readonly id: number;
  readonly state: GroupState;
}

export interface JournalGroup {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly tool: string;
  readonly actor: JournalActor;
  readonly requestId: string | undefined;
  readonly summary: string;
  readonly state: GroupState;
  /** The groups this one took back, newest first; empty for an ordinary write. */
  readonly undoes: readonly number[];
  readonly steps: readonly JournalStep[];
}

/** What became of a step; `trashPath` as the store chose it. */
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
  /** Only groups for which the test holds; applied before limit and total. */
  readonly visible?: (group: JournalGroup) => boolean;
}

/** A call that the owner's rules, or the caller's own scopes, did not allow. */
export interface Refusal {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly actor: JournalActor;
  readonly tool: string;
  readonly code: string;
  /** Where it was aimed, as the caller wrote it. */
  readonly paths: readonly string[];
}

/** How far undo reaches back: groups older than this, or beyond this many bytes counted from the newest, are forgotten. */
export interface RetentionLimits {
  readonly maxAgeMs: number;
  /** Of kept bytes as stored (deflated). */
  readonly maxBytes: number;
}

/** A file that went to the trash. */
export interface Trashed {
  readonly stepId: number;
  readonly trashPath: string;
  /** Where it was. */
  readonly path: string;
  readonly time: number;
}

/** The answer to a write that carried an idempotency key. */
export interface RememberedAnswer {
  readonly inputHash: string;
  readonly answer: string;
}

/** One write of a call that may be repeated: which call, and which of its writes, counted from 0. */
export interface RepeatableWrite {
  readonly key: string;
  readonly part: number;
  readonly inputHash: string;
}

/** The answer that a write is expected to have, by the number of its group. */
export interface AnswerToKeep extends RepeatableWrite {
  readonly answer: (groupId: number) => string;
}

/** Makes the answer that is kept of the one that was expected; undefined forgets it, so that a repetition writes again. */
export type SettleAnswer = (expected: string, isDone: boolean) => string | undefined;

export interface KeptAnswer extends RememberedAnswer {
  readonly groupId: number;
  /** False while the write is open: it may have happened or not. */
  readonly isDone: boolean;
}

export interface Journal {
  /**
   * Durable (fsynced) when it returns.
   * @param kept the answer to keep with the group, in its own transaction
   * @throws LecternError `unavailable` when the journal cannot be written: nothing may change then
   */
  begin(group: PlannedGroup, kept?: AnswerToKeep): Promise<JournalGroup>;
  /** Notes outcomes of a group that goes on for long, so that a crash finds less to look at. */
  record(outcomes: readonly StepOutcome[]): void;
  /** Resolves when everything noted so far survives a power cut; a crash of the process alone it survives anyway. */
  flush(): Promise<void>;
  /**
   * Notes the last outcomes and closes the group: `done` when any step is done, else `failed`. Drops
   * the after-bytes. When the group is an undo of which every step is done, what it took back becomes
   * `undone`, and an undo that is itself taken back makes its writes `done` again: all in one transaction,
   * so that a state always says whether the write's effect is there. Not flushed: should a power cut undo the note,
   * the group is open again and closed anew, as its steps are found carried out.
   *
   * @param answer default: what was expected is kept with a group that is `done`
   */
  finish(groupId: number, outcomes: readonly StepOutcome[], answer?: SettleAnswer): Promise<void>;
  /** Groups a crash left open, oldest first. */
  pending(): readonly JournalGroup[];
  before(stepId: number): Uint8Array | undefined;
  after(stepId: number): Uint8Array | undefined;
  group(id: number): JournalGroup | undefined;
  /** Newest first. */
  history(query: HistoryQuery): { groups: readonly JournalGroup[]; total: number };
  /** Keeps refused calls; the oldest give way when there are many. */
  refuse(refusals: readonly Refusal[]): void;
  /** Newest first, of one session or of all, without those of some code. */
  refusals(query: {
    readonly limit: number;
    readonly session?: string;
    readonly except?: string;
  }): readonly Refusal[];
  /** The newest finished step that put this trashed file away. */
  trashedFrom(trashPath: string): Trashed | undefined;
  /** What a step put away that is finished. */
  trashedBy(stepId: number): Trashed | undefined;

  /** Idempotency: the answer remembered under a key, if it is younger than `maxAgeMs`. */
  recall(key: string, maxAgeMs: number): RememberedAnswer | undefined;
  remember(key: string, answer: RememberedAnswer): void;
  /** The answer kept with a write of a call, if it is younger than `maxAgeMs`. */
  kept(write: Pick<RepeatableWrite, 'key' | 'part'>, maxAgeMs: number): KeptAnswer | undefined;

  /**
   * Forgets the groups beyond these limits, never open ones; their bytes can no longer be brought back.
   * @returns how many
   */
  prune(limits: RetentionLimits): Promise<number>;
  /** The ids of a kind that notes and folders have; they follow every step whose outcome is noted. */
  ids(kind: IdKind): NoteIds;
  /** 32 random bytes that this journal keeps: whatever is signed or hidden with them holds as long as it does. */
  secret(): Uint8Array;
  close(): void;
}
