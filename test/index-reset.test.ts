import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import {
  countingEmbedder,
  type EmbeddingFixture,
  embeddingFixture,
  subjectVault,
} from '../src/search/embed/testing.ts';
import { search } from '../src/search/semantic/passage-search.ts';

/** An index that another process makes start over must not be taken for the one there was, by anything kept in memory. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const visible = { key: 'no secrets', test: (path: string) => !path.startsWith('Secret/') };
const OPEN = subjectVault(8);
/** Put first, these get the numbers that visible notes had. */
const SECRET = Object.fromEntries(
  Object.entries(OPEN).map(([path, text]) => [`Secret/${path}`, `${text}\nzeppelin\n`]),
);
/** The same notes with the subjects' texts dealt to other names. */
const DEALT = Object.fromEntries(
  Object.keys(OPEN).map((path, at, paths) => [path, OPEN[paths[(at + 8) % paths.length] ?? ''] ?? '']),
);

/** Of the kitchen's third note, which go to the garden's. */
const WORDS = (OPEN['Kitchen/3.md'] ?? '').split('\n')[2]?.slice(0, -1) ?? '';

let vault: EmbeddingFixture;
afterEach(() => vault.close());

async function startOver(files: Record<string, string>): Promise<void> {
  await promisify(execFile)(
    process.execPath,
    ['scripts/run-ts.mjs', 'test/support/reset-index.ts', vault.path, JSON.stringify(files)],
    { cwd: ROOT },
  );
}

/** @param who what the asker may see; what was learned from the notes together is for those who see them all */
const pathsFor = async (query: string, who: Parameters<typeof search>[3]) => {
  const request = { query, mode: 'semantic', filter: {}, limit: 8 } as const;
  const { items, modeUsed } = await search(vault.reader, vault.passages, request, who);
  expect(modeUsed).toBe('semantic');
  return items.map(({ path }) => path);
};

it.each([
  ['learned from the vault', undefined, {}],
  ['of a configured model', countingEmbedder(), { visible }],
])('with vectors %s', async (_, neural, who) => {
  vault = embeddingFixture(OPEN, neural);
  await vault.embed({ teaches: visible.test });
  const { newest } = await vault.reader.changesSince(undefined, 1);
  const listed = async () =>
    (await vault.reader.list({}, 'path', { limit: 200, visible })).items.map(({ path }) => path);
  expect(await listed()).toHaveLength(40);
  expect((await vault.reader.counts(visible)).notes).toBe(40);
  expect(await pathsFor(WORDS, who)).toContain('Kitchen/3.md');

  // Nothing secret yet, so that what is learned anew may be shown.
  await startOver(DEALT);
  expect(await pathsFor(WORDS, who)).toContain('Garden/3.md');
  const spaces = await vault.passages.spaces();
  expect(typeof spaces === 'object' && spaces.vectors.matrix.notes).toBe(40);
  const { newest: now, rows } = await vault.reader.changesSince(newest, 500);
  expect(now.epoch).not.toBe(newest.epoch);
  expect(rows).toEqual([]);
});

it('what a caller may see is never remembered of another file', async () => {
  vault = embeddingFixture(OPEN);
  await vault.embed();
  const listed = async () =>
    (await vault.reader.list({}, 'path', { limit: 200, visible })).items.map(({ path }) => path);
  expect(await listed()).toHaveLength(40);
  expect((await vault.reader.counts(visible)).notes).toBe(40);
  expect((await pathsFor('oven dough yeast', {}))[0]).toMatch(/^Kitchen\//);

  await startOver({ ...SECRET, ...OPEN });
  expect(await listed()).toEqual(Object.keys(OPEN).sort());
  expect((await vault.reader.counts(visible)).notes).toBe(40);
  // Who sees a part of the notes is told nothing by a model that was learned from all of them.
  const request = { query: 'oven dough yeast', mode: 'semantic', filter: {}, limit: 50 } as const;
  const answer = await search(vault.reader, vault.passages, request, { visible });
  expect(answer.modeUsed).toBe('lexical');
  expect(JSON.stringify(answer)).not.toMatch(/Secret|zeppelin/);
});
