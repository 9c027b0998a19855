import type { IdKind } from '../journal/note-ids.ts';

/** The ids of Joplin, which its search language uses. */
export const JOPLIN_IDS: IdKind & Pick<IdScheme, 'ofStore'> = {
  name: 'joplin',
  reusable: false,
  ofStore: 'joplin',
};

/** How new ids of a kind are made. */
export interface IdScheme extends IdKind {
  /**
   * Derived from names. A taken id would reveal the hidden note that has it, so callers with different views
   * have separate ids.
   */
  readonly readable?: boolean;
  /** A kind of store whose own ids these are: for it no ids are made. */
  readonly ofStore?: string;
  /** @param attempt rises from 0 until the id is free */
  make(path: string, attempt: number): string;
}

/**
 * The ids of one kind as one caller may see them. Notes the caller does not see have none. Folders are
 * identified by the path the caller sees: the caller of this code names a folder as such, and checks where a
 * folder's id leads.
 */
export interface SessionIds {
  /** Ids of these notes and folders, created where missing. Paths are exact, without a trailing slash. */
  of(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The note or folder with this id. */
  pathOf(id: string): Promise<string | undefined>;
  /**
   * Gives a note another id.
   * @returns false when another note has it
   */
  change(path: string, id: string): Promise<boolean>;
  /** Moves an id from one path to another, unless the new path has an id already. */
  inherit(from: string, to: string): void;
}
