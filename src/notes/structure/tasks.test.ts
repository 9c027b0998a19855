import { expect, it } from 'vitest';
import { parseNote } from '../parse.ts';

const tasks = (text: string) => parseNote(text, { dialect: 'obsidian' }).tasks;

it('takes any one character as status, and nothing longer', () => {
  const text =
    '- [x] done\n- [/] half\n- [?] q #t\n- [24:33.098 - 24:41.260] said hi\n- [😀] face\n- [] none\n';
  expect(tasks(text).map(({ status, text: own, line }) => [status, own, line])).toEqual([
    ['x', 'done', 1],
    ['/', 'half', 2],
    ['?', 'q #t', 3],
    ['😀', 'face', 5],
  ]);
});

it('reads every list marker, nesting, quotes and CRLF', () => {
  const text = '* [ ] a\r\n  1. [x] b\r\n\r\n> + [-] c\r\n\r\n10) [ ] d';
  const found = tasks(text);
  expect(found.map(({ text: own }) => own)).toEqual(['a', 'b', 'c', 'd']);
  expect(found.map(({ span }) => text.slice(span.start, span.end))).toEqual([
    '* [ ] a',
    '1. [x] b',
    '+ [-] c',
    '10) [ ] d',
  ]);
  for (const { status, statusSpan } of found) {
    expect(text.slice(statusSpan.start, statusSpan.end)).toBe(status);
  }
});

it('leaves links, plain brackets and code alone', () => {
  expect(tasks('- [x](y.md)\n- [x]y\n-     [ ] code\n\n[ ] no list\n\n```\n- [ ] z\n```\n')).toEqual([]);
});
