import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ACTOR, discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { isLecternError } from '../../errors.ts';
import { OPEN_ACCESS } from '../access.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function vaultOf(...parameters: Parameters<typeof openTestVault>): Promise<TestVault> {
  const vault = await openTestVault(...parameters);
  open.push(vault);
  return vault;
}

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => (isLecternError(error) ? error.code : error),
  );
const tool = 'test';

test('fifty parallel appends are all there, in whole lines', async () => {
  const { session, file } = await vaultOf({ 'N.md': '0\n' });
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
  await Promise.all(
    lines.map((markdown) => session.patch('N.md', [{ op: 'append_body', markdown }], { tool })),
  );
  expect(file('N.md')?.split('\n').filter(Boolean).sort()).toEqual(['0', ...lines].sort());
});

test('a write based on an old version is refused and does not say what the version is now', async () => {
  const { session, file } = await vaultOf({ 'N.md': 'v1\n' });
  const { etag } = await session.open('N.md');
  await session.write('N.md', { body: 'v2\n' }, { tool });
  const now = (await session.open('N.md')).etag;
  const error = await session
    .write('N.md', { body: 'agent' }, { tool, ifMatch: etag })
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'conflict' });
  expect(JSON.stringify({ message: error.message, details: error.details, next: error.next })).not.toContain(
    now,
  );
  expect(file('N.md')).toBe('v2\n');
});

test('an editor that saves between our read and our rename is never overwritten by a patch', async () => {
  let racing = true;
  const vault = await vaultOf(
    { 'N.md': 'top\n' },
    {
      wrap: (store) => ({
        ...store,
        // Every replacement by itself.
        batch: undefined,
        async replace(path, bytes, options) {
          if (racing) {
            racing = false;
            writeFileSync(join(store.location, path), 'editor\ntop\n');
          }
          return store.replace(path, bytes, options);
        },
      }),
    },
  );
  await vault.session.patch('N.md', [{ op: 'append_body', markdown: 'agent' }], { tool });
  expect(vault.file('N.md')).toBe('editor\ntop\nagent\n');
});

test('the index answers from the new text when the write is acknowledged', async () => {
  const { session } = await vaultOf({});
  await session.write('a/New.md', { body: 'a quokka #animal [[Gone]]\n' }, { tool });
  const found = await session.search({ query: 'quokka', mode: 'lexical', filter: {}, limit: 5 });
  expect(found.items.map((hit) => hit.path)).toEqual(['a/New.md']);
  expect((await session.tagNotes('animal', { limit: 5 })).total).toBe(1);
  expect((await session.unresolved({ limit: 5 })).items.map((link) => link.written)).toEqual(['Gone']);
});

test('an edit that changes nothing writes nothing and keeps the time', async () => {
  const { session, folder } = await vaultOf({ 'N.md': '---\na: 1\n---\nx\n' });
  const before = statSync(join(folder, 'N.md'));
  const result = await session.patch('N.md', [{ op: 'set_frontmatter', key: 'a', value: 1 }], { tool });
  expect(result).toMatchObject({ changed: false, writeId: undefined });
  const after = statSync(join(folder, 'N.md'));
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

test('replacing a note keeps its properties, BOM and line endings unless the body brings its own', async () => {
  const { session, file } = await vaultOf({ 'N.md': '\ufeff---\r\na: 1 # kept\r\n---\r\nold\r\n' });
  await session.write('N.md', { body: 'new\ntext\n', frontmatter: { b: [1, 'x'] } }, { tool });
  expect(file('N.md')).toBe('\ufeff---\r\na: 1 # kept\r\nb:\r\n  - 1\r\n  - x\r\n---\r\nnew\r\ntext\r\n');
  await session.write('N.md', { body: '---\nc: 2\n---\nwhole\n' }, { tool });
  expect(file('N.md')).toBe('\ufeff---\r\nc: 2\r\n---\r\nwhole\r\n');
});

test('a new note takes no links away from a namesake', async () => {
  const { session, file } = await vaultOf({ 'a/Foobar.md': '1', 'N.md': '[[Foobar]]\n' });
  const result = await session.write('Foobar.md', { body: '2' }, { tool, ifNotExists: true });
  expect(file('N.md')).toBe('[[a/Foobar]]\n');
  expect(result.relinked).toEqual([{ path: 'N.md', links: 1 }]);
  await session.undo({ tool, writeId: result.writeId ?? 0 });
  expect([file('N.md'), file('Foobar.md')]).toEqual(['[[Foobar]]\n', undefined]);
});

test('renaming a heading takes the links of the whole vault along', async () => {
  const { session, file } = await vaultOf({
    'A.md': '# Top\n## Old name\nx\n[[#Old name]]\n',
    'B.md': '[[A#Old name]] [[A#Top#Old name|t]] [m](A.md#Old%20name) [[A#Top]] [[Other#Old name]]\n',
    'Other.md': '# Old name\n',
  });
  await session.patch('A.md', [{ op: 'rename_heading', from: 'Old name', to: 'New name' }], { tool });
  expect(file('A.md')).toBe('# Top\n## New name\nx\n[[#New name]]\n');
  expect(file('B.md')).toBe(
    '[[A#New name]] [[A#Top#New name|t]] [m](A.md#New%20name) [[A#Top]] [[Other#Old name]]\n',
  );
});

test('a heading whose new name holds quotes stays a link in properties, whatever they are quoted with', async () => {
  const { session, file } = await vaultOf({
    'A.md': '# Old\n',
    'B.md': '---\none: "[[A#Old]]"\ntwo: \'[[A#Old]]\'\n---\n',
  });
  await session.patch('A.md', [{ op: 'rename_heading', from: 'Old', to: 'It\'s "new"' }], { tool });
  expect(file('B.md')).toBe('---\none: "[[A#It\'s \\"new\\"]]"\ntwo: \'[[A#It\'\'s "new"]]\'\n---\n');
  const { items } = await session.forward('B.md', { limit: 10 });
  expect(items.map((link) => link.subpath)).toEqual(Array(2).fill('#It\'s "new"'));
});

test('a dry run shows the change and writes nothing', async () => {
  const { session, file } = await vaultOf({ 'N.md': 'one\n' });
  const result = await session.patch('N.md', [{ op: 'append_body', markdown: 'two' }], {
    tool,
    dryRun: true,
  });
  expect(result).toMatchObject({ changed: true, dryRun: true, writeId: undefined, added: 1 });
  expect(result.diff).toContain('+two');
  expect(file('N.md')).toBe('one\n');
  expect((await session.history({ limit: 5 })).total).toBe(0);
});

test.each([
  ['NUL.md', 'invalid_path'],
  ['con/a.md', 'invalid_path'],
  ['a<b>.md', 'invalid_path'],
  ['trail. .md', 'invalid_path'],
  ['x/', 'invalid_path'],
  ['.md', 'invalid_path'],
  [`${'a'.repeat(300)}.md`, 'invalid_path'],
  ['../x.md', 'invalid_path'],
  ['a/../../x.md', 'invalid_path'],
  ['.git/x.md', 'invalid_path'],
  ['a/.Obsidian/x.md', 'invalid_path'],
  ['plain.txt', 'invalid_path'],
  ['note.MD', 'exists'],
])('creating %j is refused with %s', async (path, code) => {
  const { session, files } = await vaultOf({ 'note.md': 'x' });
  expect(await codeOf(session.write(path, { body: 'x' }, { tool }))).toBe(code);
  expect(Object.keys(files())).toEqual(['note.md']);
});

test('an NFC path writes to the file whose name is NFD, and makes no twin', async () => {
  const nfd = 'Cafe\u0301.md';
  const { session, files } = await vaultOf({ [nfd]: 'x\n' });
  expect(await codeOf(session.write('Café.md', { body: 'y' }, { tool, ifNotExists: true }))).toBe('exists');
  await session.patch('Café.md', [{ op: 'append_body', markdown: 'y' }], { tool });
  expect(files()).toEqual({ [nfd]: 'x\ny\n' });
});

test('what the rules hide is absent, what they protect stays, and links in protected notes hold a move back', async () => {
  const rules = {
    readOnly: false,
    read: { allow: [], deny: ['secret'] },
    write: { allow: [], deny: ['fixed'] },
  };
  const files0 = { 'secret/s.md': '[[a]]', 'fixed/f.md': '[[c]]', 'a.md': 'x', 'c.md': 'x' };
  const vault = await vaultOf(files0, { rules });
  const { session, files } = vault;
  const before = files();
  expect(await codeOf(session.patch('secret/s.md', [{ op: 'append_body', markdown: 'x' }], { tool }))).toBe(
    'not_found',
  );
  expect(await codeOf(session.write('secret/new.md', { body: '' }, { tool }))).toBe('not_found');
  expect(await codeOf(session.patch('fixed/f.md', [{ op: 'append_body', markdown: 'x' }], { tool }))).toBe(
    'forbidden',
  );
  expect(await codeOf(session.move('c.md', 'd.md', { tool }))).toBe('forbidden');
  expect(files()).toEqual(before);
  expect(await session.move('a.md', 'b.md', { tool })).toMatchObject({ links: 0, relinked: [], notices: [] });
  expect(vault.file('secret/s.md')).toBe('[[b]]');
  const reader = vault.vault.session(ACTOR, [{ ...OPEN_ACCESS, readOnly: true }]);
  expect(await codeOf(reader.write('new.md', { body: '' }, { tool }))).toBe('read_only');
});

test('a deleted note goes to the trash and comes back; a second of its name gets a number', async () => {
  const { session, file, folder } = await vaultOf({ 'a/only.md': 'x', 'b/only.md': 'y', 'l.md': '[[only]]' });
  const first = await session.remove('a/only.md', { tool });
  const second = await session.remove('b/only.md', { tool });
  expect([first.trashPath, second.trashPath]).toEqual(['.trash/only.md', '.trash/only 2.md']);
  expect(statSync(join(folder, 'a')).isDirectory()).toBe(true);
  const trash = await session.trashList({ limit: 1 });
  expect(trash).toMatchObject({ total: 2, items: [{ originalPath: 'b/only.md' }] });
  const rest = await session.trashList({ limit: 1, cursor: trash.nextCursor ?? '' });
  expect(rest).toMatchObject({ items: [{ originalPath: 'a/only.md' }], nextCursor: null });
  await session.trashRestore('.trash/only.md', undefined, { tool });
  expect(file('a/only.md')).toBe('x');
  expect(await codeOf(session.trashRestore('.trash/only 2.md', 'a/only.md', { tool }))).toBe('exists');
  expect(await codeOf(session.remove('nowhere.md', { tool }))).toBe('not_found');
});

test('undo takes back everything of a session since a time, or nothing when somebody wrote since', async () => {
  const vault = await vaultOf({ 'a.md': 'a\n', 'b.md': '[[a]]\n' });
  const { session, file } = vault;
  const before = vault.files();
  const start = Date.now();
  await session.patch('a.md', [{ op: 'append_body', markdown: '1' }], { tool });
  await session.move('a.md', 'x/c.md', { tool });
  await session.patch('x/c.md', [{ op: 'append_body', markdown: '2' }], { tool });
  await session.write('new.md', { body: 'n' }, { tool });
  await session.remove('b.md', { tool });
  const dry = await session.undo({ tool, since: start, session: 's1', dryRun: true });
  expect(dry.undone).toHaveLength(5);
  mkdirSync(join(vault.folder, 'y'), { recursive: true });
  writeFileSync(join(vault.folder, 'new.md'), 'human');
  expect(await codeOf(session.undo({ tool, since: start, session: 's1' }))).toBe('conflict');
  expect(file('new.md')).toBe('human');
  writeFileSync(join(vault.folder, 'new.md'), 'n');
  const undone = await session.undo({ tool, since: start, session: 's1' });
  expect(vault.files()).toEqual(before);
  expect(await codeOf(session.undo({ tool, writeId: undone.undone[0] ?? 0 }))).toBe('invalid_input');
  await session.undo({ tool, writeId: undone.writeId ?? 0 });
  expect(file('x/c.md')).toBe('a\n1\n2\n');
});

test('undo takes back many edits of one note at once, and an undone write stays undone in a span', async () => {
  const vault = await vaultOf({ 'a.md': 'a\n', 'b.md': 'b\n' });
  const { session } = vault;
  const before = vault.files();
  const start = Date.now() - 1;
  const patch = (path: string, markdown: string) =>
    session.patch(path, [{ op: 'append_body', markdown }], { tool });
  for (let at = 0; at < 10; at++) await patch(at % 3 === 0 ? 'b.md' : 'a.md', `${at}`);
  await session.undo({ tool, writeId: 10 });
  const redone = await session.undo({ tool, writeId: 9 });
  await session.undo({ tool, writeId: redone.writeId ?? 0 });
  const middle = vault.files();
  const undone = await session.undo({ tool, since: start });
  expect(vault.files()).toEqual(before);
  expect(undone.undone).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  await session.undo({ tool, writeId: undone.writeId ?? 0 });
  expect(vault.files()).toEqual(middle);
  await session.undo({ tool, since: start });
  expect(vault.files()).toEqual(before);
});

test('a folder that was moved away and made anew is moved back over what was undone in it', async () => {
  const vault = await vaultOf({ 'f/deep/a.md': 'a\n', 'b.md': '[[a]] [x](f/deep/a.md)\n' });
  const { session } = vault;
  const before = vault.files();
  const start = Date.now() - 1;
  await session.move('f', 'g', { tool });
  await session.write('f/deep/new.md', { body: 'n' }, { tool });
  await session.move('g/deep/a.md', 'f/deep/a.md', { tool });
  await session.remove('f/deep/new.md', { tool });
  await session.undo({ tool, since: start });
  expect(vault.files()).toEqual(before);
});

test('an undo that meets a foreign save half way is taken back', async () => {
  let armed = false;
  const vault = await vaultOf(
    { 'a.md': 'a\n', 'b.md': 'b\n' },
    {
      wrap: (store) => ({
        ...store,
        // Every replacement by itself.
        batch: undefined,
        async replace(path, bytes, options) {
          if (armed && path === 'a.md') {
            armed = false;
            writeFileSync(join(store.location, path), 'human\n');
          }
          return store.replace(path, bytes, options);
        },
      }),
    },
  );
  const { session, file } = vault;
  const start = Date.now() - 1;
  await session.patch('a.md', [{ op: 'append_body', markdown: '1' }], { tool });
  await session.patch('b.md', [{ op: 'append_body', markdown: '2' }], { tool });
  armed = true;
  expect(await codeOf(session.undo({ tool, since: start }))).toBe('conflict');
  expect([file('a.md'), file('b.md')]).toEqual(['human\n', 'b\n2\n']);
  expect((await session.history({ limit: 9, path: 'b.md' })).items.map(({ state }) => state)).toEqual([
    'done',
    'undone',
    'done',
  ]);
});

test('a deleted note comes back by undo when the trash was emptied, or holds another note of its name', async () => {
  const { session, file, folder } = await vaultOf({ 'a.md': 'a\n', 'b/a.md': 'other\n' });
  const first = await session.remove('a.md', { tool });
  rmSync(join(folder, '.trash'), { recursive: true });
  const second = await session.remove('b/a.md', { tool });
  expect(second.trashPath).toBe(first.trashPath);
  await session.undo({ tool, writeId: first.writeId ?? 0 });
  expect(file('a.md')).toBe('a\n');
  await session.undo({ tool, writeId: second.writeId ?? 0 });
  expect(file('b/a.md')).toBe('other\n');
});

test('500 writes at once, in one process, are all there', async () => {
  const { session, file } = await vaultOf(
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`N${at}.md`, ''])),
  );
  await Promise.all(
    Array.from({ length: 500 }, (_, at) =>
      session.patch(`N${at % 20}.md`, [{ op: 'append_body', markdown: `line ${at}` }], { tool }),
    ),
  );
  const lines = Array.from({ length: 20 }, (_, at) => file(`N${at}.md`)?.split('\n').filter(Boolean) ?? []);
  expect(lines.flat().sort()).toEqual(Array.from({ length: 500 }, (_, at) => `line ${at}`).sort());
});

test('history is newest first, by path, and paged', async () => {
  const { session } = await vaultOf({ 'a.md': 'x\n' });
  for (const markdown of ['1', '2', '3'])
    await session.patch('a.md', [{ op: 'append_body', markdown }], { tool });
  await session.write('b.md', { body: '' }, { tool });
  const first = await session.history({ limit: 2, path: 'a.md' });
  expect(first.total).toBe(3);
  const second = await session.history({ limit: 2, path: 'a.md', cursor: first.nextCursor ?? '' });
  expect([...first.items, ...second.items].map((write) => write.writeId)).toEqual([3, 2, 1]);
  expect(second.nextCursor).toBeNull();
});

test.each(['lexical', 'hybrid'] as const)(
  'a %s search keeps to the properties it is asked for',
  async (mode) => {
    const { session } = await vaultOf({
      'a.md': '---\nstatus: open\n---\nquokka\n',
      'b.md': '---\nstatus: done\n---\nquokka\n',
      'c.md': 'quokka\n',
    });
    const answer = await session.search({
      query: 'quokka',
      mode,
      filter: { frontmatter: { status: 'open' } },
      limit: 5,
    });
    expect([answer.total, answer.items.map((hit) => hit.path)]).toEqual([1, ['a.md']]);
  },
);

test('text that UTF-8 cannot hold is refused and not written as something else', async () => {
  const { session, files } = await vaultOf({ 'a.md': 'x\n' });
  const body = 'fine\nhalf \ud83d of a pair';
  for (const path of ['a.md', 'new.md'])
    await expect(session.write(path, { body }, { tool })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { line: 2 },
    });
  expect(files()).toEqual({ 'a.md': 'x\n' });
});
