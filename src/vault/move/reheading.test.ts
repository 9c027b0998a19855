import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import type { PatchOp } from '../../notes/patch/op.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function renamed(files: Record<string, string>, to: string, from = 'X') {
  const vault = await openTestVault(files);
  open.push(vault);
  const ops = [{ op: 'rename_heading', from, to, ...(from === 'X' && { occurrence: 1 }) }] as const;
  const error = await vault.session.patch('A.md', ops, { tool: 't' }).then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  );
  return { error, files: vault.files() };
}

const node = (fields: object) => ({ id: '1', x: 0, y: 0, width: 1, height: 1, ...fields });

test.each([
  [
    'wikilinks',
    '[[A#X]] [[A#x|y]] ![[A#T#X]] [[A#^b]] `[[A#X]]`\n',
    '[[A#Y Z]] [[A#Y Z|y]] ![[A#T#Y Z]] [[A#^b]] `[[A#X]]`\n',
  ],
  ['Markdown links', '[m](A.md#X) [n](<A.md#X> "t")\n', '[m](A.md#Y%20Z) [n](<A.md#Y%20Z> "t")\n'],
  ['a definition used twice', '[a][r] [b][r]\n\n[r]: A.md#X\n', '[a][r] [b][r]\n\n[r]: A.md#Y%20Z\n'],
  ['properties', '---\nup: "[[A#X]]"\n---\n', '---\nup: "[[A#Y Z]]"\n---\n'],
  ['tables', '| [[A#X\\|x]] |\n|---|\n', '| [[A#Y Z\\|x]] |\n|---|\n'],
])('%s follow a heading', async (_, text, right) => {
  const { files } = await renamed({ 'A.md': '# T\n## X\n', 'N.md': text }, 'Y Z');
  expect(files).toEqual({ 'A.md': '# T\n## Y Z\n', 'N.md': right });
});

test('so do the file nodes and the links of a canvas', async () => {
  const canvas = (heading: string) =>
    JSON.stringify({
      nodes: [
        node({ type: 'file', file: 'A.md', subpath: `#${heading}` }),
        node({ type: 'text', text: `😀 [[A#${heading}|"x"]]` }),
        node({ type: 'file', file: 'b/A.md', subpath: '#X' }),
      ],
    });
  const { files } = await renamed({ 'A.md': '# X\n', 'b/A.md': '# X\n', 'c.canvas': canvas('X') }, 'Y "Z"');
  expect(files['c.canvas']).toBe(canvas('Y "Z"'));
});

test('a block or a footnote of the same name is no heading, wherever a link to it stands', async () => {
  const links =
    '[[A#^X]] ![[A#^x|y]] [m](A.md#^X) [n](A.md#%5EX) [[A#[^X]]] [[A#T#^X]] [r]\n\n[r]: A.md#^X\n';
  const canvas = JSON.stringify({
    nodes: [
      node({ type: 'file', file: 'A.md', subpath: '#^X' }),
      node({ type: 'text', text: '[[A#^X]] ![[A#^x]]' }),
    ],
  });
  const own = 'text ^X\n\n[[#^X]] ![[A#^X]]\n\n[^X]: note\n';
  const kept = { 'N.md': links, 'P.md': '---\nup: "[[A#^X]]"\n---\n', 'c.canvas': canvas };
  const { files } = await renamed({ 'A.md': `# T\n## X\n${own}[[#X]]\n`, ...kept }, 'Y');
  expect(files).toEqual({ 'A.md': `# T\n## Y\n${own}[[#Y]]\n`, ...kept });
});

test('the way to a block follows the headings it names', async () => {
  const { files } = await renamed({ 'A.md': '# X\ntext ^X\n', 'N.md': '[[A#X#^X]] [m](A.md#X#^X)\n' }, 'Y Z');
  expect(files['N.md']).toBe('[[A#Y Z#^X]] [m](A.md#Y%20Z#^X)\n');
});

test.each([
  ['Plan [2026]', 'Plan 2026', 'Plan%20%5B2026%5D'],
  ['[x] y', 'x y', '%5Bx%5D%20y'],
  ['a [b] c', 'a [b] c', 'a%20%5Bb%5D%20c'],
  ['a ]', 'a', 'a%20%5D'],
])('a name with brackets is written so that it stays one link: %s', async (to, wiki, markdown) => {
  const text = (name: string, url: string) =>
    `([[A#${name}]]) [[[A#${name}|x]]] [m](A.md#${url})\n\n| [[A#${name}\\|y]] |\n|---|\n`;
  const property = (name: string) => `---\nup: "[[A#${name}]]"\n---\n`;
  const canvas = (name: string, path: string) =>
    JSON.stringify({
      nodes: [
        node({ type: 'text', text: `[[A#${name}]]` }),
        node({ type: 'file', file: 'A.md', subpath: `#${path}` }),
      ],
    });
  const { files, error } = await renamed(
    { 'A.md': '# X\n', 'N.md': text('X', 'X'), 'P.md': property('X'), 'c.canvas': canvas('X', 'X') },
    to,
  );
  expect(error).toBeUndefined();
  expect(files).toEqual({
    'A.md': `# ${to}\n`,
    'N.md': text(wiki, markdown),
    'P.md': property(wiki),
    'c.canvas': canvas(wiki, wiki),
  });
});

test('a name that a link elsewhere could not hold is refused, and nothing is renamed', async () => {
  const before = { 'A.md': '# X\n', 'N.md': '[[A#X]] and `code`\n' };
  expect(await renamed(before, 'it`s')).toEqual({ error: 'invalid_input', files: before });
});

test('a link in quotes is read through them and written into them', async () => {
  const text = `---\na: '[[A#it''s#X]]'\nb: "[[A#it's#X|\\"x\\"]]"\n---\n`;
  const { files } = await renamed({ 'A.md': "# it's\n## X\n", 'N.md': text }, "Y's");
  expect(files['N.md']).toBe(`---\na: '[[A#it''s#Y''s]]'\nb: "[[A#it's#Y's|\\"x\\"]]"\n---\n`);
});

test.each([
  ['the new name is taken further up', '# Y\n# X\n', '[[A#X]]\n'],
  ['a link meant the namesake further down', '# X\n# Y\n', '[[A#Y]]\n'],
])('refused when a link elsewhere would change its heading: %s', async (_, text, link) => {
  const before = { 'A.md': text, 'N.md': link };
  expect(await renamed(before, 'Y')).toEqual({ error: 'invalid_input', files: before });
});

test('a namesake is no obstacle to links that name the way', async () => {
  const before = { 'A.md': '# P\n## Y\n# Q\n## X\n', 'N.md': '[[A#Q#X]] [[A#Nowhere]]\n' };
  const { files } = await renamed(before, 'Y');
  expect(files['N.md']).toBe('[[A#Q#Y]] [[A#Nowhere]]\n');
});

test('another spelling of the op renames no less', async () => {
  const vault = await openTestVault({ 'A.md': '# X\n', 'N.md': '[[A#X]]\n' });
  open.push(vault);
  const op = { op: 'renameHeading', from: 'X', to: 'Y' } as unknown as PatchOp;
  await vault.session.patch('A.md', [op], { tool: 't' });
  expect(vault.files()).toEqual({ 'A.md': '# Y\n', 'N.md': '[[A#Y]]\n' });
  expect((await vault.session.history({ limit: 1 })).items[0]?.summary).toBe('rename_heading in A.md');
});

test('a definition used twice in the note itself', async () => {
  const { files } = await renamed({ 'A.md': '# X\n[a][r] [b][r]\n\n[r]: #X\n' }, 'Y');
  expect(files['A.md']).toBe('# Y\n[a][r] [b][r]\n\n[r]: #Y\n');
});

test.each([
  [
    'C# notes',
    'D: y',
    '[[A#C# notes]] [[A#C# notes|t]] [[A#C notes]] [[A@5]]\n',
    '[[A#D: y]] [[A#D: y|t]] [[A#C notes]] [[A@5]]\n',
  ],
  ['Q#1', 'F# (x)?', '[[A#Q#1]] [m](A.md#Q%231)\n', '[[A#F# (x)?]] [m](A.md#F%20%28x%29%3F)\n'],
  ['C notes', 'Z', '[[A#C# notes]] [[A#C notes]]\n', '[[A#C# notes]] [[A#Z]]\n'],
])('SilverBullet names one heading by its very text, # included: %s', async (from, to, text, right) => {
  const page = '# C# notes\n# Q#1\n# C notes\n[[#Q#1]]\n';
  const { files, error } = await renamed({ '.silverbullet.db': '', 'A.md': page, 'N.md': text }, to, from);
  expect(error).toBeUndefined();
  expect(files['N.md']).toBe(right);
  expect(files['A.md']).toContain(from === 'Q#1' ? `[[#${to}]]` : '[[#Q#1]]');
});
