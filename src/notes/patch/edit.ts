import type { Dialect, Heading, Link, ParsedNote, Span } from '../model.ts';
import type { Splice } from '../splice.ts';
import type { Eol } from '../text.ts';

/** The note as one op finds it: after the earlier ops of the same call. */
export interface NoteInEdit {
  readonly text: string;
  readonly dialect: Dialect;
  /** The note's own line ending, as it was before the call. */
  readonly eol: Eol;
  /** Parsed on first use. */
  readonly parsed: ParsedNote;
  /** The current offset of a line of the original note; undefined when it was replaced. */
  startOfOriginalLine(line: number): number | undefined;
  /** Charges the work of changing this many places, before it is done. @throws TooMuchWork */
  willChange(places: number): void;
  /** True for a link to this very note, with or without its name. */
  isSelfLink(link: Link): boolean;
}

/** A heading's new name, for updating links in other notes (see `renamedSubpath`). */
export interface RenamedHeading {
  readonly from: string;
  readonly to: string;
  readonly level: number;
  /** 1-based line in the note as the op found it. */
  readonly line: number;
  /** 1-based number among the headings with that text. Links by the text alone refer to the first. */
  readonly occurrence: number;
  /** Number of links in this note that were rewritten with it. */
  readonly links: number;
  /** All headings as the op found them, and the renamed one's index among them. */
  readonly outline: readonly Heading[];
  readonly index: number;
}

/** The edit of an op. */
export interface Edit {
  /** Variants of the edit, best first. A later one is used when an earlier one fails a check. */
  readonly attempts: readonly (readonly Splice[])[];
  /** The edit inserts Markdown that must not affect its surroundings (see `structure.ts`). */
  readonly contained: boolean;
  /**
   * Later attempts add blank lines; they are also used when an earlier one joins separate blocks (see
   * `joining.ts`).
   */
  readonly parted?: boolean;
  /** Checks the result of a variant and returns a clause about a problem, if any. */
  readonly problemIn?: (after: ParsedNote, splices: readonly Splice[]) => string | undefined;
  /** The next step for the caller when every variant has a problem. */
  readonly next?: string;
  readonly renamed?: RenamedHeading;
  readonly replaced?: Occurrences;
}

/** The number of replaced occurrences of a text, and the spans of the remaining ones. */
export interface Occurrences {
  readonly count: number;
  readonly left: readonly Span[];
}

/** An edit that is correct by construction, or literally requested by the caller. */
export function exactly(splices: readonly Splice[]): Edit {
  return { attempts: [splices], contained: false };
}

/** An edit that inserts Markdown, with variants that add blank lines around it. */
export function contained(attempts: readonly (readonly Splice[])[]): Edit {
  return { attempts, contained: true, parted: true };
}
