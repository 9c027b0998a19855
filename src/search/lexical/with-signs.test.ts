import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { type SearchFixture, searchFixture } from '../testing.ts';

interface SearchCase {
  readonly id: string;
  readonly input: { readonly files: Record<string, string> };
  readonly action: readonly { readonly query: string }[];
  readonly right: { readonly steps: readonly { readonly first?: string; readonly notes?: string[] }[] };
}

const CASES = readFileSync(new URL('../../../test/fixtures/cases-2.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as SearchCase)
  .filter(({ id }) => id.includes('-sea-'));

const open: SearchFixture[] = [];
function fixture(files: Readonly<Record<string, string>>): SearchFixture {
  const opened = searchFixture(files);
  open.push(opened);
  return opened;
}
afterAll(async () => {
  for (const opened of open) await opened.close();
});

test.each(CASES.map((each) => [each.id, each] as const))('%s', async (_id, { input, action, right }) => {
  const { paths } = fixture(input.files);
  for (const [at, { query }] of action.entries()) {
    const found = await paths(query);
    const { first, notes } = right.steps[at] ?? {};
    if (first !== undefined) expect(found[0], query).toBe(first);
    if (notes !== undefined) expect(found.sort(), query).toEqual(notes);
  }
});

/** Each name, a note that has it, and one that has the bare word more often and in its title. */
const NAMES = ['C++', 'C#', 'F#', '#12', '$5', '.NET', 'R&D', 'A*', 'g++', '5%', '€5', '@home', '--force'];

describe.each(NAMES)('%s', (name) => {
  const bare = name.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
  const files = {
    'lang.md': `We like ${name} here.\n`,
    [`${bare}.md`]: `# ${bare}\n\n${bare} and ${bare}, ${bare} again. ${bare}\n`,
    'tail.md': `${bare} once\n`,
  };

  test('unquoted, the note that has it so comes first and is marked so', async () => {
    const { search } = fixture(files);
    const { items, total } = await search(name);
    expect(items[0]?.path).toBe('lang.md');
    expect(items[0]?.snippet).toContain(`**${name}**`);
    expect(total).toBe(3);
    expect(items.map(({ score }) => score)).toEqual(items.map(({ score }) => score).sort((a, b) => b - a));
  });

  test('quoted, only that note is found', async () => {
    const { search, paths } = fixture(files);
    expect(await paths(`"${name}"`)).toEqual(['lang.md']);
    expect(await paths(`content:"${name}"`)).toEqual(['lang.md']);
    expect((await search(`"${name}"`)).items[0]?.snippet).toContain(`**${name}**`);
    expect(await paths(`"like ${name} here"`)).toEqual(['lang.md']);
    expect(await paths(`"like ${bare} here"`)).toEqual(['lang.md']);
  });

  test('excluded, only that note is left out', async () => {
    const { paths } = fixture(files);
    expect(await paths(`${bare} -"${name}"`)).not.toContain('lang.md');
    expect((await paths(`${bare} -"${name}"`)).sort()).toEqual([`${bare}.md`, 'tail.md'].sort());
  });

  test('beside other words and operators', async () => {
    const { paths } = fixture(files);
    expect(await paths(`"${name}" OR "nothing"`)).toEqual(['lang.md']);
    expect((await paths(`${name} OR zebra`))[0]).toBe('lang.md');
    expect((await paths(`${name} -path:nowhere -line:(zebra)`))[0]).toBe('lang.md');
  });
});

test('pages show every note once, those with the signs first', async () => {
  const files: Record<string, string> = {};
  for (let n = 0; n < 250; n += 1) files[`c${n}.md`] = `${'C '.repeat(1 + (n % 7))}\n`;
  for (let n = 0; n < 30; n += 1) files[`plus${n}.md`] = `${'text '.repeat(n * 3)} C++\n`;
  const { search } = fixture(files);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await search('C++', { limit: 50, ...(cursor !== undefined && { cursor }) });
    expect(page.total).toBe(280);
    seen.push(...page.items.map(({ path }) => path));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(new Set(seen).size).toBe(280);
  expect(seen).toHaveLength(280);
  expect(seen.slice(0, 30).every((path) => path.startsWith('plus'))).toBe(true);
});

test('a word that a star only begins is not a name', async () => {
  const { paths } = fixture({ 'a.md': 'garboard', 'b.md': 'garboards *garboa*', 'c.md': 'none' });
  expect((await paths('garboa*')).sort()).toEqual(['a.md', 'b.md']);
});

test('where nothing has the signs, the words are found as ever', async () => {
  const { search } = fixture({ 'a.md': 'vitamin C is good', 'b.md': 'other' });
  const { items } = await search('C++');
  expect(items[0]).toMatchObject({ path: 'a.md', snippet: 'vitamin **C** is good' });
  expect((await search('"C++"')).total).toBe(0);
});
