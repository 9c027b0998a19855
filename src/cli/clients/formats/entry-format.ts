/** Where the entry of a server stands in a file, in terms of what the file holds. */
export interface EntryPlace {
  /** Names that lead to the servers. */
  readonly keys: readonly [string, ...string[]];
  /** Of the entry. */
  readonly name: string;
  /** The servers are a list whose items say their `name`. */
  readonly isList: boolean;
  /** What a file without anything has to hold besides. */
  readonly fresh: Readonly<Record<string, unknown>>;
}

export type Entry = Readonly<Record<string, unknown>>;

/** What was put into a text, with which the very same bytes can be taken out again. */
export interface Insertion {
  readonly text: string;
  /** A comma had to go in as well: so many characters before the text. */
  readonly comma?: number;
}

export interface EntryEdit {
  readonly text: string;
  /** Undefined when an entry was there and got a new value, or nothing was new. */
  readonly inserted?: Insertion;
}

/**
 * One syntax of settings, and how an entry is put into a text of it and taken out, while every other byte stays.
 * All of them throw a `SyntaxError` for a text that is none, and `CannotEdit` for one that has to be edited by hand.
 */
export interface EntryFormat {
  /** What a text holds; undefined when that is nothing. */
  parse(text: string): unknown;
  /** Puts an entry where none of its name is, or gives the one that is there another value. */
  put(text: string, place: EntryPlace, entry: Entry): EntryEdit;
  /** The text without the entry of that name; where there are several ways to take it out, the tidiest is the first. */
  take(text: string, place: EntryPlace): readonly string[];
}

/** Thrown for files that are well-formed but written in a way that no exact edit reaches. */
export class CannotEdit extends Error {}

export function lineEndingOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
