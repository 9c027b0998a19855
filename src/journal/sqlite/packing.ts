import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { PlannedStep } from '../journal.ts';

/** Replaced bytes, as stored. */
export interface Packed {
  readonly deflated: boolean;
  readonly bytes: Uint8Array;
}

/** About a page of the database: below it deflating saves little room and takes most of the time of a large move. */
const WORTH_DEFLATING = 4096;

/** Blobs packed at once; more would only queue in the thread pool. */
const PACKED_AT_ONCE = 8;

/** Deflates blobs in the thread pool where that saves room. */
async function pack(bytes: Uint8Array): Promise<Packed> {
  if (bytes.length < WORTH_DEFLATING) return { deflated: false, bytes };
  return new Promise((resolve, reject) =>
    deflateRaw(bytes, { level: 1 }, (error, deflated) =>
      error ? reject(error) : resolve({ deflated: true, bytes: deflated }),
    ),
  );
}

export function unpack(bytes: Uint8Array, deflated: boolean): Uint8Array {
  return new Uint8Array(deflated ? inflateRawSync(bytes) : bytes);
}

/** The replaced bytes of each step. */
export async function packAll(steps: readonly PlannedStep[]): Promise<(Packed | undefined)[]> {
  const packed: (Packed | undefined)[] = [];
  for (let from = 0; from < steps.length; from += PACKED_AT_ONCE) {
    const slice = steps.slice(from, from + PACKED_AT_ONCE);
    packed.push(...(await Promise.all(slice.map(({ before }) => before && pack(before)))));
  }
  return packed;
}
