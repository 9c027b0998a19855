import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { OPEN_ACCESS } from './access.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function missingIn(files: Record<string, string>, path = 'N.md'): Promise<string[]> {
  const vault = await openTestVault(files);
  open.push(vault);
  const { items } = await vault.session.forward(path, { limit: 100 });
  return items
    .filter(({ subpathMissing }) => subpathMissing)
    .map(({ written, subpath, target }) => `${written}${subpath} in ${target}`);
}

test.each([
  ['a heading that is there', '[[T#Plan]] [t](T.md#Plan) ![[T#plan]] [[T#Plan?]]', []],
  [
    'a heading that is not',
    '[[T#Other]] [t](T.md#Other%20one)',
    ['T#Other in T.md', 'T.md#Other one in T.md'],
  ],
  ['a chain', '[[T#Plan#Deep]] [[T#Deep#Plan]]', ['T#Deep#Plan in T.md']],
  ['a block', '[[T#^b1]] [[T#^B1]] [[T#^b2]] [[T#^plan]]', ['T#^b2 in T.md', 'T#^plan in T.md']],
  ['a heading of this note', '# Own\n[[#Own]] [[#Foreign]]', ['#Foreign in N.md']],
  ['a footnote, an empty subpath', '[[T#[^1]]] [[T#]]', []],
  ['a note that is not there', '[[Gone#Plan]]', []],
  ['a page of a PDF', '[[a.pdf#page=3]]', []],
  ['a heading in code', '[[T#Code]]', ['T#Code in T.md']],
])('%s', async (_, text, missing) => {
  const files = { 'T.md': '# Plan\n## Deep\ntext ^b1\n```\n# Code\n```\n', 'a.pdf': '', 'N.md': `${text}\n` };
  expect(await missingIn(files)).toEqual(missing);
});

test.each([
  ['a view that is there', '![[x.base#Open]] ![[x.base#open]] ![v](x.base#Open) ![[x.base]] [[x.base#]]', []],
  [
    'a view that is not',
    '![[x.base#Opne|300]] [v](x.base#Opne)',
    ['x.base#Opne in x.base', 'x.base#Opne in x.base'],
  ],
  ['a view of a base that cannot be read', '![[broken.base#Open]]', []],
])('%s', async (_, text, missing) => {
  const files = {
    'x.base': 'views: [{type: table, name: All}, {type: list, name: Open}]\n',
    'broken.base': 'views: [',
    'N.md': `${text}\n`,
  };
  expect(await missingIn(files)).toEqual(missing);
});

test('a file card of a canvas', async () => {
  const card = (subpath: string) => ({
    id: subpath,
    type: 'file',
    file: 'T.md',
    subpath,
    x: 0,
    y: 0,
    width: 1,
    height: 1,
  });
  const canvas = JSON.stringify({ nodes: [card('#Plan'), card('#Gone')] });
  expect(await missingIn({ 'T.md': '# Plan\n', 'c.canvas': canvas }, 'c.canvas')).toEqual([
    'T.md#Gone in T.md',
  ]);
});

test('SilverBullet compares headings as they are written', async () => {
  const files = { '.silverbullet.db': '', 'T.md': '# Plan?\n', 'N.md': '[[T#Plan?]] [[T#Plan]]\n' };
  expect(await missingIn(files)).toEqual(['T#Plan in T.md']);
});

test('of a hidden note nothing is told', async () => {
  const rules = { ...OPEN_ACCESS, read: { allow: [], deny: ['h/**'] } };
  const vault = await openTestVault({ 'h/T.md': '# Plan\n', 'N.md': '[[T#Plan]] [[T#Gone]]\n' }, { rules });
  open.push(vault);
  const { items } = await vault.session.forward('N.md', { limit: 9 });
  expect(items.map(({ target, subpathMissing }) => [target, subpathMissing])).toEqual([
    [undefined, false],
    [undefined, false],
  ]);
});

test('a note of the size that is parsed in a thread of its own', async () => {
  const long = `# Plan\n${'word '.repeat(30_000)}\n## End\n`;
  expect(await missingIn({ 'T.md': long, 'N.md': '[[T#End]] [[T#Gone]]\n' })).toEqual(['T#Gone in T.md']);
});
