/**
 * What one call may take, stated once. Whatever goes beyond is refused with `too_large` or `timeout` and a next step,
 * and nothing is half done. `docs/guides/limits.md` says the same to owners.
 */

/** Bytes of a note after a write. Notes that are larger already are read, never made longer. */
export const NOTE_BYTES = 16 * 1024 * 1024;

/** Ops of one patch. */
export const PATCH_OPS = 200;

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
