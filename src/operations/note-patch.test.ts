import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { parseInput } from './call/input.ts';
import { notePatch } from './note-patch.ts';
import type { OperationContext } from './operation.ts';

const context: OperationContext = { signal: new AbortController().signal, progress: () => {} };
const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

/** What becomes of a note by these arguments, as a client sends them. */
async function patched(
  text: string,
  ops: unknown,
): Promise<{ text: string | undefined; notice: string | undefined }> {
  const vault = await openTestVault({ 'A.md': text });
  open.push(vault);
  const { notice } = await notePatch.run(
    vault.session,
    parseInput(notePatch, { path: 'A.md', ops }),
    context,
  );
  return { text: vault.file('A.md'), notice };
}

const set = (fields: object) => [{ op: 'set_frontmatter', key: 'a', ...fields }];

test.each<[string, object, string]>([
  ['a text', { value: 'word' }, 'word'],
  ['a text that looks like a number', { value: '007' }, '"007"'],
  ['a text that looks like a boolean', { value: 'true' }, '"true"'],
  ['a boolean', { value: true }, 'true'],
  ['a number', { value: 4 }, '4'],
  ['null', { value: null }, ''],
  ['a list', { value: ['x', 'z'] }, '\n  - x\n  - z'],
  ['a list as JSON text', { value: '["x","z"]' }, '\n  - x\n  - z'],
  ['a map as JSON text', { value: '{"x":1}' }, '\n  x: 1'],
  ['text that begins like JSON', { value: '[draft] one' }, '"[draft] one"'],
  ['a boolean as JSON text', { json: 'true' }, 'true'],
  ['a number as JSON text', { json: ' 4.5 ' }, '4.5'],
  ['null as JSON text', { json: 'null' }, ''],
  ['a text as JSON text', { json: '"[1]"' }, '"[1]"'],
  ['a list as JSON text in json', { json: '["x"]', value: null }, '\n  - x'],
])('set_frontmatter takes %s', async (_, fields, written) => {
  const { text } = await patched('---\nb: 1\n---\n', set(fields));
  expect(text?.replace(/'/g, '"')).toBe(
    `---\nb: 1\na:${written === '' || written.startsWith('\n') ? '' : ' '}${written}\n---\n`,
  );
});

test.each<[object, string]>([
  [{ json: '{' }, 'is no JSON'],
  [{ json: 'word' }, 'is no JSON'],
  [{ json: '1', value: 'x' }, 'exclude each other'],
])('set_frontmatter refuses %j', async (fields, message) => {
  await expect(patched('x\n', set(fields))).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(message),
    details: { op_index: 0 },
  });
});

test('json and JSON text mean nothing to other ops', async () => {
  await expect(patched('x\n', [{ op: 'add_tag', tag: 'a', json: '1' }])).rejects.toMatchObject({
    code: 'invalid_input',
  });
  expect((await patched('x\n', [{ op: 'append_body', value: '["a"]' }])).text).toBe('x\n["a"]\n');
});

test.each<[string, unknown, string]>([
  ['a JSON string', '[{"op":"append_body","markdown":"x"}]', '#t one\nx\n'],
  ['a lone object', { op: 'append_body', markdown: 'y' }, '#t one\ny\n'],
  ['a list of JSON strings', ['{"op":"append_body","markdown":"z"}'], '#t one\nz\n'],
])('ops may come as %s', async (_, ops, right) => {
  expect((await patched('#t one\n', ops)).text).toBe(right);
});

test.each<[string, string | undefined]>([
  ['tags: p, q', 'tags: "p, q" is no tag'],
  ['tags: "p, q"', 'tags: "p, q" is no tag'],
  ['tags: two words', 'tags: "two words" is no tag'],
  ['tags: p', undefined],
  ['tags: [p, q]', undefined],
  ['tags: ["p, q"]', undefined],
])('a tag added to %j says what became an entry that is no tag', async (line, said) => {
  const { text, notice } = await patched(`---\n${line}\n---\n`, [{ op: 'add_tag', tag: 'r' }]);
  expect(text).toMatch(/\br\b/);
  if (said === undefined) expect(notice).toBeUndefined();
  else expect(notice).toContain(said);
});

test('a boolean or a number that becomes a text is told', async () => {
  const note = '---\ndone: true\nrating: 3\nname: x\n---\n';
  const to = async (key: string, value: unknown) =>
    (await patched(note, [{ op: 'set_frontmatter', key, value }])).notice;
  expect(await to('done', 'false')).toContain('done is the text "false" now, and was a boolean');
  expect(await to('rating', '4')).toContain('rating is the text "4" now, and was a number');
  expect(await to('done', false)).toBeUndefined();
  expect(await to('rating', 'four')).toBeUndefined();
  expect(await to('name', '4')).toBeUndefined();
  expect(await to('new', 'true')).toContain('new is the text "true" now, no boolean');
  expect(await to('new', '2024')).toBeUndefined();
});
