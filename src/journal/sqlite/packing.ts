import { deflateRaw, inflateRawSync } from 'node:zlib';

/** Bytes that are replaced, as they are kept. */
export interface Packed {
  readonly deflated: boolean;
  readonly bytes: Uint8Array;
}

/** About a page of the database: below it deflating saves little room and takes most of the time of a large move. */
const WORTH_DEFLATING = 4096;

/** Deflates in the thread pool what is worth it. */
export async function pack(bytes: Uint8Array): Promise<Packed> {
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
