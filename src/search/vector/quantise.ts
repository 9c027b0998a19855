/** Vectors as bytes: `value ≈ byte × scale`, with the scale set by the largest component so that nothing is clipped. */
export interface QuantisedVector {
  readonly bytes: Int8Array;
  readonly scale: number;
}

/** A vector of zeros has scale 0. */
export function quantise(vector: Float32Array): QuantisedVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const bytes = new Int8Array(vector.length);
  if (largest === 0) return { bytes, scale: 0 };
  for (let d = 0; d < vector.length; d += 1) bytes[d] = Math.round(((vector[d] as number) / largest) * 127);
  return { bytes, scale: largest / 127 };
}

/** Scales to length 1 in place; zeros stay zeros. */
export function normalise(vector: Float32Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  if (square > 0) {
    const inverse = 1 / Math.sqrt(square);
    for (let d = 0; d < vector.length; d += 1) vector[d] = (vector[d] as number) * inverse;
  }
  return vector;
}
