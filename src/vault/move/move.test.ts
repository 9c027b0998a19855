import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { isLecternError, LecternError } from '../../errors.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

async function vaultOf(files: Record<string, string>): Promise<TestVault> {
  const vault = await openTestVault(files);
  open.push(vault);
  return vault;
}

interface Case {
  id: string;
  area: string;
  input: { files: Record<string, string> };
  action: { op: string; from?: string; to?: string; path?: string; content?: string; race?: string };
  right: { files?: Record<string, string>; result?: string };
}

const CASES = readFileSync(
  fileURLToPath(new URL('../../../test/fixtures/cases.jsonl', import.meta.url)),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case)
  .filter(
    ({ area, action }) =>
      (area === 'rename' || ['link-06'].includes(area)) && !Array.isArray(action) && !action.race,
  );

test.each(CASES.map((one) => [one.id, one] as const))('case %s', async (_, { input, action, right }) => {
  const vault = await vaultOf(input.files);
  const { session } = vault;
  const options = { tool: 'test' };
  const work =
    action.op === 'create_note'
      ? session.write(action.path ?? '', { body: action.content ?? '' }, { ...options, ifNotExists: true })
      : session.move(action.from ?? '', action.to ?? '', options);
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (right.result?.startsWith('Refused')) expect(isLecternError(error), String(error)).toBe(true);
  else if (!right.result?.startsWith('Either refused')) expect(error).toBeUndefined();
  const files = vault.files();
  for (const [path, text] of Object.entries(right.files ?? {})) expect(files[path], path).toBe(text);
  const before = Object.keys(input.files).length + (action.op === 'create_note' ? 1 : 0);
  expect(Object.keys(files)).toHaveLength(before);
});

test('a move can be undone to the byte', async () => {
  const files = {
    'a/Old.md': '# Old\n[[b/Other]] [x](../b/Other.md)\n',
    'b/Other.md': '[[Old]] [[a/Old|Old]] ![[old#Old]] [Old](../a/Old.md)\n',
    'b/prop.md': '---\nup: "[[Old]]"\nall: [\'[[a/Old]]\']\n---\n',
  };
  const vault = await vaultOf(files);
  const moved = await vault.session.move('a/Old.md', 'c/d/It\'s "new".md'.replaceAll('"', ''), { tool: 't' });
  expect(moved.links).toBeGreaterThan(4);
  expect(vault.file('b/prop.md')).toBe("---\nup: \"[[It's new]]\"\nall: ['[[It''s new]]']\n---\n");
  await vault.session.undo({ tool: 't', writeId: moved.writeId ?? 0 });
  expect(vault.files()).toEqual(files);
});

test('moving a note keeps its own relative links and those of a whole folder', async () => {
  const vault = await vaultOf({
    'p/a.md': '[b](b.md) [up](../top.md) ![i](img/i.png) [[top]]\n',
    'p/b.md': '[a](./a.md)\n',
    'p/img/i.png': 'x',
    'top.md': '[a](p/a.md) [[p/a]]\n',
  });
  await vault.session.move('p', 'q/r/s', { tool: 't' });
  expect(vault.files()).toEqual({
    'q/r/s/a.md': '[b](b.md) [up](../../../top.md) ![i](img/i.png) [[top]]\n',
    'q/r/s/b.md': '[a](./a.md)\n',
    'q/r/s/img/i.png': 'x',
    'top.md': '[a](q/r/s/a.md) [[q/r/s/a]]\n',
  });
});

test('a name with brackets is followed wherever a link to it stands, and written so that it stays one link', async () => {
  const canvas = (link: string, path: string) =>
    JSON.stringify({
      nodes: [
        { id: '1', type: 'text', text: `[[${link}]] ![[${link}|x]]`, x: 0, y: 0, width: 1, height: 1 },
        { id: '2', type: 'file', file: path, x: 0, y: 0, width: 1, height: 1 },
      ],
    });
  const text = (link: string, url: string) =>
    `---\nup: "[[${link}]]"\n---\n([[${link}]]) ![[${link}#H|d]] [m](${url})\n\n| [[${link}\\|d]] |\n|---|\n`;
  const vault = await vaultOf({
    'p/a [b].md': '# H\n',
    'p/[c] d.md': '',
    'N.md': `${text('p/a [b]', 'p/a%20[b].md')}[[p/[c] d]] [[p/a [b]]]\n`,
    'c.canvas': canvas('p/a [b]', 'p/a [b].md'),
  });
  await vault.session.move('p', 'q', { tool: 't' });
  expect(vault.file('N.md')).toBe(`${text('q/a [b].md', 'q/a%20%5Bb%5D.md')}[[q/[c] d]] [[q/a [b].md]]\n`);
  expect(vault.file('c.canvas')).toBe(canvas('q/a [b].md', 'q/a [b].md'));
  expect((await vault.session.backlinks('q/a [b].md', { limit: 20 })).total).toBe(9);
  await vault.session.move('q/a [b].md', 'q/x.md', { tool: 't' });
  expect(vault.file('N.md')).toBe(`${text('x', 'q/x.md')}[[q/[c] d]] [[x]]\n`);
});

test('links to a heading follow when a link in the heading does', async () => {
  const canvas = (heading: string) =>
    JSON.stringify({
      nodes: [
        { id: '1', type: 'file', file: 'T.md', subpath: `#${heading}`, x: 0, y: 0, width: 1, height: 1 },
      ],
    });
  const files = {
    'A.md': '',
    'T.md': '# Head [[A]]\n\n## See [a](A.md) ^id\n\n[[#Head A]] [[A]] [[#^id]]\n',
    'N.md': '[[T#Head A]] ![[T#head a|x]] [m](T.md#Head%20A) [[T#Head [[A]]]] [[T]] `[[T#Head A]]`\n',
    'P.md': '---\nup: "[[T#Head A]]"\n---\n',
    'c.canvas': canvas('Head A'),
    'other.md': '[[T]] [[X#Head A]]\n',
  };
  const vault = await vaultOf(files);
  const moved = await vault.session.move('A.md', 'p/B b.md', { tool: 't' });
  expect(vault.files()).toEqual({
    'p/B b.md': '',
    'T.md': '# Head [[B b]]\n\n## See [a](p/B%20b.md) ^id\n\n[[#Head B b]] [[B b]] [[#^id]]\n',
    'N.md':
      '[[T#Head B b]] ![[T#Head B b|x]] [m](T.md#Head%20B%20b) [[T#Head [[B b]]]] [[T]] `[[T#Head A]]`\n',
    'P.md': '---\nup: "[[T#Head B b]]"\n---\n',
    'c.canvas': canvas('Head B b'),
    'other.md': files['other.md'],
  });
  expect(moved.relinked).toEqual([
    { path: 'N.md', links: 4 },
    { path: 'P.md', links: 1 },
    { path: 'T.md', links: 4 },
    { path: 'c.canvas', links: 1 },
  ]);
  expect(moved.links).toBe(10);
  await vault.session.undo({ tool: 't', writeId: moved.writeId ?? 0 });
  expect(vault.files()).toEqual(files);
});

test('a note that moves with a link in its own heading is followed, through several headings at once', async () => {
  const vault = await vaultOf({
    'p/A.md': '# In [x](B.md)\n## By [[B]]\n[[#By B]]\n',
    'p/B.md': '',
    'N.md': '[[A#In x B md#By B]] [[p/A#By B]]\n',
  });
  await vault.session.move('p/B.md', 'p/C.md', { tool: 't' });
  expect(vault.file('p/A.md')).toBe('# In [x](C.md)\n## By [[C]]\n[[#By C]]\n');
  expect(vault.file('N.md')).toBe('[[A#In x C.md#By C]] [[p/A#By C]]\n');
});

test('a link to a heading whose new text another heading has stays, and the answer says so', async () => {
  const vault = await vaultOf({ 'A.md': '', 'T.md': '# On B\n# On [[A]]\n', 'N.md': '[[T#On A]]\n' });
  const moved = await vault.session.move('A.md', 'B.md', { tool: 't' });
  expect(vault.files()).toEqual({ 'B.md': '', 'T.md': '# On B\n# On [[B]]\n', 'N.md': '[[T#On A]]\n' });
  expect(moved.notices.join()).toContain('N.md: links to the heading "On [[A]]" of T.md');
});

test('a change of case only is a move, and links in any case still resolve', async () => {
  const vault = await vaultOf({ 'note.md': 'x', 'l.md': '[[note]] [n](note.md)\n' });
  await vault.session.move('note.md', 'Note.md', { tool: 't' });
  expect(Object.keys(vault.files()).sort()).toEqual(['Note.md', 'l.md']);
  expect((await vault.session.backlinks('Note.md', { limit: 10 })).total).toBe(2);
});

test('update_links false moves the file alone, and a dry run moves nothing', async () => {
  const files = { 'a.md': 'x', 'l.md': '[[a]]\n' };
  const vault = await vaultOf(files);
  const dry = await vault.session.move('a.md', 'b.md', { tool: 't', dryRun: true });
  expect(dry).toMatchObject({ links: 1, writeId: undefined, dryRun: true });
  expect(vault.files()).toEqual(files);
  await vault.session.move('a.md', 'b.md', { tool: 't', updateLinks: false });
  expect(vault.files()).toEqual({ 'b.md': 'x', 'l.md': '[[a]]\n' });
});

test.each([
  ['nowhere.md', 'x.md', 'not_found'],
  ['a.md', 'l.md', 'exists'],
  ['a.md', 'L.md', 'exists'],
  ['a.md', 'b.txt', 'invalid_path'],
  ['a.md', '../b.md', 'invalid_path'],
  ['a.md', '.obsidian/b.md', 'invalid_path'],
  ['a.md', 'con.md', 'invalid_path'],
  ['', 'x', 'invalid_path'],
])('moving %j to %j is refused with %s and changes nothing', async (from, to, code) => {
  const files = { 'a.md': 'x', 'l.md': '[[a]]\n' };
  const vault = await vaultOf(files);
  const error = await vault.session.move(from, to, { tool: 't' }).catch((thrown: unknown) => thrown);
  expect(isLecternError(error) ? error.code : error).toBe(code);
  expect(vault.files()).toEqual(files);
});

test.each(['con', 'x/nul/y', 'a#b', 'a:b', 'a|b', 'a^b', 'x/[a]', 'trail.', 'x /y', 'x/ lead'])(
  'a folder is not renamed to %j either, where its notes could not be stored or linked to',
  async (to) => {
    const files = { 'p/a.md': '[[p/b]]\n', 'p/b.md': '', 'N.md': '[[p/a]] [t](p/a.md)\n' };
    const vault = await vaultOf(files);
    const error = await vault.session.move('p', to, { tool: 't' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_path' });
    expect(vault.files()).toEqual(files);
  },
);

test('a folder brings no file beside one whose path differs in case only', async () => {
  const files = { 'p/a.md': '1', 'q/A.md': '2', 'q/c.md': '3' };
  const vault = await vaultOf(files);
  const error = await vault.session.move('p', 'Q', { tool: 't' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'exists' });
  expect(vault.files()).toEqual(files);
  await vault.session.move('q', 'Q', { tool: 't' });
  expect(vault.files()).toEqual({ 'p/a.md': '1', 'Q/A.md': '2', 'Q/c.md': '3' });
});

test.each(['a@b.md', 'a$b.md', '^a.md', 'a.md.md', 'q@r/a.md'])(
  'SilverBullet cannot link to %j, so no page comes to be called so',
  async (to) => {
    const files = { '.silverbullet.db': '', 'p/a.md': '', 'p/i@2x.png': '', 'N.md': '[[p/a]]\n' };
    const vault = await vaultOf(files);
    const before = vault.files();
    const refused = { code: 'invalid_path' };
    const { session } = vault;
    await expect(session.move('p/a.md', to, { tool: 't' })).rejects.toMatchObject(refused);
    await expect(session.write(to, { body: 'x' }, { tool: 't' })).rejects.toMatchObject(refused);
    if (to.includes('/'))
      await expect(session.move('p', 'q@r', { tool: 't' })).rejects.toMatchObject(refused);
    expect(vault.files()).toEqual(before);
    await session.move('p', 'q', { tool: 't' });
    expect(Object.keys(vault.files()).sort()).toEqual(['N.md', 'q/a.md', 'q/i@2x.png']);
  },
);

test('a page that SilverBullet cannot open is still read, written, and moved away from its name', async () => {
  const vault = await vaultOf({ '.silverbullet.db': '', 'a@b.md': '1\n' });
  await vault.session.write('a@b.md', { body: '2\n' }, { tool: 't' });
  await vault.session.move('a@b.md', 'ab.md', { tool: 't' });
  expect(vault.files()).toEqual({ 'ab.md': '2\n' });
});

test('a referrer that cannot be read holds the move back, and its name stays out of the answer', async () => {
  const files = { 'a.md': 'x\n', 'ok.md': '[[a]]\n', 'shut.md': '[[a]]\n' };
  let shut = false;
  const vault = await openTestVault(files, {
    wrap: (store) => ({
      ...store,
      async read(path) {
        if (shut && path === 'shut.md')
          throw new LecternError('unavailable', 'The system denies access to shut.md.');
        return store.read(path);
      },
    }),
  });
  open.push(vault);
  shut = true;
  const error = await vault.session.move('a.md', 'b.md', { tool: 't' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable' });
  expect(JSON.stringify([(error as LecternError).message, (error as LecternError).details])).not.toContain(
    'shut',
  );
  expect(vault.files()).toEqual(files);
  await vault.session.move('a.md', 'b.md', { tool: 't', updateLinks: false });
  expect(vault.file('b.md')).toBe('x\n');
});

test('a move whose drive fails half way is taken back, links and all', async () => {
  const files = {
    'a.md': 'x\n',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`r${at}.md`, '[[a]]\n'])),
  };
  let failing = true;
  const vault = await openTestVault(files, {
    wrap: (store) => ({
      ...store,
      // Every replacement by itself.
      batch: undefined,
      async replace(path, bytes, options) {
        if (failing && path === 'r7.md') throw new LecternError('unavailable', 'The drive failed.');
        return store.replace(path, bytes, options);
      },
    }),
  });
  open.push(vault);
  const error = await vault.session.move('a.md', 'b.md', { tool: 't' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable', message: 'The drive failed.' });
  expect(vault.files()).toEqual(files);
  expect((await vault.session.backlinks('a.md', { limit: 1 })).total).toBe(20);
  failing = false;
  expect((await vault.session.move('a.md', 'b.md', { tool: 't' })).links).toBe(20);
});

test('a note that its editor saves under the old name after the move keeps both texts', async () => {
  const vault = await vaultOf({ 'a.md': 'old\n', 'r.md': '[[a]]\n' });
  await vault.session.move('a.md', 'sub/b.md', { tool: 't' });
  writeFileSync(join(vault.folder, 'a.md'), 'typed meanwhile\n');
  await vault.session.patch('sub/b.md', [{ op: 'append_body', markdown: 'more' }], { tool: 't' });
  expect(vault.files()).toEqual({
    'a.md': 'typed meanwhile\n',
    'r.md': '[[b]]\n',
    'sub/b.md': 'old\nmore\n',
  });
});

test('a name that would end a link where it is written is refused before anything moves', async () => {
  const files = { 'a.md': 'x\n', 'r.md': '[[a]] and [[a]]\n' };
  const vault = await vaultOf(files);
  const error = await vault.session
    .move('a.md', 'x $$ y.md', { tool: 't' })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid_path' });
  expect(vault.files()).toEqual(files);
  await vault.session.move('a.md', 'x $ y.md', { tool: 't' });
  expect(vault.file('r.md')).toBe('[[x $ y]] and [[x $ y]]\n');
});

test('moving a note to where it is writes nothing', async () => {
  const vault = await vaultOf({ 'a.md': 'x\n' });
  expect(await vault.session.move('a.md', 'a.md', { tool: 't' })).toMatchObject({
    writeId: undefined,
    links: 0,
  });
  expect((await vault.session.history({ limit: 5 })).total).toBe(0);
});

test('a restored note takes no links of a protected note away', async () => {
  const rules = { readOnly: false, read: { allow: [], deny: [] }, write: { allow: [], deny: ['fixed'] } };
  const vault = await openTestVault({ 'n.md': '1', 'b/n.md': '2', 'fixed/f.md': 'x' }, { rules });
  open.push(vault);
  const { session } = vault;
  await session.remove('n.md', { tool: 't' });
  writeFileSync(join(vault.folder, 'fixed/f.md'), '[[n]]\n');
  const error = await session
    .trashRestore('.trash/n.md', undefined, { tool: 't' })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'forbidden' });
  expect(vault.file('fixed/f.md')).toBe('[[n]]\n');
});

test.each<[string, Record<string, string>, [string, string], Record<string, string>]>([
  [
    'the note moves',
    {
      'a/N.md': '![y](i.png) [b](../B.md) [[i.png]] [c](sub/C.md "t")\n',
      'a/i.png': '',
      'B.md': '',
      'a/sub/C.md': '',
    },
    ['a/N.md', 'x/y/N.md'],
    { 'x/y/N.md': '![y](../../a/i.png) [b](../../B.md) [[i.png]] [c](../../a/sub/C.md "t")\n' },
  ],
  [
    'the target moves',
    { 'N.md': '[a](A.md#h) [b](<A.md>) [[A]]\n', 'A.md': '# h\n' },
    ['A.md', 'p q/A.md'],
    { 'N.md': '[a](p%20q/A.md#h) [b](<p q/A.md>) [[A]]\n' },
  ],
  [
    'a link without .md',
    { 'a/N.md': '[b](b%20c#h) [d](../d)\n', 'a/b c.md': '# h\n', 'd.md': '' },
    ['a/N.md', 'x/N.md'],
    { 'x/N.md': '[b](../a/b%20c#h) [d](../d)\n' },
  ],
  [
    'a vault whose program writes Markdown links by name',
    { 'N.md': '[a](A.md)\n', 'A.md': '', '.obsidian/app.json': '{"useMarkdownLinks":true}' },
    ['A.md', 'p/A.md'],
    { 'N.md': '[a](A.md)\n' },
  ],
  [
    'a name that never was a path stays one',
    { 'x/N.md': '[a](A.md)\n', 'p/A.md': '' },
    ['p/A.md', 'q/A.md'],
    { 'x/N.md': '[a](A.md)\n' },
  ],
  [
    'a name becomes a toss-up between two files',
    { 'N.md': '[[X]] [[Y]]\n', 'a/X.md': '', 'b/Y.md': '', 'a/N.md': '[[X]]\n' },
    ['b/Y.md', 'b/X.md'],
    { 'N.md': '[[a/X]] [[b/X]]\n', 'a/N.md': '[[X]]\n' },
  ],
])('links that other programs follow, too: %s', async (_, files, [from, to], right) => {
  const vault = await vaultOf(files);
  await vault.session.move(from, to, { tool: 't' });
  expect(vault.files()).toMatchObject(right);
});

test('a canvas follows: a definition used twice, and the background of a group', async () => {
  const canvas = (note: string, image: string) =>
    JSON.stringify({
      nodes: [
        { id: '1', type: 'text', text: `[a][r] [b][r]\n\n[r]: ${note}`, x: 0, y: 0, width: 1, height: 1 },
        { id: '2', type: 'group', background: image, x: 0, y: 0, width: 1, height: 1 },
      ],
    });
  const vault = await vaultOf({ 'p/A.md': '', 'p/i.png': 'x', 'c.canvas': canvas('p/A.md', 'p/i.png') });
  await vault.session.move('p', 'q r', { tool: 't' });
  expect(vault.file('c.canvas')).toBe(canvas('q%20r/A.md', 'q r/i.png'));
});

test('Logseq: a tag is a link to its page, with brackets when the name needs them', async () => {
  const page = 'tags:: A, [[A]], other\n\n- [[A]] #A #[[A]] [t]([[A]])\n';
  const vault = await vaultOf({ 'logseq/config.edn': '{}', 'pages/A.md': '- x\n', 'pages/N.md': page });
  expect((await vault.session.backlinks('pages/A.md', { limit: 10 })).total).toBe(6);
  await vault.session.move('pages/A.md', 'pages/B C.md', { tool: 't' });
  expect(vault.file('pages/N.md')).toBe(
    'tags:: B C, [[B C]], other\n\n- [[B C]] #[[B C]] #[[B C]] [t]([[B C]])\n',
  );
  await vault.session.move('pages/B C.md', 'pages/D.md', { tool: 't' });
  expect(vault.file('pages/N.md')).toBe('tags:: D, [[D]], other\n\n- [[D]] #[[D]] #[[D]] [t]([[D]])\n');
});

test('what an editor saved a moment ago follows, whoever changes names', async () => {
  const vault = await vaultOf({ 'a.md': '# H\n', 'x.md': '#t\n', 'b/n.md': '', 'b/r.md': '' });
  const { session, folder } = vault;
  const save = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const tool = 't';
  const { trashPath = '' } = await session.remove('b/r.md', { tool });
  mkdirSync(join(folder, 'new'));
  save('new/l.md', '[[a]]\n');
  await session.move('a.md', 'c.md', { tool });
  expect(vault.file('new/l.md')).toBe('[[c]]\n');
  save('new/l.md', '[[c#H]]\n');
  await session.patch('c.md', [{ op: 'rename_heading', from: 'H', to: 'I' }], { tool });
  expect(vault.file('new/l.md')).toBe('[[c#I]]\n');
  save('new/t.md', '#t\n');
  await session.renameTag('t', 'u', { tool });
  expect(vault.file('new/t.md')).toBe('#u\n');
  save('new/m.md', '[[n]]\n');
  await session.write('n.md', { body: 'other' }, { tool });
  expect(vault.file('new/m.md')).toBe('[[b/n]]\n');
  mkdirSync(join(folder, 'e'));
  save('e/r.md', '');
  save('new/o.md', '[[r]]\n');
  await session.trashRestore(trashPath, 'r.md', { tool });
  expect(vault.file('new/o.md')).toBe('[[e/r]]\n');
});
