import type { IdKind } from '../journal/note-ids.ts';

/** Those of Joplin, which its search language asks for. */
export const JOPLIN_IDS: IdKind & Pick<IdScheme, 'ofStore'> = {
  name: 'joplin',
  reusable: false,
  ofStore: 'joplin',
};

/** How ids of a kind are made for what has none yet. */
export interface IdScheme extends IdKind {
  /**
   * Made of names that people gave. That one is taken would tell of a note that has it, so callers who see other notes
   * have ids of their own.
   */
  readonly readable?: boolean;
  /** A kind of store whose own ids these are: there none are made. */
  readonly ofStore?: string;
  /** @param attempt rises from 0 as long as what it made is another one's id */
  make(path: string, attempt: number): string;
}

/**
 * The ids of one kind as a caller may know them. Notes that the caller does not see have none. Folders are known by
 * what is seen in them: whoever asks about one says so itself, and checks what an id of one leads to.
 */
export interface SessionIds {
  /** Ids of these notes and folders, made where there are none. Paths are exact, those of folders without a slash at the end. */
  of(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The note that is there under this id, or the folder that has it. */
  pathOf(id: string): Promise<string | undefined>;
  /**
   * Gives a note another id.
   * @returns false when it is another one's
   */
  change(path: string, id: string): Promise<boolean>;
  /** What has been at one path is at another from now on: its id is that one's, unless that one has an id already. */
  inherit(from: string, to: string): void;
}
