import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headingKey } from './heading-key.ts';

describe('headingKey', () => {
  it.each([
    ['C# basics', 'C basics'],
    ['Why?', 'Why'],
    ['Q&A', 'Q A'],
    ['**Bold** text', 'bold text'],
    ['A | B', 'a b'],
    ['[[Note|shown]] today', 'Note shown today'],
    ['Cafe\u0301', 'CAFÉ'],
    ['line\nbreak', 'line break'],
    // The Greek question mark, which NFC converts to `;`.
    ['τι\u037e τώρα', 'τι; τώρα'],
  ])('%j equals %j', (one, other) => {
    expect(headingKey(one)).toBe(headingKey(other));
  });

  it.each([
    ["it's", 'its'],
    ['a-b', 'a b'],
    ['a_b', 'a b'],
    ['a，b', 'a b'],
  ])('%j differs from %j', (one, other) => {
    expect(headingKey(one)).not.toBe(headingKey(other));
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(headingKey(headingKey(text))).toBe(headingKey(text));
      }),
    );
  });

  it('reads a long run of punctuation in linear time', () => {
    const started = performance.now();
    headingKey('!'.repeat(1_000_000));
    headingKey(`${' '.repeat(500_000)}x${' '.repeat(500_000)}`);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
