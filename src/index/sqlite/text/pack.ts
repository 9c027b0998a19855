import { PACK_MODULE } from './pack.wasm.ts';

/**
 * Packs a short text by what it has in common with a dictionary, in the manner of LZ4: runs of bytes as they are and
 * copies of four bytes and more from up to 64 KB before, which is where the dictionary lies. There is no entropy
 * coding, so a text is unpacked six times as fast as by inflate, and as most words of a note stand in the dictionary
 * it still becomes as small.
 *
 * A packed text is its length as a varint, then sequences: a byte with the number of literals in its upper half and
 * that of copied bytes less four in its lower half (15: bytes to be added follow, up to one below 255), the literals,
 * and the distance in two bytes, lowest first. The last sequence ends with its literals.
 */

/** Longer ones would push their own beginning out of the reach of two bytes at once. */
export const DICTIONARY_LIMIT = 60 * 1024;

/** Shorter texts have nothing to gain. */
const LEAST_BYTES = 16;
const PAGE = 65_536;
/** Read and written behind what is asked for, eight bytes at a time. */
const SLACK = 16;
/** One for each value of the hash in pack.wat, four bytes each. */
const HEADS_BYTES = 4 * 2 ** 15;
/** Memory that a large text has taken is given back after it. */
const KEPT_BYTES = 1024 * 1024;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  index(end: number, heads: number, before: number): void;
  pack(start: number, end: number, out: number, limit: number, heads: number, before: number): number;
  unpack(from: number, fromEnd: number, to: number, toEnd: number): number;
}

/** The part of WebAssembly used here; the type library for plain ECMAScript has none of it. */
interface Runtime {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

const runtime = (globalThis as unknown as { readonly WebAssembly: Runtime }).WebAssembly;
let compiled: object | undefined;

/** Memory of a module with the dictionary at its beginning; views over it are made anew after each growth. */
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

  /** @returns undefined when it would not become smaller */
  pack(text: Uint8Array): Uint8Array | undefined {
    if (text.length < LEAST_BYTES) return undefined;
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

/** Where things lie in the memory of a packer, behind the dictionary and the text. */
interface Room {
  readonly memory: Memory;
  /** Of a text. */
  readonly capacity: number;
  readonly heads: number;
  /** As they are before any text. */
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

/** Unpacks what a {@link Packer} with the same dictionary has packed. */
export class Unpacker {
  readonly #dictionary: Uint8Array;
  #memory: Memory | undefined;

  constructor(dictionary: Uint8Array) {
    this.#dictionary = dictionary;
  }

  /**
   * @returns the text, in memory that the next call writes over
   * @throws RangeError for what was not packed with this dictionary
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
