import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const tool = 'test';
const GRAPH = { 'logseq/config.edn': '{:file/name-format :triple-lowbar}\n' };

async function graph(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault({ ...GRAPH, ...files });
  open.push(vault);
  return vault;
}

test('case log-05: a title that is the name of the file follows, and so do the links', async () => {
  const files = {
    'pages/ETPDEold.md': 'title:: ETPDEold\n\n- b [[ETPDEold]]\n',
    'pages/N.md': '- [[ETPDEold]] #etpdeold\n',
  };
  const vault = await graph(files);
  const moved = await vault.session.move('pages/ETPDEold.md', 'pages/ETPDEnew.md', { tool });
  expect(vault.files()).toEqual({
    ...GRAPH,
    'pages/ETPDEnew.md': 'title:: ETPDEnew\n\n- b [[ETPDEnew]]\n',
    'pages/N.md': '- [[ETPDEnew]] #ETPDEnew\n',
  });
  expect(moved).toMatchObject({ links: 3, notices: [] });
  expect((await vault.session.open('pages/ETPDEnew.md')).etag).toBe(moved.etag);
  expect((await vault.session.unresolved({ limit: 5 })).total).toBe(0);
  await vault.session.undo({ tool, writeId: moved.writeId ?? 0 });
  expect(vault.files()).toEqual({ ...GRAPH, ...files });
});

test('the pages below follow in their titles, too, and only where they are the names of files', async () => {
  const vault = await graph({
    'pages/a.md': 'title:: A\n\n- x\n',
    'pages/a___b.md': 'title:: a/b\n\n- x\n',
    'pages/a___c.md': 'title:: Other\n\n- x\n',
    'pages/N.md': '- [[a]] [[a/b]] [[Other]]\n',
  });
  const moved = await vault.session.move('pages/a.md', 'pages/z.md', { tool });
  expect(vault.files()).toEqual({
    ...GRAPH,
    'pages/z.md': 'title:: z\n\n- x\n',
    'pages/z___b.md': 'title:: z/b\n\n- x\n',
    'pages/z___c.md': 'title:: Other\n\n- x\n',
    'pages/N.md': '- [[z]] [[z/b]] [[Other]]\n',
  });
  expect(moved.relinked).toEqual([{ path: 'pages/N.md', links: 2 }]);
  expect(moved.notices).toEqual([expect.stringContaining("title:: keeps the page's name, Other")]);
});

test('a page of another title keeps its name, and its links, and the answer says so', async () => {
  const files = {
    'pages/file.md': 'title:: The Page\nalias:: tp\n\n- x\n',
    'pages/N.md': '- [[The Page]] [[tp]] [[file]]\n',
  };
  const vault = await graph(files);
  const moved = await vault.session.move('pages/file.md', 'pages/other.md', { tool });
  expect(vault.file('pages/N.md')).toBe('- [[The Page]] [[tp]] [[other]]\n');
  expect(vault.file('pages/other.md')).toBe(files['pages/file.md']);
  expect(moved.notices).toEqual(["title:: keeps the page's name, The Page; set it to rename the page"]);
});

test('without links to update the title stays, which is said', async () => {
  const vault = await graph({ 'pages/a.md': 'title:: a\n\n- x\n', 'pages/N.md': '- [[a]]\n' });
  const moved = await vault.session.move('pages/a.md', 'pages/b.md', { tool, updateLinks: false });
  expect(vault.file('pages/b.md')).toBe('title:: a\n\n- x\n');
  expect(moved.notices).toEqual(["title:: keeps the page's name, a; set it to rename the page"]);
  expect((await vault.session.backlinks('pages/b.md', { limit: 5 })).total).toBe(1);
});

test('to another folder a page moves with its name', async () => {
  const files = { 'pages/a.md': 'title:: a\n\n- x\n', 'pages/N.md': '- [[a]]\n' };
  const vault = await graph(files);
  const moved = await vault.session.move('pages/a.md', 'old/a.md', { tool });
  expect(vault.file('old/a.md')).toBe(files['pages/a.md']);
  expect(moved.notices).toEqual([]);
});

test('elsewhere a title is a property like any other', async () => {
  const vault = await openTestVault({ 'a.md': '---\ntitle: a\n---\n', 'N.md': '[[a]]\n' });
  open.push(vault);
  const moved = await vault.session.move('a.md', 'b.md', { tool });
  expect(vault.files()).toEqual({ 'b.md': '---\ntitle: a\n---\n', 'N.md': '[[b]]\n' });
  expect(moved.notices).toEqual([]);
});
