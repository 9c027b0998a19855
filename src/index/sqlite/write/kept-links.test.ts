import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../../sqlite/driver.ts';
import { inputs, scratchIndex } from '../testing.ts';
import { openIndexWriter, type SqliteIndexWriter } from './writer.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function scratch(): { path: string; writer: SqliteIndexWriter } {
  const { path, remove } = scratchIndex();
  const writer = openIndexWriter(path);
  closing.push(() => {
    writer.close();
    remove();
  });
  return { path, writer };
}

const read = (path: string, sql: string) => {
  const database = openDatabase(path);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};

/** All columns of links except their ids, of which only the order matters. */
const linksIn = (path: string) =>
  read(
    path,
    `SELECT s.path, s.orphan, l.key, l.written, l.subpath, l.display, l.syntax, l.embed, l.property, l.line, l.start,
       l.ambiguous, t.path AS target,
       (SELECT group_concat(k.key) FROM link_extra_key k WHERE k.link = l.id) AS extra
     FROM link l JOIN file s ON s.id = l.source LEFT JOIN file t ON t.id = l.target ORDER BY s.path, l.id`,
  );

const idsIn = (path: string) =>
  read(path, "SELECT l.id FROM link l JOIN file f ON f.id = l.source WHERE f.path = 'Many.md' ORDER BY l.id");

const line = (at: number) => `- [[Note ${at % 40}|as ${at}]] and [text](Folder/Note%20${at % 7}.md#part)\n`;
const many = (count: number) => `# Many\n\n${Array.from({ length: count }, (_, at) => line(at)).join('')}`;
const others = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`Note ${at}.md`, '[[Many]]']));

const EDITS: [string, (text: string) => string, Record<string, string | undefined>?][] = [
  ['nothing', (text) => text],
  ['a line at the end', (text) => `${text}\nlast [[Note 3]]\n`],
  ['text without links in front', (text) => `A word in front.\n\n${text}`],
  ['a link in front', (text) => `[[Note 1]]\n\n${text}`],
  ['one in the middle', (text) => text.replace('|as 200]]', '|otherwise]]')],
  ['one in the middle taken out', (text) => text.replace(line(250), '')],
  ['the end cut off', (text) => text.slice(0, -2000)],
  ['nearly all cut off', (text) => text.slice(0, 400)],
  ['a name with a mark between columns', (text) => text.replace('|as 5]]', '|as\x1f5]]')],
  ['a name with the mark of an empty column', (text) => text.replace('|as 6]]', '|\x1d]]')],
  ['targets that come and go', (text) => `${text}end\n`, { 'Note 35.md': 'new', 'Note 3.md': undefined }],
  ['a namesake', (text) => `${text}end\n`, { 'Folder/Note 4.md': 'a namesake' }],
];

test.each(EDITS)('links after %s are those of an index made afresh', (_, edit, changes = {}) => {
  const before = { ...others, 'Many.md': many(400) };
  const edited = edit(before['Many.md']);
  const { path, writer } = scratch();
  writer.apply(inputs(before), []);
  const gone = Object.keys(changes).filter((name) => changes[name] === undefined);
  const put = Object.entries(changes).filter((each): each is [string, string] => each[1] !== undefined);
  writer.apply(inputs({ 'Many.md': edited, ...Object.fromEntries(put) }), gone);

  const afresh = scratch();
  const files = { ...before, 'Many.md': edited, ...Object.fromEntries(put) };
  const left = Object.entries(files).filter(([name]) => !gone.includes(name));
  afresh.writer.apply(inputs(Object.fromEntries(left)), []);
  expect(linksIn(path)).toEqual(linksIn(afresh.path));

  // Then the original text again.
  writer.apply(inputs({ 'Many.md': before['Many.md'] }), []);
  afresh.writer.apply(inputs({ 'Many.md': before['Many.md'] }), []);
  expect(linksIn(path)).toEqual(linksIn(afresh.path));
});

test('links in front of a change stay where they are stored', () => {
  const { path, writer } = scratch();
  writer.apply(inputs({ ...others, 'Many.md': many(400) }), []);
  const before = idsIn(path);
  writer.apply(inputs({ 'Many.md': `${many(400)}[[Note 1]]\n` }), []);
  const after = idsIn(path);
  expect(after).toHaveLength(801);
  expect(after.slice(0, 800)).toEqual(before);
  writer.apply(inputs({ 'Many.md': many(400).replace('|as 200]]', '|otherwise]]') }), []);
  expect(idsIn(path).slice(0, 400)).toEqual(before.slice(0, 400));
});
