import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const tool = 'test';
const append = (markdown: string) => [{ op: 'append_body', markdown }] as const;

async function vaultOf(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

const logseq = (files: Record<string, string>) =>
  vaultOf({ 'logseq/config.edn': '{}', 'pages/x.md': '', ...files });
const silverbullet = (files: Record<string, string>) =>
  vaultOf({ '.silverbullet.db': '', 'index.md': '', ...files });

test('a Logseq page is read and written by its name, in a namespace, by title, alias or day', async () => {
  const { session, file } = await logseq({
    'pages/Projects___Boat.md': '- hull\n',
    'pages/q.md': 'title:: What is this?\nalias:: W\n\n- text\n',
    'journals/2024_01_02.md': '- day\n',
  });
  for (const [name, path] of [
    ['Projects/Boat', 'pages/Projects___Boat.md'],
    ['what is this?', 'pages/q.md'],
    ['W', 'pages/q.md'],
    ['Jan 2nd, 2024', 'journals/2024_01_02.md'],
    ['pages/q', 'pages/q.md'],
  ] as const) {
    expect((await session.open(name)).path).toBe(path);
    const done = await session.patch(name, append(`- ${name}`), { tool });
    expect(done).toMatchObject({ path, created: false });
    expect(file(path)).toContain(`- ${name}\n`);
  }
  expect((await session.open('Projects/Boat')).resolvedBy).toBe('page');
});

test('a new Logseq page gets the file that Logseq would give it', async () => {
  const { session } = await logseq({});
  const write = async (name: string) => (await session.write(name, { body: '- x\n' }, { tool })).path;
  expect(await write('A/B: c?')).toBe('pages/A___B%3A c%3F.md');
  expect(await write('Feb 3rd, 2025')).toBe('journals/2025_02_03.md');
  expect(await write('pages/Plain.md')).toBe('pages/Plain.md');
  expect((await session.move('A/B: c?', 'A/D', { tool })).to).toBe('pages/A___D.md');
  expect((await session.remove('A/D', { tool })).path).toBe('pages/A___D.md');
});

test('a page name that means several files is no guess', async () => {
  const { session, files } = await logseq({ 'pages/N.md': '- 1\n', 'old/N.md': '- 2\n' });
  const before = files();
  await expect(session.patch('N', append('- x'), { tool })).rejects.toMatchObject({
    code: 'ambiguous',
    details: { candidates: ['old/N.md', 'pages/N.md'] },
  });
  await expect(session.patch('Missing', append('- x'), { tool })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(files()).toEqual(before);
});

test('a SilverBullet page is its path without .md, in the very case', async () => {
  const { session, file } = await silverbullet({
    'People/Ann.md': 'a\n',
    'Log.md': 'l\n',
    'Log/1.md': '1\n',
  });
  expect((await session.patch('People/Ann', append('b'), { tool })).path).toBe('People/Ann.md');
  expect(file('People/Ann.md')).toBe('a\nb\n');
  expect((await session.write('People/Bo', { body: 'x\n' }, { tool })).path).toBe('People/Bo.md');
  await expect(session.write('A@B', { body: 'x\n' }, { tool })).rejects.toMatchObject({
    code: 'invalid_path',
  });
  await expect(session.move('Log', 'Diary', { tool })).rejects.toMatchObject({
    code: 'ambiguous',
    details: { candidates: ['Log.md', 'Log/'] },
  });
  expect((await session.move('Log/', 'Diary', { tool })).to).toBe('Diary');
  expect((await session.move('Log', 'Diary/Old', { tool })).to).toBe('Diary/Old.md');
});

test('hidden pages are not there for who may not see them', async () => {
  const rules = { readOnly: false, read: { allow: [], deny: ['old'] }, write: { allow: [], deny: [] } };
  const files = { 'logseq/config.edn': '{}', 'pages/N.md': '- 1\n', 'old/N.md': '- 2\n' };
  const vault = await openTestVault(files, { rules });
  open.push(vault);
  expect((await vault.session.patch('N', append('- x'), { tool })).path).toBe('pages/N.md');
});

test('elsewhere a path is a path', async () => {
  const { session } = await vaultOf({ 'N.md': 'n\n' });
  await expect(session.write('New', { body: 'x' }, { tool })).rejects.toMatchObject({ code: 'invalid_path' });
  await expect(session.patch('N', append('x'), { tool })).rejects.toMatchObject({ code: 'not_found' });
});

test('a task of Logseq is found as open, ticked off, and found as finished', async () => {
  const { session, file } = await logseq({ 'pages/a.md': '- TODO [#A] buy milk\n- LATER bread\n' });
  const found = async (query: string) =>
    (await session.search({ query, mode: 'lexical', filter: {}, limit: 5 })).items.map(({ path }) => path);
  expect(await found('task-todo:milk')).toEqual(['pages/a.md']);
  expect(await found('task-done:milk')).toEqual([]);
  const done = { op: 'set_task', task: 'buy milk', status: 'done' } as const;
  await session.patch('a', [done], { tool });
  expect(file('pages/a.md')).toBe('- DONE [#A] buy milk\n- LATER bread\n');
  expect(await found('task-todo:milk')).toEqual([]);
  expect(await found('task-done:milk')).toEqual(['pages/a.md']);
});
