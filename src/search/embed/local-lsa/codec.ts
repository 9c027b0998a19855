import { promisify } from 'node:util';
import { constants, deflateRawSync, inflateRaw } from 'node:zlib';
import { LecternError } from '../../../errors.ts';
import type { Pacer } from '../../pacer.ts';
import type { LsaModel } from './model.ts';
import { Vocabulary } from './vocabulary.ts';

/**
 * A model as one blob: `LSA3`, uint32 length of what follows, then with the bytes that are frequent in fewer bits
 * (deflate without its search for repetitions, which there are none of), little-endian:
 * uint32 header length · header as JSON · terms as UTF-8, one per line · padding to 4 ·
 * uint32 frequency per term · float32 scale per term · int8 basis, row by row.
 */
const MAGIC = 0x3341534c;
/** The bytes by which {@link isModel} knows a model of this version. */
export const MODEL_MARK_BYTES = 4;
const START = 8;
/** A frequent byte takes one bit at least. */
const MOST_PER_BYTE = 8;
/** With room behind the end, or another piece is made to look for more. */
const ROOM = 64;

const inflated = promisify(inflateRaw);

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
  const tables = padded(4 + head.length + terms.length);
  const plain = new Uint8Array(tables + vocabulary.size * 8 + model.basis.length);
  const view = new DataView(plain.buffer);
  view.setUint32(0, head.length, true);
  plain.set(head, 4);
  plain.set(terms, 4 + head.length);
  vocabulary.frequencies.forEach((frequency, id) => {
    view.setUint32(tables + id * 4, frequency, true);
  });
  model.scales.forEach((scale, id) => {
    view.setFloat32(tables + (vocabulary.size + id) * 4, scale, true);
  });
  plain.set(
    new Uint8Array(model.basis.buffer, model.basis.byteOffset, model.basis.length),
    tables + vocabulary.size * 8,
  );
  const coded = deflateRawSync(plain, { strategy: constants.Z_HUFFMAN_ONLY });
  const blob = new Uint8Array(START + coded.length);
  const start = new DataView(blob.buffer);
  start.setUint32(0, MAGIC, true);
  start.setUint32(4, plain.length, true);
  blob.set(coded, START);
  return blob;
}

/** Terms taken in between two turns of the event loop: about a millisecond. */
const TERMS_PER_TURN = 4096;

/**
 * A large model takes 40 ms, so other work gets its turn in between.
 * @throws LecternError `unavailable` when the bytes are no model of this version
 */
export async function decodeModel(blob: Uint8Array, pacer: Pacer): Promise<LsaModel> {
  const plain = await plainBytes(blob);
  for (const decoding = decode(plain); ; ) {
    const { done, value } = decoding.next();
    if (done) return value;
    if (pacer.due) await pacer.pause();
  }
}

/** Whether these are the first bytes of a model of this version, which says nothing about the others. */
export function isModel(start: Uint8Array): boolean {
  if (start.length < MODEL_MARK_BYTES) return false;
  return new DataView(start.buffer, start.byteOffset).getUint32(0, true) === MAGIC;
}

/** Worked out in another thread, into one piece of memory: pieces put together would take it twice. */
async function plainBytes(blob: Uint8Array): Promise<Uint8Array> {
  if (!isModel(blob) || blob.length < START) throw unreadable();
  const length = new DataView(blob.buffer, blob.byteOffset).getUint32(4, true);
  if (length > blob.length * MOST_PER_BYTE) throw unreadable();
  try {
    return await inflated(blob.subarray(START), { chunkSize: length + ROOM, maxOutputLength: length + ROOM });
  } catch {
    throw unreadable();
  }
}

function* decode(blob: Uint8Array): Generator<undefined, LsaModel> {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  if (blob.length < 4) throw unreadable();
  const headEnd = 4 + view.getUint32(0, true);
  if (headEnd > blob.length) throw unreadable();
  const header = readHeader(blob.subarray(4, headEnd));
  const tables = padded(headEnd + header.termBytes);
  const basisAt = tables + header.terms * 8;
  if (basisAt + header.terms * header.dimensions !== blob.length) throw unreadable();
  // Where it lies: what is before it takes a tenth of the memory.
  const basis = new Int8Array(blob.buffer, blob.byteOffset + basisAt, blob.length - basisAt);
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
