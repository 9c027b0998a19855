import xxhash from 'xxhash-wasm';

// Compiled once while the module loads, so that hashing itself is synchronous everywhere.
const { h64Raw } = await xxhash();

/** The version of a file: 16 lower-case hex digits of xxHash64 (seed 0) over its stored bytes. */
export function etagOf(bytes: Uint8Array): string {
  return h64Raw(bytes).toString(16).padStart(16, '0');
}
