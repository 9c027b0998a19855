import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packNumbers, packPassages, unpackNumbers, unpackPassages } from './schema.ts';

test('numbers come back as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2 ** 40)), (numbers) => {
      expect(unpackNumbers(packNumbers(numbers))).toEqual(numbers);
    }),
  );
});

test('passages come back as they were, a few bytes each', () => {
  const chain = fc.array(fc.constantFrom('Plan', 'é', '日本', 'a "quoted" one', ''), { maxLength: 3 });
  const steps = fc.record({ gap: fc.nat(300), length: fc.nat(100_000), lines: fc.nat(50), headings: chain });
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40 }), (all) => {
      let [end, line] = [0, 1];
      const passages = all.map(({ gap, length, lines, headings }) => {
        const start = end + gap;
        end = start + length;
        line += lines;
        return { start, end, line, headings };
      });
      expect(unpackPassages(packPassages(passages))).toEqual(passages);
    }),
  );
  const same = Array.from({ length: 100 }, (_, at) => ({
    start: at * 1400,
    end: at * 1400 + 1390,
    line: 1 + at * 20,
    headings: ['A long heading above all of them'],
  }));
  expect(packPassages(same).length).toBeLessThan(600);
});
