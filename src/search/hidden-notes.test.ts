import { afterEach, describe, expect, it } from 'vitest';
import { countingEmbedder, type EmbeddingFixture, embeddingFixture, subjectVault } from './embed/testing.ts';
import { relatedNotes } from './related.ts';
import { search } from './semantic/passage-search.ts';
import type { SearchAnswer, SearchMode } from './types.ts';

/** What hidden notes must not do in searches by meaning: teach, count, name, relate, correct, be in the way. */

/** Hidden notes bring two visible subjects together, and a word of their own. */
const HIDDEN = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [
    `Secret/${at}.md`,
    `# Merger ${at}\n\nguitar chord melody mortgage dividend payroll zeppelin quokka\n`,
  ]),
);
const VISIBLE = { ...subjectVault(), 'Quota.md': '# Quota\n\nthe quota of the year\n' };
/** What the owner lets anybody see; and a caller who sees no more than that, by rules of their own. */
const visible = { key: 'no secrets', test: (path: string) => !path.startsWith('Secret/'), common: true };
const narrowed = { ...visible, common: false };

const vaults: EmbeddingFixture[] = [];

afterEach(async () => {
  for (const vault of vaults.splice(0)) await vault.close();
});

async function vaultOf(
  files: Record<string, string>,
  options: Parameters<EmbeddingFixture['embed']>[0] = {},
  neural?: Parameters<typeof embeddingFixture>[1],
): Promise<EmbeddingFixture> {
  const vault = embeddingFixture(files, neural);
  vaults.push(vault);
  await vault.embed(options);
  return vault;
}

const behind = (vault: EmbeddingFixture, query: string, mode: SearchMode): Promise<SearchAnswer> =>
  search(vault.reader, vault.passages, { query, mode, filter: {}, limit: 50 }, { visible });

const narrowly = (vault: EmbeddingFixture, query: string, mode: SearchMode): Promise<SearchAnswer> =>
  search(vault.reader, vault.passages, { query, mode, filter: {}, limit: 50 }, { visible: narrowed });

const pathsOf = ({ items }: SearchAnswer): string[] => items.map(({ path }) => path).sort();

describe('a model that learned from what is visible only', () => {
  const open = () => vaultOf({ ...VISIBLE, ...HIDDEN }, { teaches: visible.test });

  it('answers by meaning, with no hit, count or snippet of a hidden note', async () => {
    const vault = await open();
    for (const mode of ['hybrid', 'semantic'] as const) {
      const answer = await behind(vault, 'guitar melody rehearsal', mode);
      expect(answer).toMatchObject({ modeUsed: mode, notice: undefined });
      expect(answer.total).toBeLessThanOrEqual(Object.keys(VISIBLE).length);
      expect(answer.items.some(({ path }) => path.startsWith('Secret/'))).toBe(false);
      expect(JSON.stringify(answer)).not.toMatch(/zeppelin|Merger/);
      expect(answer.items.slice(0, 5).every(({ path }) => path.startsWith('Music/'))).toBe(true);
    }
  });

  it('sees no tie between subjects that only hidden notes bring together', async () => {
    const vault = await open();
    const answer = await behind(vault, 'guitar chord', 'semantic');
    expect(answer.items.some(({ path }) => path.startsWith('Money/'))).toBe(false);
  });

  it('knows no word that only hidden notes have, whatever it means there', async () => {
    const vault = await open();
    for (const mode of ['hybrid', 'semantic', 'lexical'] as const)
      expect(await behind(vault, 'zeppelin', mode)).toMatchObject({ total: 0, items: [] });
  });

  it('relates and moves the query by visible notes alone', async () => {
    const vault = await open();
    const related = await relatedNotes(vault.reader, vault.passages, 'Music/1.md', { limit: 50, visible });
    expect(related.notice).toBeUndefined();
    expect(related.items.length).toBeGreaterThan(5);
    expect(related.items.slice(0, 5).every(({ path }) => path.startsWith('Music/'))).toBe(true);
    expect(related.items.some(({ path }) => /^(?:Secret|Money)\//.test(path) && path !== 'Money/1.md')).toBe(
      false,
    );
  });

  it('gives the very answers, scores included, of a vault without the hidden notes', async () => {
    const vault = await open();
    const without = await vaultOf(VISIBLE, { teaches: visible.test });
    for (const mode of ['hybrid', 'semantic', 'lexical'] as const)
      for (const query of ['guitar melody rehearsal', 'budget', 'zeppelin', 'oven tempo kernel', 'quoka'])
        expect(await behind(vault, query, mode), `${mode} ${query}`).toEqual(
          await behind(without, query, mode),
        );
    const related = ({ reader, passages }: EmbeddingFixture) =>
      relatedNotes(reader, passages, 'Music/1.md', { limit: 50, visible });
    expect(await related(vault)).toEqual(await related(without));
  });

  it('does not serve rules of a caller’s own, whether or not they hide a note', async () => {
    const vault = await open();
    const without = await vaultOf(VISIBLE, { teaches: visible.test });
    const young = embeddingFixture(VISIBLE);
    vaults.push(young);
    for (const mode of ['hybrid', 'semantic'] as const) {
      const answers = await Promise.all(
        [vault, without, young].map((each) => narrowly(each, 'guitar melody rehearsal', mode)),
      );
      expect(answers[0]).toMatchObject({
        modeUsed: 'lexical',
        notice: expect.stringContaining('only a part'),
      });
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]).toEqual(answers[2]);
    }
  });

  it('is not learned anew because of notes that teach nothing', async () => {
    const vault = await open();
    const id = async () => (await vault.vectors.status()).models[0]?.id;
    const before = await id();
    const more = Array.from({ length: 200 }, (_, at) => [
      `Secret/more ${at}.md`,
      `# ${at}\n\nzeppelin ${at}\n`,
    ]);
    vault.put(Object.fromEntries(more));
    await vault.embed({ teaches: visible.test });
    await vault.embed({ teaches: visible.test });
    expect(await id()).toBe(before);
  });

  it('is learned anew when what it learned from is hidden', async () => {
    const vault = await vaultOf({ ...VISIBLE, ...HIDDEN });
    const [before] = (await vault.vectors.status()).models;
    expect(await vault.vectors.teachers(before?.id ?? '')).toContain('Secret/1.md');
    await vault.embed({ teaches: visible.test });
    const [after] = (await vault.vectors.status()).models;
    expect(after?.id).not.toBe(before?.id);
    expect((await vault.vectors.teachers(after?.id ?? '')).some((path) => !visible.test(path))).toBe(false);
    expect((await behind(vault, 'guitar melody', 'semantic')).modeUsed).toBe('semantic');
  });
});

describe('a model that learned from hidden notes too', () => {
  it('is not used for who may not see them, and no number tells of them', async () => {
    const vault = await vaultOf({ ...VISIBLE, ...HIDDEN });
    const without = await vaultOf(VISIBLE);
    const all = await search(vault.reader, vault.passages, {
      query: 'guitar',
      mode: 'semantic',
      filter: {},
      limit: 50,
    });
    expect(all.modeUsed).toBe('semantic');
    for (const mode of ['hybrid', 'semantic'] as const)
      for (const query of ['guitar', 'zeppelin', 'guitar mortgage', 'quoka']) {
        const answer = await behind(vault, query, mode);
        const lexical = await search(without.reader, without.passages, {
          query,
          mode: 'lexical',
          filter: {},
          limit: 50,
        });
        expect(answer.modeUsed).toBe('lexical');
        expect(pathsOf(answer), query).toEqual(pathsOf(lexical));
        expect(answer.total).toBe(lexical.total);
        expect(answer.notice).not.toMatch(/\d/);
      }
    const related = await relatedNotes(vault.reader, vault.passages, 'Music/1.md', { limit: 50, visible });
    expect(related).toMatchObject({ items: [], notice: expect.not.stringMatching(/\d/) });
  });

  it('says nothing in numbers while it is being made', async () => {
    const vault = embeddingFixture({ ...VISIBLE, ...HIDDEN }, countingEmbedder());
    vaults.push(vault);
    expect((await behind(vault, 'guitar', 'hybrid')).notice).not.toMatch(/\d/);
  });
});

describe('a neural model', () => {
  it('serves who may not see everything as if the rest were not there', async () => {
    const vault = await vaultOf({ ...VISIBLE, ...HIDDEN }, {}, countingEmbedder());
    const without = await vaultOf(VISIBLE, {}, countingEmbedder());
    for (const query of ['guitar chord', 'quota of the year', 'tempo']) {
      const answer = await behind(vault, query, 'semantic');
      const expected = await behind(without, query, 'semantic');
      expect(answer.modeUsed).toBe('semantic');
      expect(pathsOf(answer)).toEqual(pathsOf(expected));
      expect(answer.total).toBe(expected.total);
    }
    const hybrid = await behind(vault, 'guitar zeppelin', 'hybrid');
    expect(hybrid.items.some(({ path }) => path.startsWith('Secret/'))).toBe(false);
  });
});

describe('a mistyped word', () => {
  it('is read as a visible one though a hidden one is nearer or commoner', async () => {
    const vault = await vaultOf({ ...VISIBLE, ...HIDDEN }, { teaches: visible.test });
    const answer = await behind(vault, 'quoka', 'lexical');
    expect(answer.notice).not.toContain('quokka');
    expect(answer.items.map(({ path }) => path)).toEqual(['Quota.md']);
  });
});
