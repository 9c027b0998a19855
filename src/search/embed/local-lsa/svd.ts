import type { Pacer } from '../../pacer.ts';
import { yieldTurn } from '../yield-turn.ts';
import { symmetricEigen } from './eigen.ts';
import type { SparseRows } from './sparse.ts';

export interface TermSpace {
  readonly dimensions: number;
  /** Right singular vectors, one row of `dimensions` per column of the matrix. */
  readonly basis: Float32Array;
  /** Singular values, falling. */
  readonly singular: Float64Array;
}

/** Columns drawn beyond those wanted: they catch what the random start missed. */
const OVERSAMPLING = 12;

/**
 * The leading right singular vectors of a sparse matrix by randomised subspace iteration
 * (Halko, Martinsson and Tropp 2011, algorithm 4.4, on the column side): a random block is
 * multiplied by AᵀA and made orthonormal a few times, then a small eigenproblem sorts it.
 * The same matrix always gives the same space.
 *
 * @param wanted how many; fewer come back when the matrix has lower rank
 * @param iterations two are enough for a spectrum that falls as slowly as that of text
 */
export async function truncatedSvd(
  matrix: SparseRows,
  wanted: number,
  pacer: Pacer,
  iterations = 2,
): Promise<TermSpace> {
  const width = Math.min(wanted + OVERSAMPLING, matrix.columnCount, matrix.rows);
  let block = randomBlock(matrix.columnCount, width);
  for (let i = 0; i < iterations; i += 1) {
    block = await multiplyByGram(matrix, block, width, pacer);
    await orthonormalise(block, width, pacer);
  }
  const gram = await projectedGram(matrix, block, width, pacer);
  const { values, vectors } = await symmetricEigen(gram, width, pacer);
  const largest = Math.max(values[0] ?? 0, 0);
  let dimensions = 0;
  while (dimensions < Math.min(wanted, width) && (values[dimensions] ?? 0) > largest * 1e-7) dimensions += 1;
  const singular = new Float64Array(dimensions);
  for (let d = 0; d < dimensions; d += 1) singular[d] = Math.sqrt(values[d] ?? 0);
  return { dimensions, basis: await rotate(block, width, vectors, dimensions, pacer), singular };
}

/** Sums of uniform numbers from a fixed seed: near enough to a normal distribution for a random projection. */
function randomBlock(rows: number, width: number): Float32Array {
  const block = new Float32Array(rows * width);
  let state = 0x9e3779b9;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  for (let i = 0; i < block.length; i += 1) block[i] = uniform() + uniform() + uniform() - 1.5;
  return block;
}

/** AᵀA·block, one row of A at a time, so that nothing of the height of A is ever held. */
async function multiplyByGram(
  matrix: SparseRows,
  block: Float32Array,
  width: number,
  pacer: Pacer,
): Promise<Float32Array> {
  const result = new Float32Array(block.length);
  const projected = new Float32Array(width);
  const { starts, columns, values } = matrix;
  for (let row = 0; row < matrix.rows; row += 1) {
    projectRow(matrix, row, block, width, projected);
    const end = starts[row + 1] as number;
    for (let entry = starts[row] as number; entry < end; entry += 1) {
      const weight = values[entry] as number;
      const base = (columns[entry] as number) * width;
      for (let j = 0; j < width; j += 1)
        result[base + j] = (result[base + j] as number) + weight * (projected[j] as number);
    }
    if ((row & 63) === 63) await yieldTurn(pacer);
  }
  return result;
}

function projectRow(
  matrix: SparseRows,
  row: number,
  block: Float32Array,
  width: number,
  into: Float32Array,
): void {
  into.fill(0);
  const end = matrix.starts[row + 1] as number;
  for (let entry = matrix.starts[row] as number; entry < end; entry += 1) {
    const weight = matrix.values[entry] as number;
    const base = (matrix.columns[entry] as number) * width;
    for (let j = 0; j < width; j += 1) into[j] = (into[j] as number) + weight * (block[base + j] as number);
  }
}

function addOuterProduct(gram: Float64Array, vector: Float32Array, offset: number, width: number): void {
  for (let i = 0; i < width; i += 1) {
    const left = vector[offset + i] as number;
    if (left === 0) continue;
    const base = i * width;
    for (let j = i; j < width; j += 1)
      gram[base + j] = (gram[base + j] as number) + left * (vector[offset + j] as number);
  }
}

/** (A·block)ᵀ(A·block), symmetric, both halves filled. */
async function projectedGram(
  matrix: SparseRows,
  block: Float32Array,
  width: number,
  pacer: Pacer,
): Promise<Float64Array> {
  const gram = new Float64Array(width * width);
  const projected = new Float32Array(width);
  for (let row = 0; row < matrix.rows; row += 1) {
    projectRow(matrix, row, block, width, projected);
    addOuterProduct(gram, projected, 0, width);
    if ((row & 63) === 63) await yieldTurn(pacer);
  }
  for (let i = 0; i < width; i += 1)
    for (let j = 0; j < i; j += 1) gram[i * width + j] = gram[j * width + i] as number;
  return gram;
}

/** Makes the columns of `block` orthonormal in place, by the Cholesky factor of their Gram matrix. */
async function orthonormalise(block: Float32Array, width: number, pacer: Pacer): Promise<void> {
  const rows = block.length / width;
  const gram = new Float64Array(width * width);
  for (let row = 0; row < rows; row += 1) {
    addOuterProduct(gram, block, row * width, width);
    if ((row & 255) === 255) await yieldTurn(pacer);
  }
  const factor = choleskyUpper(gram, width);
  for (let row = 0; row < rows; row += 1) {
    // Forward substitution: x·R = row, column by column.
    const base = row * width;
    for (let i = 0; i < width; i += 1) {
      const inverse = factor[i * width + i] as number;
      const solved = inverse === 0 ? 0 : (block[base + i] as number) / inverse;
      block[base + i] = solved;
      if (solved === 0) continue;
      for (let j = i + 1; j < width; j += 1)
        block[base + j] = (block[base + j] as number) - solved * (factor[i * width + j] as number);
    }
    if ((row & 255) === 255) await yieldTurn(pacer);
  }
}

/** R with RᵀR = gram. A direction with no length left gets a zero pivot and so vanishes. */
function choleskyUpper(gram: Float64Array, width: number): Float64Array {
  const factor = new Float64Array(width * width);
  for (let i = 0; i < width; i += 1) {
    const scale = gram[i * width + i] as number;
    for (let j = i; j < width; j += 1) {
      let sum = gram[i * width + j] as number;
      for (let k = 0; k < i; k += 1)
        sum -= (factor[k * width + i] as number) * (factor[k * width + j] as number);
      if (j === i) {
        if (sum <= scale * 1e-10) break;
        factor[i * width + i] = Math.sqrt(sum);
      } else {
        factor[i * width + j] = sum / (factor[i * width + i] as number);
      }
    }
  }
  return factor;
}

/** block · vectors, the first `dimensions` columns. `vectors` holds one eigenvector per row. */
async function rotate(
  block: Float32Array,
  width: number,
  vectors: Float64Array,
  dimensions: number,
  pacer: Pacer,
): Promise<Float32Array> {
  const rows = block.length / width;
  const result = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row += 1) {
    for (let d = 0; d < dimensions; d += 1) {
      let sum = 0;
      for (let j = 0; j < width; j += 1)
        sum += (block[row * width + j] as number) * (vectors[d * width + j] as number);
      result[row * dimensions + d] = sum;
    }
    if ((row & 63) === 63) await yieldTurn(pacer);
  }
  return result;
}
