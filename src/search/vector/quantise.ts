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

/**
 * A query with 16 bits a component, next to which the rounding of the rows is all that shows.
 * @param limit the largest component's number
 */
export function widen(
  query: Float32Array,
  limit: number,
): { readonly lanes: Int16Array; readonly scale: number } {
  let largest = 0;
  for (const value of query) largest = Math.max(largest, Math.abs(value));
  const lanes = new Int16Array(query.length);
  if (largest === 0) return { lanes, scale: 0 };
  const factor = limit / largest;
  for (let d = 0; d < query.length; d += 1) lanes[d] = Math.round((query[d] as number) * factor);
  return { lanes, scale: largest / limit };
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
