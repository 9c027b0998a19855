import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import type { Assistant, AssistantRequest } from '../ai/assistant.ts';
import { EXTRACTIVE } from '../ai/extractive.ts';
import { aiExtract } from './ai-extract.ts';
import { aiMetadata } from './ai-metadata.ts';
import { aiTag } from './ai-tag.ts';
import { parseInput } from './call/input.ts';
import { runOperation } from './call/run.ts';
import type { Operation } from './operation.ts';

const FILES = {
  'Boats/Sail.md':
    '---\ntags: [boat, sail]\n---\n# Sails\n\nA jib is a small sail set before the mast. Dry the jib.\n',
  'Boats/Reef.md':
    '---\ntags: [boat, sail]\n---\n# Reefing\n\nReef the sail before the wind. The jib is furled. [[Sail]]\n',
  'Boats/New.md':
    '# The storm jib\n\nAuthor: Jane Doe\nPrice: 12.50\n\nA storm jib is a small sail for strong wind. See [[Sail]] and [[Reef]].\n',
  'Kitchen/Soup.md':
    '---\ntags: [food]\nauthor: Bob\nparts: [leek]\n---\n# Soup\n\n## Parts\n\n- leek\n- salt\n',
  'Secret/Diary.md': '---\ntags: [secret]\n---\nThe jib is torn, and nobody may know. [[New]]\n',
};

let vault: TestVault;
let asked: AssistantRequest[];
beforeEach(async () => {
  vault = await openTestVault(FILES);
  asked = [];
});
afterEach(async () => {
  await vault.close();
  discard(vault);
});

const read = (path: string) => readFileSync(join(vault.folder, path), 'utf8');

/** A model that gives these answers one after another. */
function scripted(...answers: unknown[]): Assistant {
  return {
    ...EXTRACTIVE,
    mode: 'generative',
    provider: 'scripted',
    model: 'scripted-1',
    contextTokens: 8000,
    generate: async (request) => {
      asked.push(request);
      const object = answers[asked.length - 1] ?? answers.at(-1);
      return {
        text: JSON.stringify(object),
        object,
        usage: { inputTokens: 10, outputTokens: 5, isEstimated: false },
        finish: 'stop',
        model: 'scripted-1',
        isCached: false,
      };
    },
  };
}

async function call<Out>(
  operation: Operation,
  given: object,
  assistant: Assistant = EXTRACTIVE,
): Promise<Out> {
  const answer = await runOperation(operation, vault.session, parseInput(operation, given), {
    signal: new AbortController().signal,
    progress: () => undefined,
    assistants: () => assistant,
  });
  return operation.output.parse(answer) as Out;
}

const tag = aiTag as unknown as Operation;
const metadata = aiMetadata as unknown as Operation;
const extract = aiExtract as unknown as Operation;
const one = (path: string) => ({ paths: [path] });

interface Row {
  path: string;
  changed?: boolean;
  problem?: string;
  write_id?: number;
  diff?: string;
}

describe('ai_tag', () => {
  interface Tagged extends Row {
    tags: { tag: string; confidence: number; is_new: boolean; because: string[] }[];
    rejected: { tag: string; reason: string }[];
  }
  const tagged = async (given: object, assistant?: Assistant) =>
    (await call<{ tagged: Tagged[] }>(tag, given, assistant)).tagged;

  it('suggests tags of the notes near a note, with reasons, and changes nothing', async () => {
    const before = read('Boats/New.md');
    const [row] = await tagged({ scope: one('Boats/New.md') });
    expect(
      row?.tags
        .map(({ tag }) => tag)
        .slice(0, 2)
        .toSorted(),
    ).toEqual(['boat', 'sail']);
    expect(row?.tags.map(({ tag }) => tag)).not.toContain('food');
    expect(row?.tags.find(({ tag }) => tag === 'sail')?.because.join()).toMatch(
      /notes near it.*named in its text/,
    );
    expect(read('Boats/New.md')).toBe(before);
  });

  it('holds a model to the vocabulary, whatever it says', async () => {
    const model = scripted({
      tags: [
        { tag: '#Boat', confidence: 0.9, reason: 'about ![x](http://evil.example/a) boats' },
        { tag: 'invented', confidence: 0.9, reason: '' },
        { tag: 'secret', confidence: 0.8, reason: '' },
        { tag: 'food', confidence: 'high', reason: 4 },
        'nonsense',
      ],
    });
    const [row] = await tagged({ scope: one('Boats/New.md'), vocabulary: { forbid: ['secret'] } }, model);
    expect(row?.tags).toMatchObject([{ tag: 'boat', is_new: false }]);
    expect(row?.tags[0]?.because).toEqual(['about \\!\\[x\\](http\\://evil.example/a) boats']);
    expect(row?.rejected).toEqual([
      { tag: 'invented', reason: 'not_in_vocabulary' },
      { tag: 'secret', reason: 'forbidden' },
      { tag: 'food', reason: 'low_confidence' },
    ]);
    expect(asked[0]?.notes.map(({ path }) => path)).toEqual(['Boats/New.md']);
  });

  it('writes what it suggests when asked to, in a write that undo takes back', async () => {
    const before = read('Boats/New.md');
    const [row] = await tagged({ scope: one('Boats/New.md'), apply: true });
    expect(row).toMatchObject({ changed: true, write_id: expect.any(Number) });
    expect(read('Boats/New.md')).toContain('- sail');
    expect(read('Boats/New.md').endsWith(before)).toBe(true);
    await vault.session.undo({ writeId: row?.write_id as number, tool: 'note_undo' });
    expect(read('Boats/New.md')).toBe(before);
  });

  it('shows the change of a dry run, and makes none', async () => {
    const before = read('Boats/New.md');
    const [row] = await tagged({ scope: one('Boats/New.md'), apply: true, dry_run: true });
    expect(row?.changed).toBe(true);
    expect(row?.diff ?? '').toContain('+');
    expect(row?.write_id).toBeUndefined();
    expect(read('Boats/New.md')).toBe(before);
  });

  it('replaces the tags of the properties, or leaves alone a note that has some', async () => {
    const model = scripted({ tags: [{ tag: 'boat', confidence: 1, reason: '' }] });
    const only = { scope: one('Boats/Sail.md'), apply: true };
    expect((await tagged({ ...only, apply_mode: 'only_empty' }, model))[0]?.changed).toBeUndefined();
    await tagged({ ...only, apply_mode: 'replace' }, model);
    expect(read('Boats/Sail.md')).toContain('tags: [boat]\n');
  });

  it('takes if_match for one note alone, and leaves a note that it does not match', async () => {
    await expect(
      tagged({ scope: { path_glob: 'Boats/**' }, apply: true, if_match: 'x' }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
    });
    const [row] = await tagged({ scope: one('Boats/New.md'), apply: true, if_match: '0000000000000000' });
    expect(row).toMatchObject({ changed: false, problem: expect.stringMatching(/^conflict: /) });
  });
});

describe('ai_metadata', () => {
  interface Described extends Row {
    fields: { name: string; value: unknown; current?: unknown; supported: boolean; line?: number }[];
    missing: string[];
  }
  const described = async (given: object, assistant?: Assistant) =>
    (await call<{ described: Described[] }>(metadata, given, assistant)).described;
  const fields = [
    { name: 'author' },
    { name: 'price', type: 'number' },
    { name: 'due', type: 'date' },
    { name: 'summary' },
  ];

  it('finds what the note says, with its line, and says what is missing', async () => {
    const [row] = await described({ scope: one('Boats/New.md'), fields });
    expect(row?.fields).toMatchObject([
      { name: 'author', value: 'Jane Doe', line: 3, supported: true },
      { name: 'price', value: 12.5, line: 4, supported: true },
      { name: 'summary', value: expect.stringContaining('storm jib'), supported: true },
    ]);
    expect(row?.missing).toEqual(['due']);
  });

  it('holds a model to the types, and marks what the note does not say', async () => {
    const model = scripted({
      fields: [
        { name: 'Author', value_json: '"Jane Doe"', quote: 'Author: Jane Doe' },
        { name: 'price', value_json: '"twelve"', quote: '' },
        { name: 'due', value_json: '2026-12-24', quote: 'due at Christmas, says nobody' },
        { name: 'hidden', value_json: '1', quote: '' },
      ],
    });
    const [row] = await described({ scope: one('Boats/New.md'), fields }, model);
    expect(row?.fields).toEqual([
      { name: 'author', value: 'Jane Doe', supported: true, line: 3 },
      { name: 'due', value: '2026-12-24', supported: false },
    ]);
    expect(row?.missing).toEqual(['price', 'summary']);
  });

  it.each([
    ['merge', 'Bob', ['leek', 'salt']],
    ['only_empty', 'Bob', ['leek']],
    ['replace', 'Ann', ['salt']],
  ])('%s: one author and some parts', async (apply_mode, author, parts) => {
    const model = scripted({
      fields: [
        { name: 'author', value_json: '"Ann"', quote: '' },
        { name: 'parts', value_json: '["salt"]', quote: '' },
        { name: 'rating', value_json: '4', quote: '' },
      ],
    });
    const wanted = [{ name: 'author' }, { name: 'parts', type: 'list' }, { name: 'rating', type: 'number' }];
    await described({ scope: one('Kitchen/Soup.md'), fields: wanted, apply: true, apply_mode }, model);
    const { parsed } = await vault.session.open('Kitchen/Soup.md');
    expect(parsed.frontmatter?.data).toEqual({ tags: ['food'], author, parts, rating: 4 });
  });

  it('refuses a property that is named twice', async () => {
    await expect(
      described({ scope: one('Boats/New.md'), fields: [{ name: 'a' }, { name: 'A' }] }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('ai_extract', () => {
  interface Extracted extends Row {
    data?: Record<string, unknown>;
    repaired: boolean;
  }
  const extracted = async (given: object, assistant?: Assistant) =>
    (await call<{ extracted: Extracted[] }>(extract, given, assistant)).extracted;
  const schema = {
    type: 'object',
    properties: { author: { type: 'string' }, price: { type: 'number' } },
    required: ['author', 'price'],
    additionalProperties: false,
  };

  it('reads what stands there in a form of its own, and says where it does not', async () => {
    const rows = await extracted({ scope: { paths: ['Boats/New.md', 'Boats/Sail.md'] }, schema });
    expect(rows[0]).toMatchObject({ path: 'Boats/New.md', data: { author: 'Jane Doe', price: 12.5 } });
    expect(rows[1]).toMatchObject({ path: 'Boats/Sail.md', problem: expect.stringContaining("'author'") });
    expect(rows[1]?.data).toBeUndefined();
    await expect(extracted({ scope: one('Boats/Sail.md'), schema })).rejects.toMatchObject({
      code: 'ai_unavailable',
    });
  });

  it('gives a model one more try, with what was wrong', async () => {
    const model = scripted({ author: 'Jane' }, { author: 'Jane', price: 12.5 });
    const [row] = await extracted({ scope: one('Boats/New.md'), schema }, model);
    expect(row).toMatchObject({ data: { author: 'Jane', price: 12.5 }, repaired: true });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.messages.at(-1)?.content).toContain("required property 'price'");
    asked = [];
    await expect(
      extracted({ scope: one('Boats/New.md'), schema }, scripted({ wrong: 1 })),
    ).rejects.toMatchObject({
      code: 'ai_unavailable',
      message: expect.stringContaining('nor does its second'),
    });
    expect(asked).toHaveLength(2);
  });

  it('writes into one property, or one for each', async () => {
    const given = { scope: one('Boats/New.md'), schema, destination: 'frontmatter', apply: true };
    await extracted({ ...given, destination_key: 'book' });
    await extracted(given);
    const { parsed } = await vault.session.open('Boats/New.md');
    expect(parsed.frontmatter?.data).toEqual({
      book: { author: 'Jane Doe', price: 12.5 },
      author: 'Jane Doe',
      price: 12.5,
    });
  });

  it.each([
    ['apply without a place', { schema, apply: true }],
    ['a key without a place', { schema, destination_key: 'x' }],
    ['a schema of an array', { schema: { type: 'array' } }],
    ['a schema that is none', { schema: { type: 'object', required: 'x' } }],
  ])('refuses %s', async (_case, given) => {
    await expect(extracted({ scope: one('Boats/New.md'), ...given })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(read('Boats/New.md')).toBe(FILES['Boats/New.md']);
  });
});

it('no note speaks to the model outside of its fence', async () => {
  await call(tag, { scope: one('Boats/New.md') }, scripted({ tags: [] }));
  const [{ system, messages } = { system: '', messages: [] }] = asked;
  expect(system).not.toContain('storm');
  expect(messages).toHaveLength(1);
  const [, mark] = /<(NOTES-[0-9a-f]{20})>/.exec(messages[0]?.content ?? '') ?? [];
  expect(mark).toBeDefined();
  expect(messages[0]?.content.split(`</${mark}>`)[0]).toContain('storm');
  expect(messages[0]?.content.split(`</${mark}>`)[1]).not.toContain('storm');
});
