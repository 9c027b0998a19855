import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SearchFixture, searchFixture } from '../testing.ts';

interface SearchCase {
  readonly id: string;
  readonly area: string;
  readonly input: { readonly files: Record<string, string> };
}

const CASES = new Map(
  readFileSync(new URL('../../../test/fixtures/cases.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SearchCase)
    .filter(({ area }) => area === 'search')
    .map((each) => [each.id, each]),
);

const open: SearchFixture[] = [];
function fixture(files: Readonly<Record<string, string>>): SearchFixture {
  const opened = searchFixture(files);
  open.push(opened);
  return opened;
}
function caseFixture(id: string): SearchFixture {
  const found = CASES.get(id);
  if (!found) throw new Error(`no case ${id}`);
  return fixture(found.input.files);
}
afterAll(async () => {
  for (const opened of open) await opened.close();
});

describe('the recorded cases', () => {
  test('are all looked at here', () => {
    expect([...CASES.keys()]).toEqual(['sea-01', 'sea-02', 'sea-03', 'sea-04', 'sea-05', 'sea-06', 'sea-07']);
  });

  test('sea-01: hyphens are no operators', async () => {
    const { paths, search } = caseFixture('sea-01');
    expect((await paths('POL-358'))[0]).toBe('A.md');
    expect(await paths('agentic-os')).toEqual(['A.md']);
    const partial = await search('agentic-os dashboard');
    expect(partial.items.map((hit) => hit.path)).toEqual(['A.md']);
    expect(partial.notice).toContain('partial matches');
  });

  test('sea-02: leading dashes in quotes', async () => {
    const { paths } = caseFixture('sea-02');
    expect(await paths('"--error-on-warnings"')).toEqual(['A.md']);
    expect(await paths('--error-on-warnings')).toEqual(['A.md']);
  });

  test('sea-03: any punctuation', async () => {
    const { paths, search } = caseFixture('sea-03');
    for (const query of ["don't use", 'Downloads/transcripts', 'ok? — yes', 'a*b', '{y}', '^x:']) {
      expect(await paths(query), query).toEqual(['A.md']);
    }
    for (const query of ['(', ')', '"', 'AND', 'OR', '-', '*', ' ', '', '()', '[]', '""']) {
      const { items, total, notice } = await search(query);
      expect({ items, total }, query).toEqual({ items: [], total: 0 });
      expect(notice, query).toContain('no words');
    }
    await expect(search('NOT x')).resolves.toBeDefined();
  });

  test('sea-04: versions and dates', async () => {
    const { paths } = caseFixture('sea-04');
    expect((await paths('2026.4.10'))[0]).toBe('A.md');
    expect(await paths('"1.0.21"')).toEqual(['A.md']);
  });

  test('sea-05: CJK from one character up', async () => {
    const { paths } = caseFixture('sea-05');
    expect(await paths('系統')).toEqual(['A.md']);
    expect(await paths('テスト')).toEqual(['B.md']);
    expect(await paths('識')).toEqual(['A.md']);
    expect(await paths('메모')).toEqual(['C.md']);
  });

  test('sea-06: two CJK words', async () => {
    expect(await caseFixture('sea-06').paths('目录 文件')).toEqual(['A.md']);
  });

  test('sea-07: the end of a long note, at 2 MB too', async () => {
    expect(await caseFixture('sea-07').paths('needleword')).toEqual(['Big.md']);
    const big = fixture({ 'Big.md': `${'x '.repeat(1_000_000)}\n# End\n\nneedleword\n` });
    const [hit] = (await big.search('needleword')).items;
    expect(hit).toMatchObject({ path: 'Big.md', snippet: '**needleword**', line: 4, headings: ['End'] });
  });
});

const VAULT: Record<string, string> = {
  'Projects/Alpha.md':
    '---\naliases: [First Project]\nstatus: in progress\nyear: 2024\ndone: false\ndue:\nrelated: []\n---\n# Alpha\n\nThe budget meeting about flour.\n\n- [ ] call Anna\n- [x] mix the flour\n\n## Notes\n\nmix it well, JavaScript inside\n',
  'Projects/Beta.md':
    '---\nstatus: Done\nyear: 2020\ndone: true\ntags: [area/home]\ndue: 2024-05-01\n---\nBudgets for the house #work\n\nHappyCat sleeps. mix and flour on one line\n',
  'Daily/2024-05-01.md': 'Went to a meeting. #work/urgent\n\nflour\n\nmix\n',
  'Budget.md': 'All about money.\n',
  'Travel/Café.md': 'Résumé of the trip: naïve plans, ponies running.\n',
  'Travel/日本.md': '東京の図書館で本を読む。\n',
};

describe('plain words', () => {
  let vault: SearchFixture;
  beforeAll(() => {
    vault = fixture(VAULT);
  });

  test('are all required, stemmed, without diacritics', async () => {
    expect(await vault.paths('budget meeting')).toEqual(['Projects/Alpha.md']);
    expect((await vault.paths('budget')).sort()).toEqual([
      'Budget.md',
      'Projects/Alpha.md',
      'Projects/Beta.md',
    ]);
    expect(await vault.paths('resume pony run')).toEqual(['Travel/Café.md']);
    expect(await vault.paths('図書館')).toEqual(['Travel/日本.md']);
  });

  test('a title that is the query comes first, an alias too', async () => {
    const { items } = await vault.search('budget');
    expect(items[0]).toMatchObject({
      path: 'Budget.md',
      matchedIn: ['title', 'path'],
      snippet: 'All about money.',
    });
    const [alias] = (await vault.search('first project')).items;
    expect(alias).toMatchObject({ path: 'Projects/Alpha.md' });
    expect(alias?.matchedIn).toContain('alias');
  });

  test('words that begin with them count when few notes hold them', async () => {
    const { items, notice } = await vault.search('sleep happ');
    expect(items[0]).toMatchObject({ path: 'Projects/Beta.md' });
    expect(items[0]?.snippet).toContain('**HappyCat sleeps**');
    expect(notice).toContain('begin');
    expect(await vault.paths('happ*')).toEqual(['Projects/Beta.md']);
  });

  test('some of the words, said so', async () => {
    const { items, notice } = await vault.search('budget zebra');
    expect(items.length).toBe(3);
    expect(notice).toContain('partial matches');
  });

  test('a typo is allowed, said so', async () => {
    const { items, notice } = await vault.search('buget');
    expect(items[0]?.path).toBe('Budget.md');
    expect(notice).toContain('"buget"');
    expect((await vault.search('zzzzzz')).items).toEqual([]);
  });

  test('-words are excluded', async () => {
    expect(await vault.paths('meeting -budget')).toEqual(['Daily/2024-05-01.md']);
    expect((await vault.paths('-budget -meeting')).sort()).toEqual(['Travel/Café.md', 'Travel/日本.md']);
  });

  test('OR, groups and phrases', async () => {
    expect((await vault.paths('money OR HappyCat')).sort()).toEqual(['Budget.md', 'Projects/Beta.md']);
    expect((await vault.paths('mix (HappyCat OR Anna)')).sort()).toEqual([
      'Projects/Alpha.md',
      'Projects/Beta.md',
    ]);
    expect(await vault.paths('"mix and flour"')).toEqual(['Projects/Beta.md']);
    expect(await vault.paths('"flour and mix"')).toEqual([]);
  });
});

describe('operators', () => {
  let vault: SearchFixture;
  beforeAll(() => {
    vault = fixture(VAULT);
  });

  test.each([
    ['path:projects/', ['Projects/Alpha.md', 'Projects/Beta.md']],
    ['path:proj -file:beta', ['Projects/Alpha.md']],
    ['file:alph', ['Projects/Alpha.md']],
    ['file:Projects', []],
    ['path:cafe', ['Travel/Café.md']],
    ['file:/^\\d{4}-/', ['Daily/2024-05-01.md']],
    ['content:budget', ['Projects/Alpha.md', 'Projects/Beta.md']],
    ['match-case:HappyCat', ['Projects/Beta.md']],
    ['match-case:happycat', []],
    ['ignore-case:happycat', ['Projects/Beta.md']],
    ['tag:#work', ['Daily/2024-05-01.md', 'Projects/Beta.md']],
    ['tag:work/urgent', ['Daily/2024-05-01.md']],
    ['tag:#wor', []],
    ['tag:#area -tag:#work', []],
    ['-tag:#work path:Projects', ['Projects/Alpha.md']],
    ['line:(mix flour)', ['Projects/Alpha.md', 'Projects/Beta.md']],
    ['line:("mix" -the flour)', ['Projects/Beta.md']],
    ['line:ava', ['Projects/Alpha.md']],
    ['-line:(mix flour) flour', ['Daily/2024-05-01.md']],
    ['block:(mix flour)', ['Projects/Alpha.md', 'Projects/Beta.md']],
    ['section:(meeting flour)', ['Daily/2024-05-01.md', 'Projects/Alpha.md']],
    ['section:(budget well)', []],
    ['section:(line:(mix well) javascript)', ['Projects/Alpha.md']],
    ['task:call', ['Projects/Alpha.md']],
    ['task-todo:flour', []],
    ['task-done:flour', ['Projects/Alpha.md']],
    ['task:""', ['Projects/Alpha.md']],
    ['/m[aei]x\\b.*well/', ['Projects/Alpha.md']],
    ['line:/^flour$/', ['Daily/2024-05-01.md']],
    ['[status]', ['Projects/Alpha.md', 'Projects/Beta.md']],
    ['[STATUS:progress]', ['Projects/Alpha.md']],
    ['[status:"progress"]', []],
    ['[status:"in progress" OR done]', ['Projects/Alpha.md', 'Projects/Beta.md']],
    ['[due:null]', ['Projects/Alpha.md']],
    ['[related:null]', []],
    ['[year:>2021]', ['Projects/Alpha.md']],
    ['[year:<2021]', ['Projects/Beta.md']],
    ['[due:>2024-04-30]', ['Projects/Beta.md']],
    ['[done:true]', ['Projects/Beta.md']],
    ['[done:false]', ['Projects/Alpha.md']],
    ['[/^st/:/prog/]', ['Projects/Alpha.md']],
    ['[status] -[done:true]', ['Projects/Alpha.md']],
    ['[aliases:first]', ['Projects/Alpha.md']],
    ['flour [year:2024] path:proj', ['Projects/Alpha.md']],
    ['file:budget OR [year:2020]', ['Budget.md', 'Projects/Beta.md']],
    ['(a OR b OR c) (d OR e OR f) (g OR h OR i) (j OR k OR l) (m OR n OR o)', []],
  ])('%s', async (query, expected) => {
    expect((await vault.paths(query)).sort()).toEqual(expected);
  });

  test('the snippet shows the place, with its true line and headings', async () => {
    const [hit] = (await vault.search('line:(mix well)')).items;
    expect(hit).toMatchObject({ path: 'Projects/Alpha.md', line: 18, headings: ['Alpha', 'Notes'] });
    expect(hit?.snippet).toContain('**mix** it **well**');
  });

  test('an unusable pattern is said, and matches nothing', async () => {
    const { items, notice } = await vault.search('/(?=x)y/ OR money');
    expect(items.map((hit) => hit.path)).toEqual(['Budget.md']);
    expect(notice).toContain('lookaround');
  });
});

describe('filters, visibility and pages', () => {
  let vault: SearchFixture;
  beforeAll(() => {
    const files: Record<string, string> = {};
    for (let index = 0; index < 230; index += 1) {
      files[`n/${String(index).padStart(3, '0')}.md`] =
        `common word ${index % 7 === 0 ? 'rare ' : ''}${'pad '.repeat(index % 13)}\n`;
    }
    files['hidden/secret.md'] = 'common zanzibar\n';
    vault = fixture(files);
  });

  test.each(['common', 'line:common', 'common OR rare', '-zanzibar', '/comm/'])(
    'pages of %s are complete, disjoint and stable',
    async (query) => {
      const seen: string[] = [];
      let cursor: string | undefined;
      let total = 0;
      do {
        const answer = await vault.search(query, { limit: 37, ...(cursor !== undefined && { cursor }) });
        expect(answer.items.length).toBeLessThanOrEqual(37);
        seen.push(...answer.items.map((hit) => hit.path));
        total = answer.total;
        cursor = answer.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBe(total);
      expect(total).toBe(query === '-zanzibar' ? 230 : 231);
      expect((await vault.search(query, { limit: 37 })).items.map((hit) => hit.path)).toEqual(
        seen.slice(0, 37),
      );
    },
  );

  test('scores fall within a page and stay in 0..1', async () => {
    const { items } = await vault.search('rare common', { limit: 50 });
    const scores = items.map((hit) => hit.score);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  test('the limit is held to 1..50', async () => {
    expect((await vault.search('common', { limit: 5000 })).items).toHaveLength(50);
    expect((await vault.search('common', { limit: -1 })).items).toHaveLength(1);
    expect((await vault.search('common', { limit: Number.NaN })).items).toHaveLength(1);
  });

  test('a cursor of another search, or a damaged one, is refused', async () => {
    const { nextCursor } = await vault.search('common', { limit: 5 });
    const wrong = [
      '',
      'x',
      'e30',
      '%%%',
      'A'.repeat(10_000),
      Buffer.from('[1,2,3,4,5]').toString('base64url'),
    ];
    for (const cursor of wrong) {
      await expect(vault.search('common', { cursor })).rejects.toMatchObject({ code: 'invalid_input' });
    }
    await expect(vault.search('rare', { cursor: nextCursor ?? '' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  test('what is hidden is in no hit, no total and no notice', async () => {
    const visible = { key: 'not hidden', test: (path: string) => !path.startsWith('hidden/') };
    expect((await vault.search('common', {}, { visible })).total).toBe(230);
    expect((await vault.search('line:common', {}, { visible })).total).toBe(230);
    for (const query of ['zanzibar', 'zanzibra', 'zanzi*', 'common zanzibra']) {
      const { items, notice } = await vault.search(query, { limit: 50 }, { visible });
      expect(items.some((hit) => hit.path.startsWith('hidden/'))).toBe(false);
      expect(notice ?? '').not.toContain('zanzibar');
    }
  });

  test('filters act inside the search', async () => {
    const { total } = await vault.search('common', { filter: { pathGlob: 'n/00*' } });
    expect(total).toBe(10);
    expect((await vault.search('line:common', { filter: { pathGlob: 'n/00*' } })).total).toBe(10);
  });

  test('a search that runs out of time answers with what it has, and says so', async () => {
    const { notice, isPartial } = await vault.search('line:common', {}, { budgetMs: 0 });
    expect(notice).toContain('too long');
    expect(isPartial).toBe(true);
    await expect(vault.search('common', {}, { budgetMs: 0 })).resolves.toMatchObject({ total: 231 });
    expect(await vault.search('line:common')).toMatchObject({ total: 231, isPartial: false });
  });
});
