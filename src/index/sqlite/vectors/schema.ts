/**
 * Passages, vectors and models, beside the tables of schema.ts and under their file ids.
 *
 * `embed_model.teachers` are the paths a statistical model was learned from, as JSON. A note is embedded with its title, which a store may change without touching the text: vectors are of an `etag` and a
 * `title`. `note_vectors.id` grows with every put (a replaced row gets a new one), so it is also the position up
 * to which a reader has read; what disappears is remembered in `removed_vectors`
 * (a dropped model's rows are not: readers have let go of it as a whole). `data` holds, per
 * passage, a float32 scale and the int8 components; `hashes` eight bytes each; `terms` a uint32 length
 * and that many bytes each.
 */
export const VECTOR_SCHEMA = `
CREATE TABLE IF NOT EXISTS embed_model (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  state TEXT NOT NULL,
  passages INTEGER NOT NULL,
  changed INTEGER NOT NULL DEFAULT 0,
  data BLOB,
  teachers TEXT
);

CREATE TABLE IF NOT EXISTS chunk (
  note INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  start INTEGER NOT NULL,
  "end" INTEGER NOT NULL,
  line INTEGER NOT NULL,
  headings TEXT NOT NULL,
  PRIMARY KEY (note, seq)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS note_vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  note INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  model INTEGER NOT NULL REFERENCES embed_model (number) ON DELETE CASCADE,
  etag TEXT NOT NULL,
  title TEXT NOT NULL,
  count INTEGER NOT NULL,
  data BLOB NOT NULL,
  hashes BLOB NOT NULL,
  terms BLOB,
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

export function packTerms(terms: readonly Uint8Array[]): Uint8Array {
  const packed = new Uint8Array(terms.reduce((sum, each) => sum + 4 + each.length, 0));
  const view = new DataView(packed.buffer);
  let at = 0;
  for (const each of terms) {
    view.setUint32(at, each.length, true);
    packed.set(each, at + 4);
    at += 4 + each.length;
  }
  return packed;
}

export function unpackTerms(packed: Uint8Array): Uint8Array[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const terms: Uint8Array[] = [];
  for (let at = 0; at + 4 <= packed.length; ) {
    const end = at + 4 + view.getUint32(at, true);
    terms.push(packed.subarray(at + 4, end));
    at = end;
  }
  return terms;
}
