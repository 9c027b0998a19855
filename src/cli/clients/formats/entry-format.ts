/** The position of a server's entry in a parsed file. */
export interface EntryPlace {
  /** Keys that lead to the servers. */
  readonly keys: readonly [string, ...string[]];
  /** Name of the entry. */
  readonly name: string;
  /** Whether the servers are a list whose items have a `name`. */
  readonly isList: boolean;
  /** Further content of a new file. */
  readonly fresh: Readonly<Record<string, unknown>>;
}

export type Entry = Readonly<Record<string, unknown>>;

/** A piece inserted into a text, by which exactly these bytes can be removed again. */
export interface Insertion {
  readonly text: string;
  /** Set when a comma was inserted as well: its distance before the text, UTF-16 code units. */
  readonly comma?: number;
}

export interface EntryEdit {
  readonly text: string;
  /** undefined when an existing entry was changed or nothing changed. */
  readonly inserted?: Insertion;
}

/**
 * A syntax of settings files, with edits that keep every other byte. All methods throw a `SyntaxError` for a
 * text that is not well-formed; `put` and `take` throw {@link CannotEdit} for one that has to be edited by
 * hand.
 */
export interface EntryFormat {
  /** The value of a text; undefined when it is empty. */
  parse(text: string): unknown;
  /** Inserts an entry, or updates the existing one of its name; keys that others added to it stay. */
  put(text: string, place: EntryPlace, entry: Entry): EntryEdit;
  /**
   * The text without the entry of that name. Several results are alternatives, the tidiest first; none = no
   * entry.
   */
  take(text: string, place: EntryPlace): readonly string[];
}

/** Thrown for a well-formed file in which no exact edit is possible. */
export class CannotEdit extends Error {}

/** CRLF when a text contains one, otherwise LF. */
export function lineEndingOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
