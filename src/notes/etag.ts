import xxhash from 'xxhash-wasm';
import { canonicalJson } from '../canonical-json.ts';

// Compiled once while the module loads, so that hashing itself is synchronous everywhere.
const { h64Raw } = await xxhash();

const encoder = new TextEncoder();

/**
 * The version of a file: 16 lower-case hex digits of xxHash64 over its stored bytes.
 *
 * @param facts what the store keeps of the file beside its bytes: another value is another version. Its hash is the
 *   seed, which is 0 where there are none
 */
export function etagOf(bytes: Uint8Array, facts?: object): string {
  const seed = facts === undefined ? 0n : h64Raw(encoder.encode(canonicalJson(facts)));
  return h64Raw(bytes, seed).toString(16).padStart(16, '0');
}
