import { describe, expect, it } from 'vitest';
import { NAME_CHARACTERS, READ_CHARACTERS } from '../../budgets.ts';
import { notePatch } from '../note-patch.ts';
import { noteWrite } from '../note-write.ts';
import { vaultSearch } from '../vault-search.ts';
import { parseInput } from './input.ts';

const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
const write = (given: object) => () => parseInput(noteWrite, { path: 'A.md', body: '', ...given });
const patch =
  (...ops: object[]) =>
  () =>
    parseInput(notePatch, { path: 'A.md', ops });
const search = (given: object) => () => parseInput(vaultSearch, { q: 'x', ...given });

describe('the size of arguments', () => {
  it.each([
    ['a query longer than a read may be', search({ q: 'x'.repeat(READ_CHARACTERS + 1) })],
    ['the same in many pieces', search({ tag: Array.from({ length: 2000 }, () => 'x'.repeat(60)) })],
    ['keys longer than that', search({ frontmatter: { ['k'.repeat(READ_CHARACTERS)]: 1 } })],
    ['more values than anybody means', search({ tag: Array.from({ length: 30_000 }, () => 'x') })],
    [
      'a list that arrives as text',
      search({ tag: JSON.stringify(Array.from({ length: 30_000 }, () => 'x')) }),
    ],
    ['what nests without end', search({ frontmatter: { a: nested(100_000) } })],
    ['the same as text', search({ frontmatter: `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}` })],
    ['the same in a write', write({ frontmatter: { a: nested(1000) } })],
    ['the same in an op', patch({ op: 'set_frontmatter', key: 'a', value: nested(1000) })],
    ['many ops', patch(...Array.from({ length: 25_000 }, () => ({ op: 'append_body', markdown: '' })))],
    ['a path as long as a note', write({ path: 'a/'.repeat(5000) })],
    ['a path of two thousand folders', write({ path: `${'a/'.repeat(2000)}b.md` })],
    ['a tag as long as a note', patch({ op: 'add_tag', tag: 'a'.repeat(NAME_CHARACTERS + 1) })],
    ['a heading as long as a note', patch({ op: 'rename_heading', from: 'A', to: 'a'.repeat(5000) })],
  ])('refuses %s', (_, run) => {
    expect(run).toThrow(
      expect.objectContaining({
        code: 'too_large',
        message: expect.stringMatching(/^The arguments of \w+ have /),
        details: { limit: expect.any(Number) },
        next: expect.stringContaining('Nothing was changed'),
      }),
    );
  });

  it.each([
    ['a note of many megabytes', write({ body: 'x'.repeat(10_000_000) })],
    [
      'long properties, whatever they are called',
      write({ frontmatter: { path: 'x'.repeat(9000), tag: ['y'.repeat(9000)] } }),
    ],
    ['a long value', patch({ op: 'set_frontmatter', key: 'a', value: { heading: 'x'.repeat(9000) } })],
    ['long text to find', patch({ op: 'replace_text', old: 'x'.repeat(50_000), new: 'y'.repeat(50_000) })],
    [
      'ten thousand entries',
      patch({ op: 'set_frontmatter', key: 'a', value: Array.from({ length: 10_000 }, (_, n) => n) }),
    ],
    ['sixty levels', patch({ op: 'set_frontmatter', key: 'a', value: nested(60) })],
  ])('takes %s', (_, run) => {
    expect(run).not.toThrow();
  });
});
