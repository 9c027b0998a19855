/**
 * What one call may take, stated once. Whatever goes beyond is refused with `too_large` or `timeout` and a next step,
 * and nothing is half done. `docs/guides/limits.md` says the same to owners.
 */

/** Bytes of a note after a write. Notes that are larger already are read, never made longer. */
export const NOTE_BYTES = 16 * 1024 * 1024;

/** Bytes of a canvas after a write, and of one that is read. */
export const CANVAS_BYTES = 20 * 1024 * 1024;

/** Characters of the nodes on one page of a canvas, and of their edges, as JSON; one node alone may have more. */
export const CANVAS_PAGE = 20_000;

/** Text in the arguments of a call that only reads, and of one that writes: a note and what it replaces. */
export const READ_CHARACTERS = 100_000;
export const WRITE_CHARACTERS = 2 * NOTE_BYTES;
/** Characters of a path, a tag, a heading or the like. */
export const NAME_CHARACTERS = 4096;
/** Folders of a path, its last name included: every one of them may have to be made. */
export const PATH_LEVELS = 100;
/** Values in the arguments of a call, and levels they nest. */
export const INPUT_VALUES = 20_000;
export const INPUT_DEPTH = 64;
/** Properties that one call sets. */
export const PROPERTIES_PER_CALL = 200;

/** Ops of one patch. */
export const PATCH_OPS = 200;

/** Text of notes that one write holds, as it was and as it shall be. */
export const PLAN_BYTES = 512 * 1024 * 1024;

/** Headings of one note that change because links in them do. */
export const HEADINGS_PER_NOTE = 100;

/** Ops of one patch of a canvas. */
export const CANVAS_OPS = 200;

/** Places of one note that one call may change. */
export const PLACES_PER_NOTE = 100_000;

/**
 * Work with text that is done in the thread that serves everybody, in characters parsed: some 20 ms of it. More
 * is done in a thread of its own.
 */
export const WORK_HERE = 100_000;

/** Time for reading or editing one note in that thread, ms. */
export const NOTE_WORK_MS = 30_000;

/** Memory of that thread, MiB: fifteen times what the largest note asks for that people write. */
export const NOTE_WORK_MEGABYTES = 512;

/** Time for a call, ms, where neither its operation nor the door says otherwise. */
export const CALL_MS = 60_000;
/** For what may look at every note, or change many. */
export const LONG_CALL_MS = 10 * 60_000;
/** For building the whole index anew; it is built on when nobody waits any more. */
export const REINDEX_MS = 60 * 60_000;
/** How long a call whose time is up may take to say whether it had begun to change something, ms. */
export const CALL_GRACE_MS = 2000;
