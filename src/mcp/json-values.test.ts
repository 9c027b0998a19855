import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeLine } from './json-rpc.ts';
import { hasTooManyValues, MESSAGE_VALUES } from './json-values.ts';

it.each([
  ['lists in lists', '['.repeat(2_000_000)],
  ['maps in maps', '{"a":'.repeat(500_000)],
  ['numbers', `[${'0,'.repeat(1_000_000)}0]`],
  ['texts', `["${'a","'.repeat(500_000)}"]`],
  ['escaped marks', `["${'\\\\","'.repeat(500_000)}"]`],
])('too many %s are seen without parsing them', (_, text) => {
  expect(hasTooManyValues(text)).toBe(true);
  expect(decodeLine(text)).toMatchObject({ kind: 'error', message: expect.stringContaining('values') });
});

it('marks within texts count for nothing', () => {
  const piece = fc.constantFrom('[', '{', ',', ':', '"', '\\', '\\"', 'a', '\n');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
      const text = JSON.stringify({ body: pieces.join('').repeat(400_000), list: [1, 2] });
      expect(hasTooManyValues(text)).toBe(false);
    }),
    { numRuns: 20 },
  );
  expect(hasTooManyValues(`[${'0,'.repeat(MESSAGE_VALUES - 2)}${' '.repeat(1_000_000)}0]`)).toBe(false);
});

it('who sends too many values is answered under the id of the message, wherever it stands', () => {
  const params = { name: 'x', arguments: { id: 'inner', list: Array(600_000).fill(0), last: { id: 9 } } };
  const method = 'tools/call';
  for (const id of [7, 'seven', 'a-b.c'])
    for (const message of [
      { jsonrpc: '2.0', id, method, params },
      { id, jsonrpc: '2.0', method, params },
      { method, params, jsonrpc: '2.0', id },
      { jsonrpc: '2.0', method, params, id },
      { method, params, id, jsonrpc: '2.0' },
    ])
      expect(decodeLine(JSON.stringify(message))).toMatchObject({ kind: 'error', id });
  const nothing = JSON.stringify({ jsonrpc: '2.0', method, params });
  expect(decodeLine(nothing)).toMatchObject({ kind: 'error', id: null });
});
