import type { PassageRecord } from '../../vector-index.ts';

/**
 * The tables of passages, vectors and models. They are in the same file as those of schema.ts and use its file
 * ids.
 *
 * `model_data` is separate from `embed_model`, whose rows are rewritten with every change. `teachers` is a JSON
 * array of the paths that a statistical model was trained on. A note is embedded with its title, which a store
 * may change without the text, so vectors are valid for an `etag` and a `title`. `note_vectors.id` increases
 * with every put (a replaced row gets a new id), so it is also a reader's position; deleted rows are recorded
 * in `removed_vectors`, except those of a dropped model, which readers discard as a whole. `note_vectors.data`
 * has per passage a float32 scale (little-endian) and the int8 components; `hashes` has eight bytes per
 * passage; `lengths` the number of terms per passage that a statistical model knows. `passages` has the offsets
 * of passages in the text of an `etag`.
 */
export const VECTOR_SCHEMA = `
CREATE TABLE IF NOT EXISTS embed_model (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  state TEXT NOT NULL,
  passages INTEGER NOT NULL,
  changed INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS model_data (
  model INTEGER PRIMARY KEY REFERENCES embed_model (number) ON DELETE CASCADE,
  data BLOB NOT NULL,
  teachers TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS passages (
  note INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  etag TEXT NOT NULL,
  data BLOB NOT NULL
);

CREATE TABLE IF NOT EXISTS note_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  note INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  model INTEGER NOT NULL REFERENCES embed_model (number) ON DELETE CASCADE,
  etag TEXT NOT NULL,
  title TEXT NOT NULL,
  count INTEGER NOT NULL,
  data BLOB NOT NULL,
  hashes BLOB NOT NULL,
  lengths BLOB,
  UNIQUE (note, model)
);
CREATE INDEX IF NOT EXISTS note_vectors_model ON note_vectors (model);

CREATE TABLE IF NOT EXISTS removed_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  note INTEGER NOT NULL,
  model INTEGER NOT NULL
);
CREATE TRIGGER IF NOT EXISTS note_vectors_removed AFTER DELETE ON note_vectors
WHEN (SELECT state FROM embed_model WHERE number = old.model) <> 'dropped' BEGIN
  INSERT INTO removed_vectors (note, model) VALUES (old.note, old.model);
END;

CREATE TABLE IF NOT EXISTS embed_claim (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  owner TEXT NOT NULL,
  until REAL NOT NULL
);
`;

/** Packs etags of 16 hexadecimal digits as eight bytes each. */
export function packHashes(hashes: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.from(hashes.join(''), 'hex'));
}

/** The inverse of {@link packHashes}. */
export function unpackHashes(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex');
  return Array.from({ length: hex.length / 16 }, (_, at) => hex.slice(at * 16, at * 16 + 16));
}

/** Packs vectors: per passage a little-endian float32 scale, then `dimensions` int8 components. */
export function packVectors(dimensions: number, bytes: Int8Array, scales: Float32Array): Uint8Array {
  const packed = new Uint8Array(scales.length * (4 + dimensions));
  const view = new DataView(packed.buffer);
  scales.forEach((scale, seq) => {
    const at = seq * (4 + dimensions);
    view.setFloat32(at, scale, true);
    const row = bytes.subarray(seq * dimensions, (seq + 1) * dimensions);
    packed.set(new Uint8Array(row.buffer, row.byteOffset, row.length), at + 4);
  });
  return packed;
}

/** The inverse of {@link packVectors}. */
export function unpackVectors(
  dimensions: number,
  packed: Uint8Array,
): { count: number; bytes: Int8Array; scales: Float32Array } {
  const count = Math.floor(packed.length / (4 + dimensions));
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const bytes = new Int8Array(count * dimensions);
  const scales = new Float32Array(count);
  const signed = new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let seq = 0; seq < count; seq += 1) {
    const at = seq * (4 + dimensions);
    scales[seq] = view.getFloat32(at, true);
    bytes.set(signed.subarray(at + 4, at + 4 + dimensions), seq * dimensions);
  }
  return { count, bytes, scales };
}

/**
 * Packs non-negative integers as varints: seven bits per byte, lowest first; all bytes except the last have the
 * high bit set.
 */
export function packNumbers(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

/** The inverse of {@link packNumbers}. */
export function unpackNumbers(packed: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  let factor = 1;
  for (const byte of packed) {
    number += (byte & 0x7f) * factor;
    factor *= 0x80;
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
    factor = 1;
  }
  return numbers;
}

/**
 * Packs passages, which are in source order: the length in bytes of a JSON array of all heading chains, the
 * array, then per passage four varints: the distance from the previous passage's end, its length (both in
 * UTF-16 code units), the number of lines from the previous one, and the index of its heading chain.
 */
export function packPassages(passages: readonly PassageRecord[]): Uint8Array {
  const chains: (readonly string[])[] = [];
  const known = new Map<string, number>();
  const numbers: number[] = [];
  let [end, line] = [0, 0];
  for (const passage of passages) {
    const key = JSON.stringify(passage.headings);
    let chain = known.get(key);
    if (chain === undefined) {
      chain = chains.push(passage.headings) - 1;
      known.set(key, chain);
    }
    numbers.push(passage.start - end, passage.end - passage.start, passage.line - line, chain);
    ({ end, line } = passage);
  }
  const headings = Buffer.from(JSON.stringify(chains));
  return Buffer.concat([packNumbers([headings.length]), headings, packNumbers(numbers)]);
}

/** The inverse of {@link packPassages}. */
export function unpackPassages(packed: Uint8Array): PassageRecord[] {
  const lengthEnd = packed.findIndex((byte) => byte < 0x80) + 1;
  const [headingBytes = 0] = unpackNumbers(packed.subarray(0, lengthEnd));
  const numbersAt = lengthEnd + headingBytes;
  const chains = JSON.parse(Buffer.from(packed.subarray(lengthEnd, numbersAt)).toString()) as string[][];
  const numbers = unpackNumbers(packed.subarray(numbersAt));
  const passages: PassageRecord[] = [];
  let [end, line] = [0, 0];
  for (let at = 0; at < numbers.length; at += 4) {
    const [gap = 0, length = 0, lines = 0, chain = 0] = numbers.slice(at, at + 4);
    const start = end + gap;
    end = start + length;
    line += lines;
    passages.push({ start, end, line, headings: chains[chain] ?? [] });
  }
  return passages;
}
