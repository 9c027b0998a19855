/**
 * Limits of one call. Anything beyond is refused with `too_large` or `timeout` and a next step, and nothing
 * is half done. `docs/guides/limits.md` documents them for owners.
 */

/** Bytes of a note after a write. Notes that are larger already are read, never extended. */
export const NOTE_BYTES = 16 * 1024 * 1024;

/** Bytes of a canvas, read or written. */
export const CANVAS_BYTES = 20 * 1024 * 1024;

/** Characters of the nodes on one page of a canvas, and of their edges, as JSON; a single node may exceed it. */
export const CANVAS_PAGE = 20_000;

/**
 * Characters of text in the arguments of a call that only reads, and of one that writes: a note and the text
 * it replaces.
 */
export const READ_CHARACTERS = 100_000;
export const WRITE_CHARACTERS = 2 * NOTE_BYTES;
/** Characters of a path, a tag, a heading or similar. */
export const NAME_CHARACTERS = 4096;
/** Segments of a path, the file name included: every folder may have to be created. */
export const PATH_LEVELS = 100;
/** Values in the arguments of a call, and their nesting depth. */
export const INPUT_VALUES = 20_000;
export const INPUT_DEPTH = 64;
/** Properties that one call sets. */
export const PROPERTIES_PER_CALL = 200;

/** Ops of one patch. */
export const PATCH_OPS = 200;

/** Bytes of note text that one write holds in memory, old and new together. */
export const PLAN_BYTES = 512 * 1024 * 1024;

/** Headings of one note whose text changes because of links in them. */
export const HEADINGS_PER_NOTE = 100;

/** Ops of one patch of a canvas. */
export const CANVAS_OPS = 200;

/** Places of one note that one call may change. */
export const PLACES_PER_NOTE = 100_000;

/** Text parsed on the server's thread, in characters: about 20 ms of work. More is done in a worker thread. */
export const WORK_HERE = 100_000;

/** Time for reading or editing one note in that thread, ms. */
export const NOTE_WORK_MS = 30_000;

/** Memory of that thread, MiB: fifteen times the need of the largest notes people write. */
export const NOTE_WORK_MEGABYTES = 512;

/** Time for a call, ms, unless its operation or the door sets another one. */
export const CALL_MS = 60_000;
/** For operations that may read every note, or change many. */
export const LONG_CALL_MS = 10 * 60_000;
/** For rebuilding the whole index; the rebuild continues when the caller has gone. */
export const REINDEX_MS = 60 * 60_000;
/** Time, ms, for a timed-out call to report whether it had begun to change something. */
export const CALL_GRACE_MS = 2000;
