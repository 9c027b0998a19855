/**
 * Ids used by other systems for notes and folders, where Lectern has paths: 32 hexadecimal digits, slugs. The
 * journal stores them because it records every change of a path: an id follows moves, including those of
 * folders, stays with a trashed note and returns with it, by restore or undo, in any process.
 */
export interface IdKind {
  /** The system that uses these ids. */
  readonly name: string;
  /** The id of a deleted note may be given to another one; if the first is restored, it needs a new id. */
  readonly reusable: boolean;
}

/** Ids of one kind. Paths are exact, without a trailing slash. */
export interface NoteIds {
  /** The ids of those of these paths that have one. */
  known(paths: readonly string[]): ReadonlyMap<string, string>;
  /** The path with this id; undefined when there is none, or when its note was deleted. */
  pathOf(id: string): string | undefined;
  /** The paths whose ids match a pattern, in which `*` stands for anything; deleted notes are left out. */
  pathsLike(pattern: string): ReadonlySet<string>;
  /**
   * Gives ids to paths that have none: when another caller was faster, that id stays.
   * @returns the ids that could not be given because another path has them or had them
   */
  give(ids: ReadonlyMap<string, string>): ReadonlySet<string>;
  /**
   * Changes the id of a path.
   * @returns false when another path has the id or had it
   */
  change(path: string, id: string): boolean;
  /** Records that a path no longer exists because another program removed its file. */
  lost(path: string): void;
}
