import { type FileHandle, open } from 'node:fs/promises';
import { LecternError } from '../../../errors.ts';
import { brokenModel } from './broken-model.ts';

/** Bytes per element of the types that are read here; others may stand in a file but cannot be read. */
const ELEMENT_BYTES = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I8: 1,
  I32: 4,
  I64: 8,
} as const;

export type ElementType = keyof typeof ELEMENT_BYTES;

export interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Bytes from the start of the data section: [begin, end). */
  readonly begin: number;
  readonly end: number;
}

/** A tensor in memory: a typed view of exactly its bytes, rows one after the other. */
export interface Tensor {
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  readonly data: ArrayBuffer;
}

/** Length of the header: unsigned, 64 bits, little-endian. */
const LENGTH_BYTES = 8;
/** A header with a thousand tensors is about 100 KB. */
const MOST_HEADER_BYTES = 4 * 1024 * 1024;
const MOST_DIMENSIONS = 8;
/** Largest tensor that is read into memory. */
const MOST_TENSOR_BYTES = 2 ** 31;
/** Per read call, so that closing or aborting never waits for gigabytes. */
const READ_BYTES = 16 * 1024 * 1024;

/**
 * An open safetensors file: `u64 length | JSON header | data`. Only the header is read on opening;
 * tensors are read one by one, each into its own buffer, so views are aligned and nothing is copied.
 * The format: https://github.com/huggingface/safetensors#format
 */
export class SafetensorsFile {
  readonly #file: FileHandle;
  readonly #dataStart: number;

  private constructor(
    file: FileHandle,
    dataStart: number,
    readonly tensors: ReadonlyMap<string, TensorEntry>,
  ) {
    this.#file = file;
    this.#dataStart = dataStart;
  }

  /** @throws LecternError `invalid_input` when the file is cut short, or its header is not as the format says */
  static async open(path: string): Promise<SafetensorsFile> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const prefix = Buffer.alloc(LENGTH_BYTES);
      if (size < LENGTH_BYTES) throw brokenModel('The safetensors file is cut short.');
      await readInto(file, prefix, 0);
      const length = prefix.readBigUInt64LE();
      if (length > MOST_HEADER_BYTES) throw brokenModel('The header of the safetensors file is too large.');
      const dataStart = LENGTH_BYTES + Number(length);
      if (dataStart > size) throw brokenModel('The safetensors file is cut short.');
      const header = Buffer.alloc(Number(length));
      await readInto(file, header, LENGTH_BYTES);
      return new SafetensorsFile(file, dataStart, parseSafetensorsHeader(header, size - dataStart));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** @throws LecternError `invalid_input` when there is no such tensor or its type is not read here, `too_large` */
  async read(name: string): Promise<Tensor> {
    const entry = this.tensors.get(name);
    if (!entry) throw brokenModel(`The safetensors file has no tensor ${JSON.stringify(name)}.`);
    const { dtype, shape, begin, end } = entry;
    if (!isElementType(dtype))
      throw brokenModel(`The tensor ${JSON.stringify(name)} has the type ${dtype}, which is not read here.`);
    if (end - begin > MOST_TENSOR_BYTES)
      throw new LecternError('too_large', `The tensor ${JSON.stringify(name)} is larger than 2 GiB.`, {
        next: 'Choose a smaller model.',
      });
    const data = new ArrayBuffer(end - begin);
    await readInto(this.#file, new Uint8Array(data), this.#dataStart + begin);
    return { dtype, shape, data };
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/**
 * The tensors a header lists. Their bytes must fill the data section without gap or overlap.
 * @param dataBytes length of the data section
 * @throws LecternError `invalid_input`
 */
export function parseSafetensorsHeader(header: Uint8Array, dataBytes: number): Map<string, TensorEntry> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(header));
  } catch (error) {
    throw brokenModel('The header of the safetensors file is not JSON.', error);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw brokenModel('The header of the safetensors file is no object.');
  const tensors = new Map<string, TensorEntry>();
  for (const [name, value] of Object.entries(json))
    if (name !== '__metadata__') tensors.set(name, tensorEntry(name, value));
  let filled = 0;
  for (const { begin, end } of [...tensors.values()].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== filled) throw brokenModel('Tensors of the safetensors file overlap or leave gaps.');
    filled = end;
  }
  if (filled !== dataBytes)
    throw brokenModel('The safetensors file is cut short or has more data than tensors.');
  return tensors;
}

function tensorEntry(name: string, value: unknown): TensorEntry {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>;
  const wrong = () =>
    brokenModel(`The safetensors file describes the tensor ${JSON.stringify(name)} wrongly.`);
  if (typeof dtype !== 'string' || !areSizes(shape) || shape.length > MOST_DIMENSIONS) throw wrong();
  if (!areSizes(offsets) || offsets.length !== 2) throw wrong();
  const [begin = 0, end = 0] = offsets;
  if (end < begin) throw wrong();
  const elements = shape.reduce((product, size) => product * size, 1);
  if (isElementType(dtype) && elements * ELEMENT_BYTES[dtype] !== end - begin) throw wrong();
  return { dtype, shape, begin, end };
}

function areSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);
}

function isElementType(dtype: string): dtype is ElementType {
  return Object.hasOwn(ELEMENT_BYTES, dtype);
}

async function readInto(file: FileHandle, target: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const length = Math.min(READ_BYTES, target.length - done);
    const { bytesRead } = await file.read(target, done, length, position + done);
    if (bytesRead === 0) throw brokenModel('The safetensors file is cut short.');
    done += bytesRead;
  }
}
