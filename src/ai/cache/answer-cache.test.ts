import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Generated } from '../language-model.ts';
import { type AnswerCache, openAnswerCache } from './answer-cache.ts';

let folder: string;
let now = 0;
const opened: AnswerCache[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-answers-'));
  now = Date.parse('2026-11-30T10:00:00Z');
});
afterEach(() => {
  for (const cache of opened.splice(0)) cache.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): AnswerCache {
  const cache = openAnswerCache(join(folder, 'answers.db'), () => now);
  opened.push(cache);
  return cache;
}

const answer = (text: string): Generated => ({
  text,
  usage: { inputTokens: 1, outputTokens: 1, isEstimated: false },
  finish: 'stop',
  model: 'm',
});

it('gives back what it was given, to every process', () => {
  open().put('a', { ...answer('Yes.'), object: { is: true } }, [{ path: 'A.md', etag: '1' }]);
  const other = open();
  expect(other.get('a')).toEqual({ ...answer('Yes.'), object: { is: true } });
  expect(other.get('b')).toBeUndefined();
  expect(other.state()).toMatchObject({ answers: 1, hits: 1, misses: 1 });
});

it('drops answers with the versions of notes that they came from, and their text from the file', () => {
  const cache = open();
  cache.put('a', answer('the secret of A'), [{ path: 'A.md', etag: '1' }]);
  cache.put('ab', answer('both'), [
    { path: 'A.md', etag: '1' },
    { path: 'B.md', etag: '1' },
  ]);
  cache.put('b', answer('of B'), [{ path: 'B.md', etag: '1' }]);
  cache.changed([{ path: 'A.md', etag: '1' }]);
  expect(cache.state().answers).toBe(3);
  cache.changed([{ path: 'A.md', etag: '2' }]);
  expect([cache.get('a'), cache.get('ab'), cache.get('b')?.text]).toEqual([undefined, undefined, 'of B']);
  cache.changed([{ path: 'B.md', etag: undefined }]);
  expect(cache.state()).toMatchObject({ answers: 0, bytes: 0 });
  cache.close();
  opened.length = 0;
  expect(readFileSync(join(folder, 'answers.db')).includes('the secret of A')).toBe(false);
});

it('is bounded by number and age, the least used go first', () => {
  const cache = open();
  for (let n = 0; n < 1000; n += 1) {
    now += 1;
    cache.put(`k${n}`, answer('x'), []);
  }
  now += 1;
  cache.get('k0');
  now += 1;
  cache.put('new', answer('x'), []);
  expect(cache.state().answers).toBe(1000);
  expect([cache.get('k0')?.text, cache.get('k1')]).toEqual(['x', undefined]);
  now += 31 * 86_400_000;
  cache.put('later', answer('x'), []);
  expect(cache.state().answers).toBe(1);
  cache.put('huge', answer('x'.repeat(2_000_000)), []);
  expect(cache.get('huge')).toBeUndefined();
});
