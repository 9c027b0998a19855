import type { Dialect, Heading, Link, ParsedNote, Span } from '../model.ts';
import type { Splice } from '../splice.ts';
import type { Eol } from '../text.ts';

/** The note as one op finds it: after the ops before it in the same call. */
export interface NoteInEdit {
  readonly text: string;
  readonly dialect: Dialect;
  /** The note's own line ending, as it was before the call. */
  readonly eol: Eol;
  /** Parsed on first use. */
  readonly parsed: ParsedNote;
  /** The offset at which a line of the note as it was before the call starts now; undefined when it was replaced. */
  startOfOriginalLine(line: number): number | undefined;
  /** Counted before much is made of them. @throws TooMuchWork */
  willChange(places: number): void;
  /** True for a link to this very note, with or without its name. */
  isSelfLink(link: Link): boolean;
}

/** A heading's new name, for whoever keeps the links of other notes (see `renamedSubpath`). */
export interface RenamedHeading {
  readonly from: string;
  readonly to: string;
  readonly level: number;
  /** 1-based line in the note as the op found it. */
  readonly line: number;
  /** Which of the headings with that text it is, from 1. Links by that text alone name the first. */
  readonly occurrence: number;
  /** Links in this note that were rewritten with it. */
  readonly links: number;
  /** All headings as the op found them, and the renamed one's place among them. */
  readonly outline: readonly Heading[];
  readonly index: number;
}

/** What an op wants done. */
export interface Edit {
  /** Ways to write the edit, best first. A later one is taken when an earlier one would do harm. */
  readonly attempts: readonly (readonly Splice[])[];
  /** The edit inserts Markdown that must stay in its place (see `structure.ts`). */
  readonly contained: boolean;
  /** A later attempt keeps more distance: taken, too, when an earlier one joins what nobody meant to join (see `joining.ts`). */
  readonly parted?: boolean;
  /** Looks at the result of an attempt and says in a clause what is wrong with it, if anything. */
  readonly problemIn?: (after: ParsedNote, splices: readonly Splice[]) => string | undefined;
  /** What the caller should do when every attempt has a problem. */
  readonly next?: string;
  readonly renamed?: RenamedHeading;
  readonly replaced?: Occurrences;
}

/** A text that was asked to be replaced: how often it is, and where it stays. */
export interface Occurrences {
  readonly count: number;
  readonly left: readonly Span[];
}

/** An edit that is right by construction, or that the caller asked for literally. */
export function exactly(splices: readonly Splice[]): Edit {
  return { attempts: [splices], contained: false };
}

/** An edit that inserts Markdown, with fallbacks that keep more distance from what stands around. */
export function contained(attempts: readonly (readonly Splice[])[]): Edit {
  return { attempts, contained: true, parted: true };
}
