import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

type Files = Record<string, string>;

async function afterMove(files: Files, from: string, to: string): Promise<Files> {
  const vault = await openTestVault(files);
  open.push(vault);
  await vault.session.move(from, to, { tool: 't' });
  return vault.files();
}

const canvas = (path: string, text: string) =>
  JSON.stringify({
    nodes: [
      { id: '1', type: 'file', file: path },
      { id: '2', type: 'text', text },
    ],
  });

test.each<[string, Files, [string, string], Files]>([
  [
    'a note, however the links write it',
    {
      'n/note.md': '[[note]]\n',
      'N.md': '[[note]] [[NOTE#h|x]] [[n/note|note]] ![[note.md]] [note](n/note.md) [b](n/Note.md)\n',
      'c.canvas': canvas('n/note.md', '[[note]]'),
      'p.md': '---\nup: "[[note]]"\n---\n| a |\n| --- |\n| [[note\\|note]] |\n',
    },
    ['n/note.md', 'n/Note.md'],
    {
      'n/Note.md': '[[Note]]\n',
      'N.md': '[[Note]] [[Note#h|x]] [[Note|Note]] ![[Note]] [Note](n/Note.md) [b](n/Note.md)\n',
      'c.canvas': canvas('n/Note.md', '[[Note]]'),
      'p.md': '---\nup: "[[Note]]"\n---\n| a |\n| --- |\n| [[Note\\|Note]] |\n',
    },
  ],
  [
    'a folder: only links that write it',
    {
      'p/a.md': '[b](b.md) [[p/b]] [[b]]\n',
      'p/b.md': '',
      'q/N.md': '[[p/a]] [[a]] [t](../p/a.md) [r](/p/a)\n',
    },
    ['p', 'P'],
    { 'P/a.md': '[b](b.md) [[P/b]] [[b]]\n', 'q/N.md': '[[P/a]] [[a]] [t](../P/a.md) [r](/P/a)\n' },
  ],
  [
    'letters beyond ASCII',
    { 'ärger.md': '', 'N.md': '[[ärger]] [t](%C3%A4rger.md) [[a\u0308rger|x]]\n' },
    ['ärger.md', 'Ärger.md'],
    { 'N.md': '[[Ärger]] [t](Ärger.md) [[Ärger|x]]\n' },
  ],
  [
    'an attachment',
    { 'i.png': '', 'N.md': '![[i.png|300]] ![](i.png)\n' },
    ['i.png', 'I.png'],
    { 'N.md': '![[I.png|300]] ![](I.png)\n' },
  ],
  [
    'not a link written in its own case to a note that goes elsewhere',
    { 'a/Idea.md': '', 'N.md': '[[idea]] [[Idea]]\n' },
    ['a/Idea.md', 'b/Idea.md'],
    { 'N.md': '[[idea]] [[Idea]]\n' },
  ],
  [
    'a file that a Logseq page shows, but not a page name, in which case does not count',
    {
      'logseq/config.edn': '{}',
      'assets/i.png': '',
      'pages/foo.md': '- x\n',
      'pages/N.md': '- [[foo]] #foo ![](../assets/i.png)\n',
    },
    ['assets/i.png', 'assets/I.png'],
    { 'pages/N.md': '- [[foo]] #foo ![](../assets/I.png)\n' },
  ],
  [
    'a SilverBullet page',
    { '.silverbullet.db': '', 'note.md': '', 'N.md': '[[note|note]] [[Note]] [t](note.md)\n' },
    ['note.md', 'Note.md'],
    { 'N.md': '[[Note|Note]] [[Note]] [t](Note.md)\n' },
  ],
])('links follow a change of case only: %s', async (_, files, [from, to], right) => {
  expect(await afterMove(files, from, to)).toMatchObject(right);
});

test('a rename in case only is undone to the byte', async () => {
  const files = { 'note.md': '[[note]]\n', 'N.md': '[[note|note]] [t](note.md)\n' };
  const vault = await openTestVault(files);
  open.push(vault);
  const moved = await vault.session.move('note.md', 'Note.md', { tool: 't' });
  expect(moved.links).toBe(3);
  await vault.session.undo({ tool: 't', writeId: moved.writeId ?? 0 });
  expect(vault.files()).toEqual(files);
});

test('display text that is the name stays the name when only the path to it has to be written', async () => {
  const files = { 'a/F.md': '', 'N.md': '[[F|F]] ![[F#h|F]] [F](F.md) [[F|f]]\n', 'G.md': '' };
  const right = '[[a/F|F]] ![[a/F#h|F]] [F](a/F.md) [[a/F|f]]\n';
  expect((await afterMove(files, 'G.md', 'F.md'))['N.md']).toBe(right);
  const vault = await openTestVault(files);
  open.push(vault);
  await vault.session.write('F.md', { body: 'x' }, { tool: 't', ifNotExists: true });
  expect(vault.file('N.md')).toBe(right);
  const moved = await afterMove({ ...files, 'b/F.md': '' }, 'a/F.md', 'c/F.md');
  expect(moved['N.md']).toBe('[[c/F|F]] ![[c/F#h|F]] [F](c/F.md) [[c/F|f]]\n');
});

test.each<[string, Files, [string, string], Files]>([
  [
    'the target is renamed',
    { 'A.md': '', 'N.md': '[a](./A.md#h) [b](<./A.md> "t") [c](./A) ![d](./A.md)\n\n[r]: ./A.md\n\n[r]\n' },
    ['A.md', 'x y.md'],
    {
      'N.md':
        '[a](./x%20y.md#h) [b](<./x y.md> "t") [c](./x%20y) ![d](./x%20y.md)\n\n[r]: ./x%20y.md\n\n[r]\n',
    },
  ],
  [
    'the target goes below',
    { 'A.md': '', 'N.md': '[a](./A.md)\n' },
    ['A.md', 'p/A.md'],
    { 'N.md': '[a](./p/A.md)\n' },
  ],
  [
    'the target goes beside',
    { 'A.md': '', 'p/N.md': '[a](../A.md)\n' },
    ['A.md', 'p/A.md'],
    { 'p/N.md': '[a](A.md)\n' },
  ],
  [
    'the note goes below',
    { 'A.md': '', 'N.md': '[a](./A.md)\n' },
    ['N.md', 'p/N.md'],
    { 'p/N.md': '[a](../A.md)\n' },
  ],
])('a Markdown link that begins with ./ goes on so where it can: %s', async (_, files, [from, to], right) => {
  expect(await afterMove(files, from, to)).toMatchObject(right);
});
