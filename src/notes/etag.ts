import xxhash from 'xxhash-wasm';

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
  const seed = facts === undefined ? 0n : h64Raw(encoder.encode(canonical(facts)));
  return h64Raw(bytes, seed).toString(16).padStart(16, '0');
}

/** JSON with keys in order, without those that are undefined: equal facts have equal text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
