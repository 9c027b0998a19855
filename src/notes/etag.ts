import xxhash from 'xxhash-wasm';
import { canonicalJson } from '../canonical-json.ts';

// Compiled once at module load, so that hashing is synchronous.
const { h64Raw } = await xxhash();

const encoder = new TextEncoder();

/**
 * The version of a file: 16 lower-case hex digits of xxHash64 over its stored bytes.
 *
 * @param facts the facts the store keeps beside the bytes: a changed fact is another version. Their hash is
 *   the seed, which is 0 without facts
 */
export function etagOf(bytes: Uint8Array, facts?: object): string {
  const seed = facts === undefined ? 0n : h64Raw(encoder.encode(canonicalJson(facts)));
  return h64Raw(bytes, seed).toString(16).padStart(16, '0');
}
