import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { PlannedStep } from '../journal.ts';

/** Replaced bytes, as stored. */
export interface Packed {
  readonly deflated: boolean;
  readonly bytes: Uint8Array;
}

/**
 * Smaller blobs, bytes, are not deflated: it would save little space and take most of the time of a large move.
 */
const MIN_DEFLATED_BYTES = 4096;

/** Blobs packed at once; more would only queue in the thread pool. */
const PACKED_AT_ONCE = 8;

/** Deflates a blob in the thread pool, unless it is small. */
async function pack(bytes: Uint8Array): Promise<Packed> {
  if (bytes.length < MIN_DEFLATED_BYTES) return { deflated: false, bytes };
  return new Promise((resolve, reject) =>
    deflateRaw(bytes, { level: 1 }, (error, deflated) =>
      error ? reject(error) : resolve({ deflated: true, bytes: deflated }),
    ),
  );
}

/** The original bytes of a stored blob. */
export function unpack(bytes: Uint8Array, deflated: boolean): Uint8Array {
  return new Uint8Array(deflated ? inflateRawSync(bytes) : bytes);
}

/** The replaced bytes of each step in stored form; undefined for a step that replaces none. */
export async function packAll(steps: readonly PlannedStep[]): Promise<(Packed | undefined)[]> {
  const packed: (Packed | undefined)[] = [];
  for (let from = 0; from < steps.length; from += PACKED_AT_ONCE) {
    const slice = steps.slice(from, from + PACKED_AT_ONCE);
    packed.push(...(await Promise.all(slice.map(({ before }) => before && pack(before)))));
  }
  return packed;
}
