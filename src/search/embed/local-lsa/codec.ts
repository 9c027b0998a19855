import { LecternError } from '../../../errors.ts';
import type { Pacer } from '../../pacer.ts';
import type { LsaModel } from './model.ts';
import { type TermCounts, Vocabulary } from './vocabulary.ts';

/**
 * A model as one blob, little-endian:
 * `LSA1` · uint32 header length · header as JSON · terms as UTF-8, one per line · padding to 4 ·
 * uint32 frequency per term · float32 scale per term · int8 basis, row by row.
 */
const MAGIC = 0x3141534c;

interface Header {
  readonly terms: number;
  readonly termBytes: number;
  readonly passages: number;
  readonly dimensions: number;
  readonly averageLength: number;
}

export function encodeModel(model: LsaModel): Uint8Array<ArrayBuffer> {
  const { vocabulary, dimensions, averageLength } = model;
  const terms = new TextEncoder().encode(vocabulary.terms.join('\n'));
  const header: Header = {
    terms: vocabulary.size,
    termBytes: terms.length,
    passages: vocabulary.passages,
    dimensions,
    averageLength,
  };
  const head = new TextEncoder().encode(JSON.stringify(header));
  const tables = padded(8 + head.length + terms.length);
  const blob = new Uint8Array(tables + vocabulary.size * 8 + model.basis.length);
  const view = new DataView(blob.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, head.length, true);
  blob.set(head, 8);
  blob.set(terms, 8 + head.length);
  vocabulary.frequencies.forEach((frequency, id) => {
    view.setUint32(tables + id * 4, frequency, true);
  });
  model.scales.forEach((scale, id) => {
    view.setFloat32(tables + (vocabulary.size + id) * 4, scale, true);
  });
  blob.set(
    new Uint8Array(model.basis.buffer, model.basis.byteOffset, model.basis.length),
    tables + vocabulary.size * 8,
  );
  return blob;
}

/** Terms taken in between two turns of the event loop: about a millisecond. */
const TERMS_PER_TURN = 4096;

/**
 * A large model takes 40 ms, so other work gets its turn in between.
 * @throws LecternError `unavailable` when the bytes are no model of this version
 */
export async function decodeModel(blob: Uint8Array, pacer: Pacer): Promise<LsaModel> {
  // Reading the megabytes of a blob has used up this turn.
  await pacer.pause();
  for (const decoding = decode(blob); ; ) {
    const { done, value } = decoding.next();
    if (done) return value;
    if (pacer.due) await pacer.pause();
  }
}

function* decode(blob: Uint8Array): Generator<undefined, LsaModel> {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  if (blob.length < 8 || view.getUint32(0, true) !== MAGIC) throw unreadable();
  const headEnd = 8 + view.getUint32(4, true);
  if (headEnd > blob.length) throw unreadable();
  const header = readHeader(blob.subarray(8, headEnd));
  const tables = padded(headEnd + header.termBytes);
  const basisAt = tables + header.terms * 8;
  if (basisAt + header.terms * header.dimensions !== blob.length) throw unreadable();
  const basis = new Int8Array(blob.slice(basisAt).buffer);
  yield;
  const text = new TextDecoder().decode(blob.subarray(headEnd, headEnd + header.termBytes));
  const terms = header.terms === 0 ? [] : text.split('\n');
  if (terms.length !== header.terms) throw unreadable();
  yield;
  const frequencies = new Uint32Array(header.terms);
  const scales = new Float32Array(header.terms);
  const ids = new Map<string, number>();
  for (const [id, term] of terms.entries()) {
    frequencies[id] = view.getUint32(tables + id * 4, true);
    scales[id] = view.getFloat32(tables + (header.terms + id) * 4, true);
    ids.set(term, id);
    if (id % TERMS_PER_TURN === TERMS_PER_TURN - 1) yield;
  }
  yield;
  return {
    vocabulary: new Vocabulary(terms, frequencies, header.passages, ids),
    dimensions: header.dimensions,
    basis,
    scales,
    averageLength: header.averageLength,
  };
}

function readHeader(bytes: Uint8Array): Header {
  try {
    const header = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Record<keyof Header, unknown>>;
    const { terms, termBytes, passages, dimensions, averageLength } = header;
    const sizes = [terms, termBytes, passages, dimensions];
    if (sizes.every((size) => Number.isSafeInteger(size) && Number(size) >= 0) && Number(averageLength) > 0)
      return header as Header;
  } catch {
    // Not JSON: said below.
  }
  throw unreadable();
}

function padded(offset: number): number {
  return (offset + 3) & ~3;
}

function unreadable(): LecternError {
  return new LecternError('unavailable', 'The stored vector model cannot be read.', {
    next: 'It is learned again from the notes; search lexically until then.',
  });
}

/** Counted terms of one passage: per term the gap to the previous id and the count, both as varints. */
export function encodeTerms({ ids, counts }: TermCounts): Uint8Array {
  const bytes: number[] = [];
  let previous = -1;
  for (let i = 0; i < ids.length; i += 1) {
    const id = ids[i] as number;
    // Most terms stand once: one bit says so and spares the count.
    const count = counts[i] as number;
    putVarint(bytes, (id - previous - 1) * 2 + (count > 1 ? 1 : 0));
    if (count > 1) putVarint(bytes, count);
    previous = id;
  }
  return Uint8Array.from(bytes);
}

export function decodeTerms(bytes: Uint8Array): TermCounts {
  const ids: number[] = [];
  const counts: number[] = [];
  let at = 0;
  let previous = -1;
  const next = (): number => {
    let value = 0;
    for (let shift = 1; at < bytes.length; shift *= 128) {
      const byte = bytes[at] as number;
      at += 1;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const packed = next();
    previous += Math.floor(packed / 2) + 1;
    ids.push(previous);
    counts.push(packed % 2 === 1 ? next() : 1);
  }
  return { ids: Uint32Array.from(ids), counts: Uint16Array.from(counts) };
}

function putVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
