import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const tool = 'test';
const FILES = {
  'a.md':
    '---\ntags: [work, work/deep/er, "work/quoted", homework] # kept\n---\n#work #Work/Deep #workshop #work/\n',
  'b.md': '---\ntags: work\n---\n`#work` text#work\n',
  'c.md': '#homework [[x#work]]\n',
};

async function vaultOf(...parameters: Parameters<typeof openTestVault>): Promise<TestVault> {
  const vault = await openTestVault(...parameters);
  open.push(vault);
  return vault;
}

test('a tag and all below it are renamed everywhere, its namesakes stay, and undo brings the bytes back', async () => {
  const { session, file, files } = await vaultOf(FILES);
  const result = await session.renameTag('#work', 'job/paid', { tool });
  expect(result.notes.map(({ path }) => path)).toEqual(['a.md', 'b.md']);
  expect(file('a.md')).toBe(
    '---\ntags: [job/paid, job/paid/deep/er, "job/paid/quoted", homework] # kept\n---\n#job/paid #job/paid/Deep #workshop #job/paid/\n',
  );
  expect(file('b.md')).toBe('---\ntags: job/paid\n---\n`#work` text#work\n');
  expect(file('c.md')).toBe(FILES['c.md']);
  expect((await session.tagNotes('job', { limit: 5 })).total).toBe(2);
  expect((await session.tagNotes('work', { limit: 5 })).total).toBe(0);
  await session.undo({ tool, writeId: result.writeId ?? 0 });
  expect(files()).toEqual(FILES);
});

test('links to a heading follow when a tag in the heading is renamed', async () => {
  const files = {
    'T.md': '# Plan #work\n\nSet #work\n===\n\n[[#Plan work]]\n\ntext #work\n',
    'N.md': '[[T#Plan work]] [m](T.md#Set%20work) [[T#other work]]\n',
    'M.md': '[[X#Plan work]]\n',
  };
  const { session, files: now } = await vaultOf(files);
  const result = await session.renameTag('work', 'job', { tool });
  expect(now()).toEqual({
    'T.md': '# Plan #job\n\nSet #job\n===\n\n[[#Plan job]]\n\ntext #job\n',
    'N.md': '[[T#Plan job]] [m](T.md#Set%20job) [[T#other work]]\n',
    'M.md': files['M.md'],
  });
  expect(result.relinked).toEqual([
    { path: 'N.md', links: 2 },
    { path: 'T.md', links: 1 },
  ]);
  expect(result.notes).toEqual([{ path: 'T.md', tags: 3 }]);
  await session.undo({ tool, writeId: result.writeId ?? 0 });
  expect(now()).toEqual(files);
});

test('links that the caller does not see follow in silence, those that may not change hold the rename back', async () => {
  const files = { 'T.md': '# Plan #work\n', 'Private/N.md': '[[T#Plan work]]\n', 'fixed/F.md': '' };
  const deny = { ...OPEN_ACCESS, read: { allow: [], deny: ['Private/**'] } };
  const hidden = await vaultOf(files, { rules: deny });
  const result = await hidden.session.renameTag('work', 'job', { tool });
  expect([result.relinked, hidden.file('Private/N.md')]).toEqual([[], '[[T#Plan job]]\n']);
  const fixed = { ...OPEN_ACCESS, write: { allow: [], deny: ['fixed/**'] } };
  const before = { ...files, 'fixed/F.md': '[[T#Plan work]]\n' };
  const shut = await vaultOf(before, { rules: fixed });
  await expect(shut.session.renameTag('work', 'job', { tool })).rejects.toMatchObject({ code: 'forbidden' });
  expect(shut.files()).toEqual(before);
});

test('a tag moves below itself and back', async () => {
  const { session, file } = await vaultOf({ 'a.md': '#x #x/y\n' });
  await session.renameTag('x', 'x/y', { tool });
  expect(file('a.md')).toBe('#x/y #x/y/y\n');
  await session.renameTag('x/y', 'x', { tool });
  expect(file('a.md')).toBe('#x #x/y\n');
});

test('a note saved while its tag is renamed keeps what its author wrote and is left out of the answer', async () => {
  let racing = true;
  const { session, file } = await vaultOf(
    { 'a.md': '#t\n', 'b.md': '#t\n' },
    {
      wrap: (store) => ({
        ...store,
        // Every replacement by itself.
        batch: undefined,
        async replace(path, bytes, options) {
          if (racing && path === 'b.md') {
            racing = false;
            writeFileSync(join(store.location, path), '#t mine\n');
          }
          return store.replace(path, bytes, options);
        },
      }),
    },
  );
  const result = await session.renameTag('t', 'u', { tool });
  expect(result.notes).toEqual([{ path: 'a.md', tags: 1 }]);
  expect([file('a.md'), file('b.md')]).toEqual(['#u\n', '#t mine\n']);
});

test('a tag that takes the name of another one of the note is listed once', async () => {
  const vault = await vaultOf({
    'a.md': '---\ntags: [old, "New", x] # c\n---\n#old #new\n',
    'b.md': '---\ntags:\n  - new\n  - new\n  - old\n---\n',
  });
  await vault.session.renameTag('old', 'new', { tool: 't' });
  expect(vault.file('a.md')).toBe('---\ntags: [new, x] # c\n---\n#new #new\n');
  expect(vault.file('b.md')).toBe('---\ntags:\n  - new\n  - new\n  - new\n---\n');
});

test('mentions that are no tags are listed, in notes without the tag too, but for links and addresses there', async () => {
  const { session } = await vaultOf({
    'a.md': '#work `#work` %%#work%% text#work\n',
    'b.md': '```dataview\nLIST FROM #work/deep OR #workshop\n```\n<!-- #Work -->\n',
    'c.md': '[[x#work]] https://x.y/#work #homework work\n',
    'd.md': '---\ntags: [work, "x\n---\nwork\n',
  });
  const dry = await session.renameTag('work', 'job', { tool, dryRun: true });
  const { leftAlone } = await session.renameTag('work', 'job', { tool });
  expect(leftAlone).toEqual(dry.leftAlone);
  expect(leftAlone.items.map(({ path, line, kind }) => `${path}:${line} ${kind}`)).toEqual([
    'a.md:1 code',
    'a.md:1 comment',
    'a.md:1 text',
    'b.md:2 query',
    'b.md:4 comment',
    'd.md:2 properties',
  ]);
});

test('of notes that the caller does not see no mention is told', async () => {
  const rules = { ...OPEN_ACCESS, read: { allow: [], deny: ['h/**'] } };
  const { session, folder } = await vaultOf({ 'a.md': '#work\n', 'h/b.md': '`#work`\n' }, { rules });
  writeFileSync(join(folder, 'h/bad.md'), Buffer.from([0x23, 0x77, 0x6f, 0x72, 0x6b, 0xff]));
  const { leftAlone } = await session.renameTag('work', 'job', { tool });
  expect(leftAlone).toEqual({ items: [], isPartial: false, unreadable: [] });
});
