/**
 * Ids that other systems have for notes and folders, where Lectern has paths: 32 hexadecimal digits, slugs. The journal
 * keeps them, since it alone knows what becomes of a path: an id goes along with every move, folder moves included, stays
 * with a note in the trash and comes back with it, by restore or by undo, in the process that asks or in another one.
 */
export interface IdKind {
  /** Whose ids these are. */
  readonly name: string;
  /** An id whose note was deleted may be given to another one; should the first come back, it needs a new id. */
  readonly reusable: boolean;
}

/** Ids of one kind. Paths are exact, those of folders without a slash at the end. */
export interface NoteIds {
  /** The ids of those of these paths that have one. */
  known(paths: readonly string[]): ReadonlyMap<string, string>;
  /** The path with this id; undefined when there is none, or when its note was deleted. */
  pathOf(id: string): string | undefined;
  /** The paths whose ids are like a pattern, in which `*` stands for anything; those that are deleted left out. */
  pathsLike(pattern: string): ReadonlySet<string>;
  /**
   * Gives ids to paths that have none: where another caller was faster, that one's id stays.
   * @returns the ids that could not be given, as another path has them or had them
   */
  give(ids: ReadonlyMap<string, string>): ReadonlySet<string>;
  /**
   * Gives a path another id than the one it has.
   * @returns false when another path has it or had it
   */
  change(path: string, id: string): boolean;
  /** Takes note that a path led nowhere any more, as another program removed its file. */
  lost(path: string): void;
}
