import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../vector/quantise.ts';
import { cosine, withFeedback } from './feedback.ts';
import { type Candidate, fuse, HYBRID_WEIGHTS, SEMANTIC_WEIGHTS, withoutCrowding } from './fusion.ts';

const candidate = (note: number, lexical: number, meaning?: number): Candidate => ({
  note,
  path: `${note}.md`,
  title: `Note ${note}`,
  lexical,
  best: meaning === undefined ? undefined : { seq: 0, score: meaning },
});

describe('fuse', () => {
  it('puts what both parts praise before what one of them does', () => {
    const ranked = fuse([candidate(1, 10, 0.1), candidate(2, 9, 0.7), candidate(3, 0, 0.8)], HYBRID_WEIGHTS);
    expect(ranked.map(({ candidate: { note } }) => note)).toEqual([2, 1, 3]);
  });

  it('ranks notes without passages by words alone', () => {
    const ranked = fuse([candidate(1, 5), candidate(2, 7)], HYBRID_WEIGHTS);
    expect(ranked.map(({ candidate: { note } }) => note)).toEqual([2, 1]);
  });

  it('cuts what is far below the best', () => {
    expect(fuse([candidate(1, 50, 0.9), candidate(2, 1, 0.05)], HYBRID_WEIGHTS)).toHaveLength(1);
  });

  it('scores between 0 and 1, in order, whatever comes in', () => {
    const passage = fc.double({ min: -1, max: 1, noNaN: true });
    const notes = fc.array(
      fc.tuple(fc.double({ min: 0, max: 500, noNaN: true }), fc.option(passage, { nil: undefined })),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(notes, fc.constantFrom(HYBRID_WEIGHTS, SEMANTIC_WEIGHTS), (inputs, weights) => {
        const ranked = fuse(
          inputs.map(([lexical, meaning], at) => candidate(at + 1, lexical, meaning)),
          weights,
        );
        ranked.forEach(({ score }, at) => {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          expect(score).toBeLessThanOrEqual(ranked[at - 1]?.score ?? 1);
        });
      }),
    );
  });

  it('gives a sure query higher scores than an unsure one', () => {
    const sure = fuse([candidate(1, 40, 0.9)], HYBRID_WEIGHTS);
    const unsure = fuse([candidate(1, 2, 0.2)], HYBRID_WEIGHTS);
    expect(sure[0]?.score).toBeGreaterThan(2 * (unsure[0]?.score ?? 1));
  });
});

describe('withoutCrowding', () => {
  const along = (x: number, y: number) => normalise(Float32Array.from([x, y]));

  it('puts copies of a note behind other notes', () => {
    const ranked = fuse(
      [candidate(1, 10, 0.9), candidate(2, 9.9, 0.9), candidate(3, 8, 0.7)].map((each) =>
        each.note === 3 ? each : { ...each, title: 'Same' },
      ),
      HYBRID_WEIGHTS,
    );
    const vectors = new Map([
      [1, along(1, 0)],
      [2, along(1, 0.01)],
      [3, along(0, 1)],
    ]);
    const kept = withoutCrowding(ranked, (note) => vectors.get(note));
    expect(kept.map(({ candidate: { note } }) => note)).toEqual([1, 3, 2]);
  });

  it('leaves notes alone that only look alike', () => {
    const ranked = fuse(
      [candidate(1, 10, 0.9), candidate(2, 9.9, 0.9), candidate(3, 8, 0.7)],
      HYBRID_WEIGHTS,
    );
    const kept = withoutCrowding(ranked, () => along(1, 0));
    expect(kept.map(({ candidate: { note } }) => note)).toEqual([1, 2, 3]);
  });
});

describe('withFeedback', () => {
  const axis = (at: number) => Float32Array.from({ length: 4 }, (_, d) => (d === at ? 1 : 0));

  it('moves the query towards the best passages, and stays a unit vector', () => {
    const query = axis(0);
    const moved = withFeedback(query, [axis(1), axis(2)]);
    expect(cosine(moved, axis(1))).toBeGreaterThan(0.05);
    expect(cosine(moved, query)).toBeGreaterThan(0.9);
    expect(cosine(moved, moved)).toBeCloseTo(1, 5);
  });

  it('counts copies once and takes no more than three', () => {
    const query = axis(0);
    expect(withFeedback(query, [axis(1), axis(1), axis(1)])).toEqual(withFeedback(query, [axis(1)]));
    const four = [normalise(Float32Array.from([0, 1, 1, 0])), axis(1), axis(2), axis(3)];
    expect(withFeedback(query, four)).toEqual(withFeedback(query, four.slice(0, 3)));
  });

  it('leaves the query alone when nothing was found', () => {
    expect(withFeedback(axis(2), [])).toEqual(axis(2));
  });
});
