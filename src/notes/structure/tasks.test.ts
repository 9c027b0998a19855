import { expect, it } from 'vitest';
import { checkSpans } from '../check-spans.testing.ts';
import type { Dialect } from '../model.ts';
import { parseNote } from '../parse.ts';
import { isClosed } from './tasks.ts';

function tasks(text: string, dialect: Dialect = 'obsidian') {
  const note = parseNote(text, { dialect });
  checkSpans(note);
  return note.tasks;
}

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

it('takes the words that Logseq puts before a block', () => {
  const text =
    '- TODO milk\n\t- DOING [#A] bread\n- DONE\n- NOW a\n- LATER b\n- WAITING c\n- CANCELLED d\n- CANCELED e\n' +
    '- ## TODO f\n- IN-PROGRESS g\r\n- [ ] h\n- TODOS i\n- todo j\n- TODO: k\n- the TODO l\n\n```\n- TODO m\n```\n';
  expect(tasks(text, 'logseq').map(({ status, text: own }) => `${status}|${own}`)).toEqual([
    'TODO|milk',
    'DOING|[#A] bread',
    'DONE|',
    'NOW|a',
    'LATER|b',
    'WAITING|c',
    'CANCELLED|d',
    'CANCELED|e',
    'TODO|f',
    'IN-PROGRESS|g',
    ' |h',
  ]);
  expect(tasks(text, 'obsidian').map(({ text: own }) => own)).toEqual(['h']);
});

it('takes the words of state that SilverBullet puts into a box', () => {
  const text = '* [TODO] a\n* [NOT STARTED] b\n* [x] c\n* [24:33.098 - 24:41] d\n* [[Page]] e\n* [f](g)\n';
  expect(tasks(text, 'silverbullet').map(({ status }) => status)).toEqual(['TODO', 'NOT STARTED', 'x']);
});

it.each<[Dialect, string, boolean]>([
  ['obsidian', ' ', false],
  ['obsidian', 'x', true],
  ['obsidian', '-', true],
  ['logseq', 'TODO', false],
  ['logseq', 'WAITING', false],
  ['logseq', 'DONE', true],
  ['logseq', 'CANCELLED', true],
  ['logseq', ' ', false],
  ['silverbullet', 'TODO', false],
  ['silverbullet', 'X', true],
  ['silverbullet', 'DONE', true],
  ['silverbullet', 'IN PROGRESS', false],
])('in %s, whether nothing is left to do at %j: %s', (dialect, status, closed) => {
  expect(isClosed(status, dialect)).toBe(closed);
});
