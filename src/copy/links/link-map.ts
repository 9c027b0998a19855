import type { FileLookup } from '../../notes/links/resolve.ts';
import type { Dialect } from '../../notes/model.ts';
import type { Splice } from '../../notes/splice.ts';

/** The source or the destination of a copy, for link resolution. */
export interface LinkedHome {
  /** Links between notes are by id, as in Joplin. */
  readonly byId: boolean;
  readonly dialect: Dialect;
  readonly files: FileLookup;
}

/** The path and id of a copied file at the destination. */
export interface Target {
  readonly path: string;
  /** Undefined when the destination has no ids. */
  readonly id: string | undefined;
}

export interface LinkMap {
  readonly from: LinkedHome;
  readonly to: LinkedHome;
  /** The destination of a file of the source; undefined when it is not copied. */
  target(path: string): Target | undefined;
}

/** The path of a note at the source and at the destination. */
export interface NotePlaces {
  readonly from: string;
  readonly to: string;
}

/** The edit that rewrites one link. */
export interface Rewrite {
  readonly splices: readonly Splice[];
  /** Offset of the new address in the first inserted text, UTF-16 code units. */
  readonly at: number;
  /** The file that the new link must lead to. */
  readonly leads: Target;
  /** A copy back would spell the link differently from the original. */
  readonly respelled: boolean;
}
