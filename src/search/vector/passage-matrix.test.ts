import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../../scripts/build-wasm.mjs';
import { INT8_SCAN_MODULE } from './int8-scan.wasm.ts';
import { type NoteVectors, PassageMatrix } from './passage-matrix.ts';
import { normalise, quantise } from './quantise.ts';

function vectors(rows: readonly Float32Array[], dimensions: number): NoteVectors {
  const bytes = new Int8Array(rows.length * dimensions);
  const scales = new Float32Array(rows.length);
  rows.forEach((row, seq) => {
    const quantised = quantise(row);
    bytes.set(quantised.bytes, seq * dimensions);
    scales[seq] = quantised.scale;
  });
  return { count: rows.length, bytes, scales };
}

/** Repeatable unit vectors around a few centres, as passages about a few subjects are. */
function unitVectors(count: number, dimensions: number, seed = 1): Float32Array[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const centres = Array.from({ length: 20 }, () => Float32Array.from({ length: dimensions }, random));
  return Array.from({ length: count }, (_, i) => {
    const centre = centres[i % centres.length] as Float32Array;
    return normalise(centre.map((value) => value + random()));
  });
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, d) => sum + value * (b[d] ?? 0), 0);

describe('the scan module', () => {
  it('is what its source assembles to', async () => {
    expect(INT8_SCAN_MODULE).toBe(
      Buffer.from(await assemble('src/search/vector/int8-scan')).toString('base64'),
    );
  });
});

describe.each([{ simd: true }, { simd: false }])('PassageMatrix, SIMD $simd', ({ simd }) => {
  it('uses the kernel it was asked for', () => {
    expect(new PassageMatrix(8, { simd }).simd).toBe(simd);
  });

  it.each([8, 16, 100, 128, 384])('finds the ten nearest of %i dimensions', async (dimensions) => {
    const rows = unitVectors(600, dimensions);
    const matrix = new PassageMatrix(dimensions, { simd });
    rows.forEach((row, at) => {
      matrix.put(at + 1, vectors([row], dimensions));
    });
    let agreed = 0;
    for (const query of unitVectors(20, dimensions, 7)) {
      const nearest = rows
        .map((row, at) => ({ note: at + 1, score: dot(row, query) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 10);
      const found = await matrix.search(query, 10);
      expect(found).toHaveLength(10);
      expect(found[0]?.score).toBeCloseTo(nearest[0]?.score ?? 0, 1);
      agreed += found.filter(({ note }) => nearest.some((each) => each.note === note)).length;
    }
    expect(agreed / 200).toBeGreaterThan(0.97);
  });

  it('reaches over several blocks and leaves out what is not allowed', async () => {
    const rows = unitVectors(20_000, 16);
    const matrix = new PassageMatrix(16, { simd });
    for (let note = 0; note < 2_000; note += 1)
      matrix.put(note + 1, vectors(rows.slice(note * 10, note * 10 + 10), 16));
    expect(matrix.passages).toBe(20_000);
    const query = rows[19_995] as Float32Array;
    expect((await matrix.search(query, 1))[0]).toMatchObject({ note: 2_000, seq: 5 });
    const found = await matrix.search(query, 50, { allowed: (note) => note % 2 === 1 });
    expect(found).toHaveLength(50);
    expect(found.every(({ note }) => note % 2 === 1)).toBe(true);
  });

  it('equals a fresh matrix after any puts and removals', async () => {
    const pool = unitVectors(64, 16);
    const step = fc.record({ note: fc.integer({ min: 1, max: 8 }), from: fc.nat(60), count: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const matrix = new PassageMatrix(16, { simd });
        const expected = new Map<number, Float32Array[]>();
        for (const { note, from, count } of steps) {
          if (count === 0) {
            matrix.remove(note);
            expected.delete(note);
          } else {
            matrix.put(note, vectors(pool.slice(from, from + count), 16));
            expected.set(note, pool.slice(from, from + count));
          }
        }
        expect(matrix.notes).toBe(expected.size);
        const found = await matrix.search(pool[0] as Float32Array, 1_000);
        expect(found).toHaveLength([...expected.values()].flat().length);
        for (const { note, seq, score } of found) {
          const row = expected.get(note)?.[seq];
          expect(score).toBeCloseTo(dot(row as Float32Array, pool[0] as Float32Array), 1);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('answers an empty query with nothing', async () => {
    const matrix = new PassageMatrix(16, { simd });
    matrix.put(1, vectors(unitVectors(1, 16), 16));
    expect(await matrix.search(new Float32Array(16), 5)).toEqual([]);
  });
});

describe('both kernels', () => {
  it('give the same scores', async () => {
    const rows = unitVectors(300, 100);
    const [simd, scalar] = [true, false].map((kind) => {
      const matrix = new PassageMatrix(100, { simd: kind });
      rows.forEach((row, at) => {
        matrix.put(at + 1, vectors([row], 100));
      });
      return matrix;
    });
    for (const query of unitVectors(10, 100, 3))
      expect(await simd?.search(query, 20)).toEqual(await scalar?.search(query, 20));
  });
});
