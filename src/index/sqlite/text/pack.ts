import { PACK_MODULE } from './pack.wasm.ts';

/**
 * Compresses short texts with a dictionary, in the manner of LZ4: literal bytes, and copies of at least four
 * bytes from up to 64 KB before, where the dictionary is. Without entropy coding decompression is six times as
 * fast as inflate; the result is as small, as most words of a note are in the dictionary.
 *
 * A packed text is its length in bytes as a varint (seven bits per byte, lowest first), then sequences. A
 * sequence is one byte with the number of literals in the upper half and the number of copied bytes minus four
 * in the lower half (15: bytes to add follow, up to the first below 255), the literals, and the distance in two
 * bytes, lowest first. The last sequence ends after its literals.
 */

/** Longest dictionary, bytes. The start of a longer one would be out of reach of a two-byte distance. */
export const DICTIONARY_LIMIT = 60 * 1024;

/** Shorter texts do not become smaller, bytes. */
const MIN_BYTES = 16;
const PAGE = 65_536;
/** Bytes that may be read and written beyond a range, as pack.wat works on eight bytes at a time. */
const SLACK = 16;
/** Size of the hash table of pack.wat: four bytes per hash. */
const HEADS_BYTES = 4 * 2 ** 15;
/** Memory above this size, bytes, is released after a large text. */
const KEPT_BYTES = 1024 * 1024;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  index(end: number, heads: number, before: number): void;
  pack(start: number, end: number, out: number, limit: number, heads: number, before: number): number;
  unpack(from: number, fromEnd: number, to: number, toEnd: number): number;
}

/** The part of the WebAssembly API used here, which the ECMAScript type library lacks. */
interface Runtime {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

const runtime = (globalThis as unknown as { readonly WebAssembly: Runtime }).WebAssembly;
let compiled: object | undefined;

/** The memory of a module instance with the dictionary at address 0; growing it replaces `bytes`. */
class Memory {
  readonly module: Exports;
  bytes: Uint8Array;

  constructor(dictionary: Uint8Array) {
    if (dictionary.length > DICTIONARY_LIMIT) throw new RangeError('The dictionary is too large.');
    compiled ??= new runtime.Module(Buffer.from(PACK_MODULE, 'base64'));
    this.module = new runtime.Instance(compiled).exports;
    this.bytes = new Uint8Array(this.module.memory.buffer);
    this.reserve(dictionary.length);
    this.bytes.set(dictionary);
  }

  reserve(bytes: number): void {
    const missing = bytes + SLACK - this.bytes.length;
    if (missing <= 0) return;
    this.module.memory.grow(Math.ceil(missing / PAGE));
    this.bytes = new Uint8Array(this.module.memory.buffer);
  }
}

/** Packs texts with one dictionary. */
export class Packer {
  readonly #dictionary: Uint8Array;
  #room: Room | undefined;

  constructor(dictionary: Uint8Array) {
    this.#dictionary = dictionary;
  }

  /** Packs a text. @returns undefined when it would not become smaller */
  pack(text: Uint8Array): Uint8Array | undefined {
    if (text.length < MIN_BYTES) return undefined;
    const start = this.#dictionary.length;
    if (this.#room === undefined || this.#room.capacity < text.length)
      this.#room = roomFor(this.#dictionary, text.length);
    const { memory, heads, dictionaryHeads, before, out } = this.#room;
    memory.bytes.set(text, start);
    memory.bytes.set(dictionaryHeads, heads);
    const limit = out + text.length - varintLength(text.length);
    const end = memory.module.pack(start, start + text.length, out, limit, heads, before);
    const packed = end === 0 ? undefined : withLength(text.length, memory.bytes.subarray(out, end));
    if (this.#room.capacity > KEPT_BYTES) this.#room = undefined;
    return packed;
  }
}

/** Addresses in a packer's memory, after the dictionary and the text. */
interface Room {
  readonly memory: Memory;
  /** Longest text, bytes. */
  readonly capacity: number;
  readonly heads: number;
  /** The hash table after the dictionary, before any text. */
  readonly dictionaryHeads: Uint8Array;
  readonly before: number;
  readonly out: number;
}

function roomFor(dictionary: Uint8Array, length: number): Room {
  const memory = new Memory(dictionary);
  const capacity = Math.max(32 * 1024, 2 * length);
  const end = dictionary.length + capacity;
  const heads = aligned(end + SLACK);
  const before = heads + HEADS_BYTES;
  const out = before + 4 * end;
  memory.reserve(out + capacity);
  memory.module.index(dictionary.length, heads, before);
  return { memory, capacity, heads, dictionaryHeads: memory.bytes.slice(heads, before), before, out };
}

/** Unpacks texts that a {@link Packer} with the same dictionary has packed. */
export class Unpacker {
  readonly #dictionary: Uint8Array;
  #memory: Memory | undefined;

  constructor(dictionary: Uint8Array) {
    this.#dictionary = dictionary;
  }

  /**
   * Unpacks a text.
   *
   * @returns the text, in memory that the next call overwrites
   * @throws RangeError for bytes that were not packed with this dictionary
   */
  unpack(packed: Uint8Array): Uint8Array {
    const { length, behind } = readVarint(packed);
    const start = this.#dictionary.length;
    const end = start + length;
    const from = aligned(end + SLACK);
    this.#memory ??= new Memory(this.#dictionary);
    const memory = this.#memory;
    memory.reserve(from + packed.length);
    memory.bytes.set(packed, from);
    const written = memory.module.unpack(from + behind, from + packed.length, start, end);
    if (memory.bytes.length > KEPT_BYTES) this.#memory = undefined;
    if (written !== end) throw damaged();
    return memory.bytes.subarray(start, end);
  }
}

function withLength(length: number, sequences: Uint8Array): Uint8Array {
  const lengthBytes = varintLength(length);
  const packed = new Uint8Array(lengthBytes + sequences.length);
  let rest = length;
  for (let at = 0; at < lengthBytes; at += 1, rest >>>= 7)
    packed[at] = (rest & 0x7f) | (at < lengthBytes - 1 ? 0x80 : 0);
  packed.set(sequences, lengthBytes);
  return packed;
}

function varintLength(value: number): number {
  return value === 0 ? 1 : Math.ceil((32 - Math.clz32(value)) / 7);
}

function readVarint(bytes: Uint8Array): { readonly length: number; readonly behind: number } {
  let length = 0;
  for (let at = 0; at < 5; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { length, behind: at + 1 };
  }
  throw damaged();
}

function damaged(): RangeError {
  return new RangeError('A text in the index cannot be unpacked.');
}

function aligned(address: number): number {
  return (address + 15) & ~15;
}
