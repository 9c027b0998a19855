import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LecternError } from '../../errors.ts';
import { noteList } from '../note-list.ts';
import { notePatch } from '../note-patch.ts';
import { noteRead } from '../note-read.ts';
import { tagNotes } from '../tag-notes.ts';
import { vaultSearch } from '../vault-search.ts';
import { parseInput } from './input.ts';

function failure(run: () => unknown): LecternError {
  try {
    run();
  } catch (error) {
    if (error instanceof LecternError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parseInput', () => {
  it('fills defaults and takes what is right as it is', () => {
    expect(parseInput(noteRead, { path: 'A.md' })).toEqual({ path: 'A.md', offset: 0, max_chars: 20_000 });
    expect(parseInput(noteList, undefined)).toEqual({ sort: 'path', limit: 15 });
  });

  it.each([
    ['an array as a JSON string', vaultSearch, { q: 'x', tag: '["a","b"]' }, { tag: ['a', 'b'] }],
    ['a lone string where a list is wanted', vaultSearch, { q: 'x', tag: 'a' }, { tag: ['a'] }],
    [
      'a lone number where a list of strings is wanted',
      vaultSearch,
      { q: 'x', tag: 2024 },
      { tag: ['2024'] },
    ],
    [
      'an object as a JSON string',
      noteList,
      { frontmatter: '{"status":"open"}' },
      { frontmatter: { status: 'open' } },
    ],
    ['a number as text', vaultSearch, { q: 'x', limit: '7' }, { limit: 7 }],
    ['a number where text is wanted', tagNotes, { tag: 2024 }, { tag: '2024' }],
    ['null for an option', vaultSearch, { q: 'x', path_glob: null }, { q: 'x', limit: 5 }],
    ['all arguments as one JSON string', vaultSearch, '{"q":"x"}', { q: 'x' }],
  ])('repairs %s', (_what, operation, given, wanted) => {
    expect(parseInput(operation as typeof vaultSearch, given)).toMatchObject(wanted);
  });

  it('repairs what stands inside of objects, and drops the null of options not meant', () => {
    const { ops } = parseInput(notePatch, {
      path: 'A.md',
      ops: { op: 'replace_text', old: 'a', new: 'b', all: 'true', line: '2', heading: null, value: null },
    });
    expect(ops).toEqual([{ op: 'replace_text', old: 'a', new: 'b', all: true, line: 2, value: null }]);
  });

  it('keeps text that only looks like JSON where text is wanted', () => {
    expect(parseInput(vaultSearch, { q: '["a"]' }).q).toBe('["a"]');
    expect(parseInput(vaultSearch, { q: '{not json' }).q).toBe('{not json');
  });

  it('takes a well-known alias of a missing key, in any spelling, when reading', () => {
    expect(parseInput(vaultSearch, { query: 'x' }).q).toBe('x');
    expect(parseInput(noteRead, { file: 'A.md' }).path).toBe('A.md');
    expect(parseInput(noteRead, { path: 'A.md', maxChars: 5 }).max_chars).toBe(5);
    expect(parseInput(tagNotes, { name: 'a' }).tag).toBe('a');
  });

  it('never takes an alias over the key itself, nor for a write', () => {
    const both = failure(() => parseInput(noteRead, { path: 'A.md', file: 'B.md' }));
    expect(both.details.unknown).toEqual([{ key: 'file', did_you_mean: 'path' }]);
    const write = { name: 'w', effects: 'writes', input: z.object({ path: z.string() }) } as const;
    const error = failure(() => parseInput(write, { file: 'A.md' }));
    expect(error.details).toMatchObject({
      missing: ['path'],
      unknown: [{ key: 'file', did_you_mean: 'path' }],
    });
  });

  it('names missing, unknown and invalid keys, and what would be right', () => {
    const error = failure(() =>
      parseInput(vaultSearch, { limt: 5, folder: 'Projects', limit: 900, mode: 'fuzzy' }),
    );
    expect(error.code).toBe('invalid_input');
    expect(error.details.missing).toEqual(['q']);
    expect(error.details.unknown).toEqual([
      { key: 'limt', did_you_mean: 'limit' },
      { key: 'folder', did_you_mean: 'path_glob' },
    ]);
    expect((error.details.invalid as { key: string }[]).map(({ key }) => key).sort()).toEqual([
      'limit',
      'mode',
    ]);
    expect(error.message).toContain('missing q');
    expect(error.next).toContain('Required: q.');
    expect(error.next).toContain('path_glob');
  });

  it.each([[[]], [42], ['text'], [true]])('refuses %j as arguments', (given) => {
    expect(failure(() => parseInput(noteRead, given)).code).toBe('invalid_input');
  });

  it('is not fooled by keys that every object inherits', () => {
    const error = failure(() =>
      parseInput(noteRead, JSON.parse('{"path":"A.md","constructor":1,"__proto__":{"offset":1}}')),
    );
    expect((error.details.unknown as { key: string }[]).map(({ key }) => key)).toEqual([
      'constructor',
      '__proto__',
    ]);
  });

  it('keeps its error short whatever the caller sent', () => {
    const error = failure(() => parseInput(noteRead, { ['x'.repeat(5000)]: 1 }));
    expect(error.message.length).toBeLessThan(300);
  });
});
