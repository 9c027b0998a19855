import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { EXTRACTIVE } from '../ai/extractive.ts';
import { aiRelate } from './ai-relate.ts';
import { aiSummarize } from './ai-summarize.ts';
import { aiToc } from './ai-toc.ts';
import { parseInput } from './call/input.ts';
import { runOperation } from './call/run.ts';
import { noteRead } from './note-read.ts';
import type { Operation } from './operation.ts';
import { vaultSearch } from './vault-search.ts';

/** One tag in both Unicode forms, as editors of different systems write it, and in another case. */
const COMPOSED = 'Caf\u00e9';
const DECOMPOSED = 'cafe\u0301';

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault({
    'A.md': `#${COMPOSED} #one\n\nThe jib is a small sail.\n`,
    'B.md': `#${DECOMPOSED}\n\nThe jib is a small white sail.\n`,
    'C.md': `#${COMPOSED} #${DECOMPOSED}\n\nA sail.\n`,
  });
});
afterAll(async () => {
  await vault.close();
  discard(vault);
});

// biome-ignore lint/suspicious/noExplicitAny: answers of several operations.
async function call(operation: Operation, given: object): Promise<any> {
  return await runOperation(operation, vault.session, parseInput(operation, given), {
    signal: new AbortController().signal,
    progress: () => undefined,
    assistants: () => EXTRACTIVE,
  });
}

it('notes share a tag in any spelling', async () => {
  const { related } = await call(aiRelate, { source: 'A.md', candidates: ['B.md'] });
  expect(related).toMatchObject([{ path: 'B.md', tags: [COMPOSED] }]);
});

it('a table of contents has one group for a tag in any spelling', async () => {
  const { markdown } = await call(aiToc, { mode: 'glob', scope: { path_glob: '*' }, group_by: 'tag' });
  expect(markdown.match(/^## .*/gm)).toHaveLength(1);
});

it('a summary names a tag once', async () => {
  const { tags } = await call(aiSummarize, {
    scope: { paths: ['B.md', 'C.md'] },
    include: ['tags'],
  });
  expect(tags).toHaveLength(1);
});

it('a note has a tag once', async () => {
  const { tags } = await call(noteRead, { path: 'C.md', include: ['tags'] });
  expect(tags).toEqual([COMPOSED]);
});

it('a search finds a tag in any spelling', async () => {
  for (const tag of [COMPOSED, DECOMPOSED]) {
    const { results } = await call(vaultSearch, { q: `tag:${tag}`, mode: 'lexical' });
    expect(results.map(({ path }: { path: string }) => path).sort()).toEqual(['A.md', 'B.md', 'C.md']);
  }
});
