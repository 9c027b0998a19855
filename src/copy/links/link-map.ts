import type { FileLookup } from '../../notes/links/resolve.ts';
import type { Dialect } from '../../notes/model.ts';
import type { Splice } from '../../notes/splice.ts';

/** One end of a copy, as links see it. */
export interface LinkedHome {
  /** Links between notes are written by id, as in Joplin. */
  readonly byId: boolean;
  readonly dialect: Dialect;
  readonly files: FileLookup;
}

/** Where a file of the source goes. */
export interface Target {
  readonly path: string;
  /** Where links are by id. */
  readonly id: string | undefined;
}

export interface LinkMap {
  readonly from: LinkedHome;
  readonly to: LinkedHome;
  /** Where a file of the source goes; undefined for what is not carried. */
  target(path: string): Target | undefined;
}

/** Where a note lies at both ends. */
export interface NotePlaces {
  readonly from: string;
  readonly to: string;
}

/** One link that is written anew. */
export interface Rewrite {
  readonly splices: readonly Splice[];
  /** The offset, in the insert of the first splice, at which the new address stands. */
  readonly at: number;
  /** The path and the id of what the new link has to lead to. */
  readonly leads: Target;
  /** A way back would write it another way than it was. */
  readonly respelled: boolean;
}
