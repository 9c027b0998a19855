import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
