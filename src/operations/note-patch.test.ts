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

/** The text of a note after a patch with these arguments, as a client sends them. */
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

test.each<[string, string, object, object, string]>([
  ['all there is', 'a b a\n', { all: true }, { count: 2, left: 0, left_lines: [] }, 'Replaced 2 places.'],
  [
    'one of several',
    'a\n\na\na a\n',
    { occurrence: 1 },
    { count: 1, left: 3, left_lines: [4, 5] },
    'Replaced 1 place, 3 left as they are (line 4, 5).',
  ],
  [
    'all but the properties',
    '---\nx: a\n---\na\n',
    { all: true },
    { count: 1, left: 1, left_lines: [2] },
    'Replaced 1 place, 1 left as it is (line 2).',
  ],
  [
    'the properties too',
    '---\nx: a\n---\na\n',
    { all: true, include_frontmatter: true, new: 'b' },
    { count: 2, left: 0, left_lines: [] },
    'Replaced 2 places.',
  ],
])(
  'replace_text says how often it replaced, and where it did not: %s',
  async (_, text, how, replaced, said) => {
    const vault = await openTestVault({ 'A.md': text });
    open.push(vault);
    const ops = [{ op: 'replace_text', old: 'a', new: 'new\nline', ...how }];
    const input = parseInput(notePatch, { path: 'A.md', ops });
    const output = await notePatch.run(vault.session, input, context);
    expect(notePatch.output.strict().parse(output)).toEqual(output);
    expect(output.replaced).toEqual([{ op: 0, ...replaced }]);
    expect(notePatch.summarise(output, input)).toContain(said);
  },
);

test('replace_text counts what is written with other code points, and each op by itself', async () => {
  const vault = await openTestVault({ 'A.md': 'caf\u00e9 cafe\u0301\nb\n' });
  open.push(vault);
  const ops = [
    { op: 'replace_text', old: 'caf\u00e9', new: 'tea' },
    { op: 'append_body', markdown: 'x' },
    { op: 'replace_text', old: 'b', new: 'b' },
  ];
  const output = await notePatch.run(vault.session, parseInput(notePatch, { path: 'A.md', ops }), context);
  expect(output.replaced).toEqual([
    { op: 0, count: 1, left: 1, left_lines: [1] },
    { op: 2, count: 1, left: 0, left_lines: [] },
  ]);
});

test('rename_heading lists the mentions that are no links', async () => {
  const vault = await openTestVault({
    'A.md': '# Old one\n`[[#Old one]]` [[#Old one]] `[[#Other]]`\n',
    'B.md': '`[[A#Old one]]` [[A#Old one]] `[[B#Old one]]`\n%%\n[x](A.md#Old%20one)\n%%\n',
    'C.md': '```dataview\nLIST FROM [[A#Old one]]\n```\n',
    'D.md': 'Old one and `[[A]]`\n',
  });
  open.push(vault);
  const ops = [{ op: 'rename_heading', from: 'Old one', to: 'New one' }];
  const input = parseInput(notePatch, { path: 'A.md', ops });
  const output = await notePatch.run(vault.session, input, context);
  expect(notePatch.output.strict().parse(output)).toEqual(output);
  expect(output.left_alone).toEqual([
    { path: 'A.md', line: 2, kind: 'code' },
    { path: 'B.md', line: 1, kind: 'code' },
    { path: 'B.md', line: 3, kind: 'comment' },
    { path: 'C.md', line: 2, kind: 'query' },
  ]);
  expect(notePatch.summarise(output, input)).toContain('4 mentions left alone.');
  expect(notePatch.render(output, input)).toContain('left alone: C.md:2 (query)');
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
