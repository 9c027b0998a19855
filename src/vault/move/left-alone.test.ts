import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
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

const tool = 'test';

/** What a move says that it leaves alone, in a dry run and when it is done. */
async function leftBy(files: Record<string, string>, from: string, to: string): Promise<string[]> {
  const vault = await vaultOf(files);
  const dry = await vault.session.move(from, to, { tool, dryRun: true });
  const done = await vault.session.move(from, to, { tool });
  expect(done.leftAlone).toEqual(dry.leftAlone);
  expect(done.leftAlone.isPartial).toBe(false);
  return done.leftAlone.items.map(({ path, line, kind }) => `${path}:${line} ${kind}`);
}

const FENCE = '```';

describe('mentions that a move leaves alone', () => {
  test('case r-rep-1: code, comments and a query beside a link', async () => {
    const files = {
      'T.md': '',
      'N.md': `\`[[T]]\` %%[[T]]%% <!-- [[T]] -->\n${FENCE}dataview\nLIST FROM [[T]]\n${FENCE}\n[[T]]\n`,
    };
    expect(await leftBy(files, 'T.md', 'U.md')).toEqual([
      'N.md:1 code',
      'N.md:1 comment',
      'N.md:1 comment',
      'N.md:3 query',
    ]);
  });

  test.each<[string, string, string[]]>([
    [
      'a wikilink with heading, display and embed',
      '`[[Old#h]]` `![[p/Old|x]]`',
      ['N.md:1 code', 'N.md:1 code'],
    ],
    [
      'a Markdown link',
      `${FENCE}\n[a](p/Old.md) [b](<p/Old.md>) [c](https://x.y/Old)\n${FENCE}`,
      ['N.md:2 code', 'N.md:2 code'],
    ],
    ['a comment of a block', '%%\nsee [[Old]]\n%%', ['N.md:2 comment']],
    ['a comment in HTML', '<div>\n<!-- [[Old]] -->\n</div>', ['N.md:2 comment']],
    ['an inline query', '`= [[Old]].x`', ['N.md:1 query']],
    ['a path in a query', `${FENCE}dataview\nTABLE FROM "p/Old"\n${FENCE}`, ['N.md:2 query']],
    ['a name in a query', `${FENCE}dataviewjs\ndv.page("Old")\n${FENCE}`, ['N.md:2 query']],
    ['a Tasks query', `${FENCE}tasks\nnot done\npath includes p/Old\n${FENCE}`, ['N.md:3 query']],
    ['a search', `${FENCE}query\npath:p/Old tag:#x\n${FENCE}`, ['N.md:2 query']],
    ['properties that cannot be read', '---\na: "[[Old]]\nb: c: d\n---\n', ['N.md:2 properties']],
    ['a YAML comment', '---\na: 1 # was [[Old]]\n---\n', ['N.md:2 properties']],
    ['a quoted word that is no path in a query', `${FENCE}dataview\nTABLE a WHERE b = "Old"\n${FENCE}`, []],
    ['a name that is only said', 'Old and "Old" and `Old`', []],
    ['another note of the name', '`[[q/Old]]`', []],
    ['a note that is not there', '`[[Older]]` `[[r/Old]]`', []],
  ])('%s', async (_, text, left) => {
    const files = { 'p/Old.md': '# h\n', 'q/Old.md': '', 'N.md': `${text}\n` };
    expect(await leftBy(files, 'p/Old.md', 'p/New.md')).toEqual(left);
  });

  test('only what the move makes stale: a name that leads there all the same is none', async () => {
    const files = {
      'Old.md': '',
      'N.md': '`[[Old]]` `[a](Old.md)`\n',
      'z/M.md': `${FENCE}dataview\nLIST FROM "Old"\n${FENCE}\n`,
    };
    expect(await leftBy(files, 'Old.md', 'p/Old.md')).toEqual(['N.md:1 code', 'z/M.md:2 query']);
  });

  test('of a folder: its name in paths and queries', async () => {
    const files = {
      'Area 51/a.md': '`[[Area 51/b]]`\n',
      'Area 51/b.md': '',
      'N.md': `${FENCE}dataview\nLIST FROM "Area 51" OR "Area 51/sub"\n${FENCE}\n\`[[Area 51/a]] [[a]]\` "Area 51"\n`,
      'T.md': `${FENCE}tasks\npath includes Area 51/\n${FENCE}\n`,
    };
    expect(await leftBy(files, 'Area 51', 'Archive')).toEqual([
      'Archive/a.md:1 code',
      'N.md:2 query',
      'N.md:2 query',
      'N.md:4 code',
      'T.md:2 query',
    ]);
  });

  test('in a note that moves along, under the place where it is then', async () => {
    expect(await leftBy({ 'a/Self.md': '`[[Self]]` [[Self]]\n' }, 'a/Self.md', 'b/Me.md')).toEqual([
      'b/Me.md:1 code',
    ]);
  });

  test('of names that are encoded, composed, or written without spaces', async () => {
    const files = {
      'My Note.md': '',
      'a.md': '`[x](My%20Note.md)`\n',
      'b.md': '`[[my note]]`\n',
      'Cafe\u0301.md': '',
      'c.md': '`[[Caf\u00e9]]`\n',
      '\u4f1a\u8b70.md': '',
      'd.md': '`[[\u4f1a\u8b70]]`\n',
    };
    expect(await leftBy(files, 'My Note.md', 'Other.md')).toEqual(['a.md:1 code', 'b.md:1 code']);
    expect(await leftBy(files, 'Cafe\u0301.md', 'Bar.md')).toEqual(['c.md:1 code']);
    expect(await leftBy(files, '\u4f1a\u8b70.md', 'x.md')).toEqual(['d.md:1 code']);
  });

  test('never in notes that the caller does not see, nor of files it does not see', async () => {
    const rules = { ...OPEN_ACCESS, read: { allow: [], deny: ['h/**'] } };
    const files = {
      'T.md': '',
      'h/N.md': '`[[T]]` [[T]]\n',
      'V.md': '`[[T]]`\n',
      'h/U.md': '',
      'h/bad.md': '',
    };
    const vault = await vaultOf(files, { rules });
    writeFileSync(join(vault.folder, 'h/bad.md'), Buffer.from([0x5b, 0x5b, 0x54, 0x5d, 0x5d, 0xff]));
    const { leftAlone } = await vault.session.move('T.md', 'U.md', { tool });
    expect(leftAlone).toEqual({
      items: [{ path: 'V.md', line: 1, kind: 'code' }],
      isPartial: false,
      unreadable: [],
    });
  });

  test('update_links false asks for no report', async () => {
    const vault = await vaultOf({ 'T.md': '', 'N.md': '`[[T]]`\n' });
    const { leftAlone } = await vault.session.move('T.md', 'U.md', { tool, updateLinks: false });
    expect(leftAlone.items).toEqual([]);
  });

  test('a name that very many notes say is looked for in the first of them, which is told', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 520 }, (_, at) => [`n/${at}.md`, 'the index of it\n']),
    );
    const vault = await vaultOf({ ...many, 'Index.md': '', 'n/x.md': '`[[Index]]`\n' });
    const { leftAlone } = await vault.session.move('Index.md', 'Contents.md', { tool, dryRun: true });
    expect(leftAlone.isPartial).toBe(true);
  });
});

test('notes that cannot be read and may link there are named, those in another encoding only if they say the name', async () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  const vault = await vaultOf({
    'Caf\u00e9 one.md': '',
    'says.md': latin('[[Caf\u00e9 one]]\n'),
    'silent.md': latin('\u00e9\n'),
    'wide.md': Buffer.from('\ufeff[[Caf\u00e9 one]]', 'utf16le'),
    'broken.canvas': '{"nodes": [',
    'picture.png': latin('\u00e9'),
  });
  const move = () => vault.session.move('Caf\u00e9 one.md', 'x.md', { tool, dryRun: true });
  expect((await move()).leftAlone.unreadable).toEqual(['broken.canvas', 'says.md', 'wide.md']);
  const removed = await vault.session.remove('Caf\u00e9 one.md', { tool, dryRun: true });
  expect(removed.unreadable).toEqual(['broken.canvas', 'says.md', 'wide.md']);
  if (process.getuid?.() === 0) return;
  writeFileSync(join(vault.folder, 'shut.md'), '');
  chmodSync(join(vault.folder, 'shut.md'), 0);
  await vault.vault.indexed();
  await expect
    .poll(async () => (await move()).leftAlone.unreadable, { timeout: 10_000 })
    .toContain('shut.md');
});
