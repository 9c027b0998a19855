import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { isLecternError } from '../../errors.ts';

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
