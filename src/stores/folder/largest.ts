/** Largest file of a vault that is read or written, bytes, where nothing else is said. */
export const LARGEST_FILE = 64 * 1024 * 1024;
