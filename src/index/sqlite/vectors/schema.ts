import type { PassageRecord } from '../../vector-index.ts';

/**
 * Passages, vectors and models, beside the tables of schema.ts and under their file ids.
 *
 * `model_data` is apart from `embed_model`, of which a row is written again with every change. `teachers` are the
 * paths a statistical model was learned from, as JSON. A note is embedded with its title, which a store may change without touching the text: vectors are of an `etag` and a
 * `title`. `note_vectors.id` grows with every put (a replaced row gets a new one), so it is also the position up
 * to which a reader has read; what disappears is remembered in `removed_vectors`
 * (a dropped model's rows are not: readers have let go of it as a whole). `note_vectors.data` holds, per
 * passage, a float32 scale and the int8 components; `hashes` eight bytes each; `lengths` the number of terms that a
 * statistical model knows of each. `passages` says where they begin and end, in the text of an `etag`.
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

/** Hexadecimal etags as eight bytes each, and back. */
export function packHashes(hashes: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.from(hashes.join(''), 'hex'));
}

export function unpackHashes(bytes: Uint8Array): string[] {
  const hex = Buffer.from(bytes).toString('hex');
  return Array.from({ length: hex.length / 16 }, (_, at) => hex.slice(at * 16, at * 16 + 16));
}

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

/** Whole numbers from 0 on, each in as many bytes of seven bits as it takes, lowest first. */
export function packNumbers(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

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
 * Passages in their order: how long the list of headings is, the list as JSON (each chain of headings once), then
 * for each passage its distance from the one before, its length, the lines between, and which chain stands above it.
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
