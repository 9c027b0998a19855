import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LexicalHit } from '../../index/note-index.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { type RankContext, rank } from './rank.ts';
import { editDistance } from './spelling-correction.ts';

const hit = (path: string, score: number, title = path, mtimeMs = 0, aliases: string[] = []): LexicalHit => ({
  path,
  title,
  aliases,
  score,
  mtimeMs,
});
const context = (words: string[], more: Partial<RankContext> = {}): RankContext => ({
  words,
  whole: new Set(),
  time: 1e12,
  ...more,
});
const order = (hits: LexicalHit[], ranked: RankContext): string[] =>
  rank(hits, ranked).map((each) => each.hit.path);

describe('rank', () => {
  test('keeps the order of the index where nothing else speaks', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 4000 }), { maxLength: 30 }), (scores) => {
        const ranked = rank(
          scores.map((score) => hit(`n${score}`, score / 100)),
          context(['zzz']),
        );
        const raw = ranked.map((each) => each.hit.score);
        expect([...raw].sort((a, b) => b - a)).toEqual(raw);
        expect(ranked.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
      }),
      { seed: 3 },
    );
  });

  test('names, aliases and beginnings of names lift', () => {
    const hits = [
      hit('a', 9, 'Other'),
      hit('b', 8, 'Budget plan'),
      hit('c', 7, 'Money', 0, ['Other', 'Budget']),
      hit('d', 6, 'Budget'),
    ];
    expect(order(hits, context(['budget']))).toEqual(['d', 'c', 'b', 'a']);
  });

  test('recency decides between near equals only', () => {
    const old = hit('a', 5, 'x', 0);
    expect(order([old, hit('b', 5, 'x', 1e12)], context(['q']))).toEqual(['b', 'a']);
    expect(order([hit('a', 7, 'x', 0), hit('b', 5, 'x', 1e12)], context(['q']))).toEqual(['a', 'b']);
  });

  test('equal scores are ordered by path', () => {
    expect(order([hit('b', 1), hit('a', 1), hit('Z', 1)], context(['q']))).toEqual(['Z', 'a', 'b']);
  });
});

test('cursors come back as they were', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.nat(),
      fc.nat(),
      fc.string(),
      (window, offset, time, key) => {
        const cursor = { window, offset, time };
        expect(decodeCursor(encodeCursor(cursor, [key]), [key])).toEqual(cursor);
      },
    ),
    { seed: 5 },
  );
});

describe('edit distance of a typed word to a stem', () => {
  test.each([
    ['recieve', 'receiv', 1],
    ['certficate', 'certif', 1],
    ['stroe', 'stor', 1],
    ['buget', 'budget', 1],
    ['wrod', 'word', 1],
    ['word', 'word', 0],
    ['walking', 'walk', 0],
    ['abc', 'xyz', 3],
  ])('%s, %s: %i', (typed, stemmed, expected) => expect(editDistance(typed, stemmed, 2)).toBe(expected));
});
