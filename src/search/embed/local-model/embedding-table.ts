import { brokenModel } from './broken-model.ts';
import type { Tensor } from './safetensors.ts';

/** Numbers as the file holds them; 16-bit floats are looked up, so that the table stays half as large. */
interface Values {
  readonly raw: ArrayLike<number>;
  /** The value of each bit pattern; undefined where `raw` holds the values. */
  readonly decoded: Float32Array | undefined;
}

/** The rows of a static model. */
export interface EmbeddingTable {
  readonly rows: number;
  readonly dimensions: number;
  /** Adds `weight × row` to `sum`. */
  add(sum: Float64Array, row: number, weight: number): void;
}

const MOST_DIMENSIONS = 8192;

/** @throws LecternError `invalid_input` when the tensor is no table of numbers */
export function embeddingTable(tensor: Tensor): EmbeddingTable {
  const [rows = 0, dimensions = 0] = tensor.shape;
  if (tensor.shape.length !== 2 || rows === 0 || dimensions === 0 || dimensions > MOST_DIMENSIONS)
    throw brokenModel(`The embeddings have the shape [${tensor.shape.join(', ')}], which is no table.`);
  const { raw, decoded } = floats(tensor);
  return {
    rows,
    dimensions,
    add(sum, row, weight) {
      const start = row * dimensions;
      for (let d = 0; d < dimensions; d += 1) {
        const value = raw[start + d] as number;
        sum[d] = (sum[d] as number) + weight * (decoded ? (decoded[value] as number) : value);
      }
    },
  };
}

/** One number per token. @throws LecternError `invalid_input` when there are not `length` of them */
export function tokenWeights(tensor: Tensor, length: number): Float64Array {
  expectLength(tensor, length, 'weights');
  const { raw, decoded } = floats(tensor);
  return Float64Array.from(raw, (value) => (decoded ? (decoded[value] as number) : value));
}

/** The row of each token. @throws LecternError `invalid_input` when a row is outside the table */
export function tokenRows(tensor: Tensor, rows: number): Uint32Array {
  if (tensor.shape.length !== 1) throw brokenModel('The mapping of tokens to rows is no list.');
  if (tensor.dtype !== 'I32' && tensor.dtype !== 'I64')
    throw brokenModel('The mapping of tokens to rows does not hold whole numbers.');
  const raw = tensor.dtype === 'I32' ? new Int32Array(tensor.data) : new BigInt64Array(tensor.data);
  const mapping = new Uint32Array(raw.length);
  for (let token = 0; token < raw.length; token += 1) {
    const row = Number(raw[token]);
    if (!(row >= 0 && row < rows)) throw brokenModel('The mapping of tokens leads outside the embeddings.');
    mapping[token] = row;
  }
  return mapping;
}

function expectLength(tensor: Tensor, length: number, what: string): void {
  if (tensor.shape.length !== 1 || tensor.shape[0] !== length)
    throw brokenModel(`The ${what} have the shape [${tensor.shape.join(', ')}] instead of [${length}].`);
}

function floats({ dtype, data }: Tensor): Values {
  switch (dtype) {
    case 'F64':
      return { raw: new Float64Array(data), decoded: undefined };
    case 'F32':
      return { raw: new Float32Array(data), decoded: undefined };
    case 'I8':
      // Quantised with one scale for the whole table, which drops out when vectors get length 1.
      return { raw: new Int8Array(data), decoded: undefined };
    case 'F16':
      return { raw: new Uint16Array(data), decoded: everyHalf() };
    case 'BF16':
      return { raw: new Uint16Array(data), decoded: everyBrainFloat() };
    default:
      throw brokenModel(`Numbers of the type ${dtype} are no vectors.`);
  }
}

/** IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. */
function everyHalf(): Float32Array {
  return Float32Array.from({ length: 0x10000 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = (bits & 0x3ff) / 1024;
    if (exponent === 0) return sign * fraction * 2 ** -14;
    if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    return sign * (1 + fraction) * 2 ** (exponent - 15);
  });
}

/** bfloat16: the upper half of a binary32. */
function everyBrainFloat(): Float32Array {
  const bits = Uint32Array.from({ length: 0x10000 }, (_, upper) => upper << 16);
  return new Float32Array(bits.buffer);
}
