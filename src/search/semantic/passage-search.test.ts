import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { countingEmbedder, type EmbeddingFixture, embeddingFixture, subjectVault } from '../embed/testing.ts';
import { relatedNotes } from '../related.ts';
import type { SearchRequest } from '../types.ts';
import { search } from './passage-search.ts';

const ask = (
  { reader, passages }: EmbeddingFixture,
  query: string,
  request: Partial<SearchRequest> = {},
  options: Parameters<typeof search>[3] = {},
) => search(reader, passages, { query, mode: 'hybrid', filter: {}, limit: 10, ...request }, options);

const VAULT = {
  ...subjectVault(),
  'Plan.md': '---\nstatus: open\n---\n# Plan\n\n#work budget for the garden\n\n## Beds\n\nsoil and compost\n',
  'Links/Hub.md': '# Hub\n\n[[Garden/1]] [[Garden/2]]\n',
  'Links/Other.md': '# Other\n\n[[Garden/2]]\n',
};

describe('hybrid and semantic search', () => {
  let vault: EmbeddingFixture;

  beforeAll(async () => {
    vault = embeddingFixture(VAULT);
    await vault.embed();
  });

  afterAll(() => vault.close());

  it('finds the subject by words that only keep its company', async () => {
    const { items, modeUsed, notice } = await ask(vault, 'compost for the seeds', { mode: 'semantic' });
    expect(modeUsed).toBe('semantic');
    expect(notice).toBeUndefined();
    expect(items.filter(({ path }) => path.startsWith('Garden/')).length).toBeGreaterThan(7);
  });

  it('finds more notes than have the words', async () => {
    const hybrid = await ask(vault, 'guitar chord', { limit: 50 });
    const lexical = await ask(vault, 'guitar chord', { limit: 50, mode: 'lexical' });
    expect(hybrid.modeUsed).toBe('hybrid');
    expect(hybrid.total).toBeGreaterThan(lexical.total);
    expect(hybrid.items.slice(0, 5).every(({ path }) => path.startsWith('Music/'))).toBe(true);
  });

  it('describes a hit: section, line, marks, fields, score', async () => {
    const { items } = await ask(vault, 'soil compost', { filter: { frontmatter: { status: 'open' } } });
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      path: 'Plan.md',
      title: 'Plan',
      headings: ['Plan', 'Beds'],
      line: 10,
      tags: ['work'],
    });
    expect(items[0]?.snippet).toContain('**soil** and **compost**');
    expect(items[0]?.matchedIn).toContain('body');
    expect(items[0]?.score).toBeGreaterThan(0);
    expect(items[0]?.score).toBeLessThanOrEqual(1);
  });

  it('filters inside: tags, paths, what the caller may see', async () => {
    expect(
      (await ask(vault, 'budget', { filter: { tags: ['work'] } })).items.map(({ path }) => path),
    ).toEqual(['Plan.md']);
    expect((await ask(vault, 'tag:#work budget')).items.map(({ path }) => path)).toEqual(['Plan.md']);
    const globbed = await ask(vault, 'oven dough', { filter: { pathGlob: 'Music/**' } });
    expect(globbed.items.every(({ path }) => path.startsWith('Music/'))).toBe(true);
    const visible = { key: 'no kitchen', test: (path: string) => !path.startsWith('Kitchen/') };
    const hidden = await ask(vault, 'oven dough yeast', { limit: 50 }, { visible });
    expect(hidden.items.some(({ path }) => path.startsWith('Kitchen/'))).toBe(false);
  });

  it('pages through without repeats', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let total = 0;
    do {
      const page = await ask(vault, 'kernel reboot', { limit: 4, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.items.map(({ path }) => path));
      total = page.total;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(total);
    expect(new Set(seen).size).toBe(total);
    const foreign = (await ask(vault, 'kernel reboot', { limit: 4 })).nextCursor ?? '';
    await expect(ask(vault, 'oven', { cursor: foreign })).rejects.toThrow('another search');
  });

  it('answers to the letter what is asked to the letter, and says so', async () => {
    const quoted = await ask(vault, '"soil and compost"');
    expect(quoted).toMatchObject({ modeUsed: 'lexical', total: 1 });
    expect(quoted.notice).toContain('Quoted');
    const operators = await ask(vault, 'soil -compost');
    expect(operators.modeUsed).toBe('lexical');
  });

  it('looks for the nearest when nothing matches to the letter', async () => {
    const { modeUsed, notice, items } = await ask(vault, '"guitar saucepan chord melody"');
    expect(modeUsed).toBe('hybrid');
    expect(notice).toContain('No note matches the query as written');
    expect(items[0]?.path).toMatch(/^Music/);
  });

  it('falls back to the lexical search and its tolerance for words nobody wrote', async () => {
    const { modeUsed, items } = await ask(vault, 'guitr');
    expect(modeUsed).toBe('lexical');
    expect(items[0]?.path).toMatch(/^Music/);
    expect((await ask(vault, 'zzyzx qwrtp', { mode: 'semantic' })).items).toEqual([]);
  });

  it('relates notes by content and by links', async () => {
    const { items, notice } = await relatedNotes(vault.reader, vault.passages, 'Garden/1.md', { limit: 30 });
    expect(notice).toBeUndefined();
    expect(items.some(({ path }) => path === 'Garden/1.md')).toBe(false);
    expect(items.find(({ path }) => path === 'Links/Hub.md')?.because).toContain('linked from');
    expect(items.slice(0, 6).filter(({ path }) => path.startsWith('Garden/')).length).toBeGreaterThan(3);
    const visible = { key: 'no hub', test: (path: string) => path !== 'Links/Hub.md' };
    const seen = await relatedNotes(vault.reader, vault.passages, 'Garden/1.md', { limit: 50, visible });
    expect(seen.items.some(({ path }) => path === 'Links/Hub.md')).toBe(false);
    const shared = await relatedNotes(vault.reader, vault.passages, 'Links/Other.md', { limit: 50 });
    expect(shared.items.find(({ path }) => path === 'Links/Hub.md')?.because).toContain('shared links');
  });

  it('takes hostile queries in its stride', async () => {
    const hostile = [
      '"',
      '((((',
      '-',
      'OR',
      '/(a+)+$/',
      'a'.repeat(100_000),
      '😀'.repeat(500),
      'שלום עולם',
      '\ud800 \udc00',
      '\0',
      '[',
      '[a:',
      'tag:',
      '漢'.repeat(5_000),
      '%_*?',
      '   ',
      `${'x '.repeat(3_000)}`,
      "Robert'); DROP TABLE file;--",
      '\u202e\u200b',
    ];
    for (const query of hostile)
      for (const mode of ['semantic', 'hybrid'] as const) {
        const start = performance.now();
        const answer = await ask(vault, query, { mode });
        expect(answer.items.length).toBeLessThanOrEqual(10);
        expect(performance.now() - start).toBeLessThan(5_000);
      }
  });
});

describe('when vectors are not there', () => {
  let vault: EmbeddingFixture | undefined;

  afterEach(async () => {
    await vault?.close();
    vault = undefined;
  });

  it('answers lexically and says why, before the job has run', async () => {
    vault = embeddingFixture(VAULT);
    const answer = await ask(vault, 'guitar chord');
    expect(answer.modeUsed).toBe('lexical');
    expect(answer.notice).toContain('no semantic vectors');
    expect(answer.items.length).toBeGreaterThan(0);
    expect((await relatedNotes(vault.reader, vault.passages, 'Links/Hub.md', { limit: 5 })).notice).toContain(
      'no semantic vectors',
    );
  });

  it('searches the first notes of a vault by a neural model, filters and what may be seen included', async () => {
    const files = { 'Pets/Cat.md': '# Cat\n\ncat cat cat\n', 'Sea/Boat.md': '# Boat\n\nzoo boot boom\n' };
    vault = embeddingFixture(files, countingEmbedder());
    await vault.embed();
    for (const mode of ['semantic', 'hybrid'] as const) {
      const answer = await ask(vault, 'tacct', { mode });
      expect(answer).toMatchObject({ modeUsed: mode, notice: undefined });
      expect(answer.items[0]).toMatchObject({ path: 'Pets/Cat.md', line: 3, matchedIn: ['meaning'] });
      const filtered = await ask(vault, 'tacct', { mode, filter: { pathGlob: 'Sea/**' } });
      expect(filtered.items.map(({ path }) => path)).toEqual(['Sea/Boat.md']);
    }
    const related = await relatedNotes(vault.reader, vault.passages, 'Pets/Cat.md', { limit: 5 });
    expect(related).toMatchObject({ notice: undefined });
  });

  it('follows edits: new text at once, new vectors when the job has run', async () => {
    vault = embeddingFixture(VAULT);
    await vault.embed();
    await ask(vault, 'guitar');
    vault.put({ 'Music/1.md': '# Changed\n\nNow about the oven and its dough, yeast and flour.\n' });
    const stale = await ask(vault, 'oven dough yeast flour', { limit: 50 });
    expect(stale.items.find(({ path }) => path === 'Music/1.md')?.snippet).toContain('**oven**');
    await vault.embed();
    const fresh = await ask(vault, 'saucepan simmer', { mode: 'semantic', limit: 50 });
    expect(fresh.items.map(({ path }) => path)).toContain('Music/1.md');
    vault.index.apply([], ['Music/1.md']);
    const gone = await ask(vault, 'oven dough yeast flour', { limit: 50 });
    expect(gone.items.map(({ path }) => path)).not.toContain('Music/1.md');
  });

  it('uses a neural model once it is filled, the local one until then, and neither when it fails', async () => {
    const neural = countingEmbedder();
    vault = embeddingFixture(VAULT, neural);
    neural.fail = true;
    await vault.embed();
    const before = await ask(vault, 'guitar chord');
    expect(before.modeUsed).toBe('hybrid');
    expect(before.notice).toContain('test/letters are still being built');
    neural.fail = false;
    await vault.embed();
    const filled = await ask(vault, 'guitar chord');
    expect(filled).toMatchObject({ modeUsed: 'hybrid', notice: undefined });
    neural.fail = true;
    const failing = await ask(vault, 'guitar chord');
    expect(failing.modeUsed).toBe('lexical');
    expect(failing.notice).toContain('did not answer');
    expect(failing.items.length).toBeGreaterThan(0);
  });
});

describe('words with signs', () => {
  let vault: EmbeddingFixture;

  beforeAll(async () => {
    const plain: Record<string, string> = {};
    for (let n = 0; n < 12; n += 1)
      plain[`Lang/${n}.md`] = `# Compilers\n\nThe compiler of C emits code; C and c code of letters.\n`;
    vault = embeddingFixture({
      ...subjectVault(),
      ...plain,
      'Lang/plus.md':
        '# Notes\n\nThe compiler emits code for letters.\n\n## Later\n\nOther words stand here, then a compiler whose code is C++ once.\n',
    });
    await vault.embed();
  });

  afterAll(() => vault.close());

  it('alone are searched as written', async () => {
    const { items, modeUsed } = await ask(vault, 'C++');
    expect(modeUsed).toBe('lexical');
    expect(items[0]).toMatchObject({ path: 'Lang/plus.md', line: 7 });
    expect(items[0]?.snippet).toContain('**C++**');
  });

  it('among others lift the notes that have them so, and are shown', async () => {
    const { items, modeUsed } = await ask(vault, 'compiler code for C++');
    expect(modeUsed).toBe('hybrid');
    expect(items[0]?.path).toBe('Lang/plus.md');
    expect(items[0]?.snippet).toContain('**C++**');
    expect(items.length).toBeGreaterThan(5);
  });

  it('leave a question as it is where no note has them', async () => {
    const bare = await ask(vault, 'compiler code for letters');
    const signed = await ask(vault, 'compiler code for letters F#');
    expect(signed.items.length).toBeGreaterThan(0);
    expect(signed.items[0]?.score).toBeGreaterThan((bare.items[0]?.score ?? 0) / 2);
  });
});
