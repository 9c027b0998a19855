import type { Pacer } from '../../pacer.ts';
import { yieldTurn } from '../yield-turn.ts';

/**
 * Eigenvalues (falling) and eigenvectors (one per row) of a small symmetric matrix, by cyclic Jacobi
 * rotations (Golub and Van Loan, section 8.5): slower than the textbook alternatives, but short and
 * unconditionally stable, and the matrix is never larger than a few hundred rows.
 */
export async function symmetricEigen(
  matrix: Float64Array,
  size: number,
  pacer: Pacer,
): Promise<{ values: Float64Array; vectors: Float64Array }> {
  const a = Float64Array.from(matrix);
  const vectors = new Float64Array(size * size);
  for (let i = 0; i < size; i += 1) vectors[i * size + i] = 1;
  for (let sweep = 0; sweep < 30; sweep += 1) {
    if (offDiagonal(a, size) <= 1e-20 * diagonal(a, size)) break;
    for (let p = 0; p < size - 1; p += 1) {
      for (let q = p + 1; q < size; q += 1) rotatePair(a, vectors, size, p, q);
      await yieldTurn(pacer);
    }
  }
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (x, y) => (a[y * size + y] as number) - (a[x * size + x] as number),
  );
  const values = new Float64Array(size);
  const sorted = new Float64Array(size * size);
  order.forEach((from, to) => {
    values[to] = a[from * size + from] as number;
    sorted.set(vectors.subarray(from * size, from * size + size), to * size);
  });
  return { values, vectors: sorted };
}

function offDiagonal(a: Float64Array, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i += 1)
    for (let j = i + 1; j < size; j += 1) sum += (a[i * size + j] as number) ** 2;
  return sum;
}

function diagonal(a: Float64Array, size: number): number {
  let sum = 0;
  for (let i = 0; i < size; i += 1) sum += (a[i * size + i] as number) ** 2;
  return sum;
}

/** Turns rows and columns p and q so that a[p, q] becomes zero. */
function rotatePair(a: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const apq = a[p * size + q] as number;
  if (apq === 0) return;
  const theta = ((a[q * size + q] as number) - (a[p * size + p] as number)) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < size; k += 1) {
    const kp = a[k * size + p] as number;
    const kq = a[k * size + q] as number;
    a[k * size + p] = c * kp - s * kq;
    a[k * size + q] = s * kp + c * kq;
  }
  for (let k = 0; k < size; k += 1) {
    const pk = a[p * size + k] as number;
    const qk = a[q * size + k] as number;
    a[p * size + k] = c * pk - s * qk;
    a[q * size + k] = s * pk + c * qk;
    const vp = vectors[p * size + k] as number;
    const vq = vectors[q * size + k] as number;
    vectors[p * size + k] = c * vp - s * vq;
    vectors[q * size + k] = s * vp + c * vq;
  }
}
