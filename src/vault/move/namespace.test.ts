import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const graph = {
  'logseq/config.edn': '{}',
  'pages/a.md': '- top [[a/b]]\n',
  'pages/a___b.md': '- [[a]] [[a/b/c d]] #a/b\n',
  'pages/A___b___c d.md': '- x\n',
  'pages/a%2Fold.md': '- x\n',
  'pages/ab.md': '- [[a/b]]\n',
  'pages/x___a___b.md': '- x\n',
  'journals/2024_01_02.md': '- [[a]] [[a/B]] #[[a/b/c d]] [[ab]] [[x/a/b]] [[a/old]]\n  tags:: a/b\n',
};

async function vaultOf(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

test('the pages below a Logseq page follow its new name, with their links, and come back in one undo', async () => {
  const vault = await vaultOf(graph);
  const moved = await vault.session.move('pages/a.md', 'pages/n___z.md', { tool: 't' });
  expect(vault.files()).toEqual({
    'logseq/config.edn': '{}',
    'pages/n___z.md': '- top [[n/z/b]]\n',
    'pages/n___z___b.md': '- [[n/z]] [[n/z/b/c d]] #n/z/b\n',
    'pages/n___z___b___c d.md': '- x\n',
    'pages/n%2Fz%2Fold.md': '- x\n',
    'pages/ab.md': '- [[n/z/b]]\n',
    'pages/x___a___b.md': '- x\n',
    'journals/2024_01_02.md':
      '- [[n/z]] [[n/z/b]] #[[n/z/b/c d]] [[ab]] [[x/a/b]] [[n/z/old]]\n  tags:: n/z/b\n',
  });
  expect(moved.moved).toHaveLength(4);
  await vault.session.undo({ tool: 't', writeId: moved.writeId ?? 0 });
  expect(vault.files()).toEqual(graph);
});

test('a page below keeps its place when the name stays, without links, and in other vaults', async () => {
  const vault = await vaultOf(graph);
  await vault.session.move('pages/a.md', 'old/a.md', { tool: 't' });
  expect(vault.file('pages/a___b.md')).toBe(graph['pages/a___b.md']);
  await vault.session.move('old/a.md', 'pages/z.md', { tool: 't', updateLinks: false });
  expect(vault.file('pages/a___b.md')).toBe(graph['pages/a___b.md']);
  const plain = await vaultOf({ 'a.md': '', 'a___b.md': '' });
  await plain.session.move('a.md', 'z.md', { tool: 't' });
  expect(plain.files()).toEqual({ 'z.md': '', 'a___b.md': '' });
});

test('nothing moves when a page below would meet another', async () => {
  const files = { ...graph, 'pages/z___b.md': '- taken\n' };
  const vault = await vaultOf(files);
  const error = await vault.session
    .move('pages/a.md', 'pages/z.md', { tool: 't' })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'exists' });
  expect(vault.files()).toEqual(files);
});
