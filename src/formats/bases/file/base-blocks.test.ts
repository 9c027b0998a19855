import { expect, it } from 'vitest';
import { baseBlocks } from './base-blocks.ts';

it.each([
  ['```base\nviews: []\n```\n', [['views: []', 2]]],
  [
    '# A\n\n~~~base\na\nb\n~~~\n\n```base\nc\n```',
    [
      ['a\nb', 4],
      ['c', 9],
    ],
  ],
  ['> ```base\n> a\n> ```\n', [['a', 2]]],
  ['````md\n```base\nno\n```\n````\n```base\nyes', [['yes', 7]]],
  ['```basement\na\n```\n    ```base\n', []],
  ['```base\r\na\r\n````\r\nafter', [['a', 2]]],
])('%j', (text, blocks) => {
  expect(baseBlocks(text).map(({ source, line }) => [source, line])).toEqual(blocks);
});
