import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUES } from '../../src/catalogues/list.ts';
import { LecternError } from '../../src/errors.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { type Gate, heldListing } from '../support/overriding.ts';
import { openTestDoor, type TestDoor, type TestDoorOptions } from '../support/test-door.ts';
import { type Answer, DIALECTS, type DialectName, EVERY_TOOL, type Speaker, speaker } from './any-dialect.ts';

/** What goes wrong, in every dialect: told in its own words, nothing changed, nothing given away. */

const open: TestDoor[] = [];
const gates: Gate[] = [];
afterEach(async () => {
  for (const gate of gates.splice(0)) gate.open();
  for (const door of open.splice(0)) await door.close();
});

const FILES = { 'A.md': 'needle\n' };

async function client(
  dialect: DialectName,
  options: TestDoorOptions = {},
): Promise<{ door: TestDoor; client: Speaker }> {
  const door = await openTestDoor(FILES, {
    ...EVERY_TOOL,
    ...options,
    door: { ...EVERY_TOOL.door, ...options.door },
  });
  open.push(door);
  return { door, client: await speaker(door, dialect) };
}

/** One door for all dialects, where nothing is to change; served as it is by default. */
let untouched: TestDoor;
beforeAll(async () => {
  untouched = await openTestDoor(FILES, EVERY_TOOL);
});
afterAll(async () => {
  expect(untouched.vault.files()).toEqual(FILES);
  expect((await untouched.vault.session.history({ limit: 5 })).items).toEqual([]);
  await untouched.close();
});

const text = (containing: string, isError?: true) => ({
  result: {
    content: [{ text: expect.stringContaining(containing) }],
    ...(isError && { isError }),
  },
});
const native = (code: string) => ({ result: { isError: true, structuredContent: { code } } });
const rpc = (code: number, message: string) => ({
  error: { code, message: expect.stringContaining(message) },
});

interface Style {
  readonly unknownTool: object;
  /** A read without what it needs, with a value of another type, and one that is answered whatever else is in it. */
  readonly read: string;
  readonly missing: object;
  readonly mistyped: { readonly given: object; readonly told: object };
  readonly good: Readonly<Record<string, unknown>>;
  /** A note that is not there. */
  readonly nowhere: { readonly given: object; readonly told: object };
  /** A write, and how it is refused where the vault is read-only. */
  readonly write: { readonly tool: string; readonly given: object };
  readonly readOnly: object;
  readonly away: object;
  /** A list from the index. */
  readonly list: { readonly tool: string; readonly given: object };
}

const STYLES: Readonly<Record<DialectName, Style>> = {
  indx: {
    unknownTool: rpc(-32_602, 'nonesuch'),
    read: 'note_read',
    missing: native('invalid_input'),
    mistyped: { given: { path: { a: 1 } }, told: native('invalid_input') },
    good: { path: 'A.md' },
    nowhere: { given: { path: 'B.md' }, told: native('not_found') },
    write: { tool: 'note_write', given: { path: 'A.md', body: 'x' } },
    readOnly: rpc(-32_602, 'note_write'),
    away: native('unavailable'),
    list: { tool: 'note_list', given: {} },
  },
  joplin: {
    unknownTool: text("Unknown tool 'nonesuch'", true),
    read: 'read_note',
    missing: text('Missing "id" parameter', true),
    mistyped: { given: { id: { a: 1 } }, told: text('Missing "id" parameter', true) },
    good: {},
    nowhere: { given: { id: '0'.repeat(32) }, told: text(`Note not found: ${'0'.repeat(32)}`, true) },
    write: { tool: 'create_note', given: { title: 'B' } },
    readOnly: text("Tool 'create_note' is disabled in Joplin settings", true),
    away: text('The vault cannot be reached.', true),
    list: { tool: 'list_tags', given: {} },
  },
  obsidian: {
    unknownTool: rpc(-32_602, 'Unknown tool: nonesuch'),
    read: 'obsidian_read_note',
    missing: rpc(-32_602, 'name or path is required'),
    mistyped: { given: { name: { a: 1 } }, told: rpc(-32_602, 'Invalid params') },
    good: { name: 'A' },
    nowhere: { given: { name: 'B' }, told: rpc(-32_003, 'B') },
    write: { tool: 'obsidian_append_note', given: { name: 'A', content: 'x' } },
    readOnly: rpc(-32_602, 'obsidian_append_note'),
    away: rpc(-32_000, 'The vault cannot be reached.'),
    list: { tool: 'obsidian_list_tags', given: {} },
  },
  silverbullet: {
    unknownTool: text('MCP error -32602: Tool nonesuch not found', true),
    read: 'read_page',
    missing: text('MCP error -32602: Input validation error', true),
    mistyped: { given: { page: { a: 1 } }, told: text('MCP error -32602: Input validation error', true) },
    good: { page: 'A' },
    nowhere: { given: { page: 'B' }, told: text('"error": "not_found"') },
    write: { tool: 'append_to_page', given: { page: 'A', content: 'x' } },
    readOnly: text('Tool append_to_page disabled', true),
    away: text('"error": "upstream"'),
    list: { tool: 'search_pages', given: { query: 'nothing' } },
  },
  inklings: {
    unknownTool: rpc(-32_602, 'tool not found'),
    read: 'read_page',
    missing: rpc(-32_602, 'missing field `slug`'),
    mistyped: { given: { slug: { a: 1 } }, told: rpc(-32_602, 'expected a string') },
    good: { slug: 'a' },
    nowhere: { given: { slug: 'b' }, told: rpc(-32_002, 'Page not found: b') },
    write: { tool: 'update_page_content', given: { slug: 'a', content: 'x' } },
    readOnly: rpc(-32_600, 'update_page_content'),
    away: rpc(-32_603, 'The vault cannot be reached.'),
    list: { tool: 'get_page_tree', given: {} },
  },
};

/** No answer says where the vault lies or how the code is made. */
function expectDiscreet(answer: Answer, door: TestDoor): void {
  const said = JSON.stringify(answer);
  expect(said).not.toContain(door.vault.folder);
  expect(said).not.toMatch(/\.ts:\d+|node:internal|at async /);
}

describe.each(DIALECTS)('%s', (name) => {
  const style = STYLES[name];

  it('unknown tools, and arguments that are missing, mistyped or unknown', async () => {
    const [door, one] = [untouched, await speaker(untouched, name)];
    const expectTold = async (tool: string, given: unknown, told: object) => {
      const answer = await one.call(tool, given);
      expect(answer, `${tool} ${JSON.stringify(given)}`).toMatchObject(told);
      expectDiscreet(answer, door);
    };
    await expectTold('nonesuch', {}, style.unknownTool);
    await expectTold(style.read, {}, style.missing);
    await expectTold(style.read, undefined, style.missing);
    await expectTold(style.read, style.mistyped.given, style.mistyped.told);
    await expectTold(style.read, style.nowhere.given, style.nowhere.told);
    expect(await one.ask('tools/call', {})).toMatchObject({ error: { code: expect.any(Number) } });
    for (const given of ['text', 5, [1], true, { path: null, name: [], page: 1.5 }]) {
      const answer = await one.call(style.write.tool, given);
      expect(answer.error !== undefined || answer.result !== undefined, JSON.stringify(given)).toBe(true);
      expectDiscreet(answer, door);
    }
    expect(door.vault.files()).toEqual(FILES);
    expect((await door.vault.session.history({ limit: 5 })).items).toEqual([]);
  });

  it('keys that nobody knows', async () => {
    const one = await speaker(untouched, name);
    const given = { ...style.good, unheard_of: { deep: [1] } };
    const answer = await one.call(style.read, given);
    // Lectern's own tools refuse a key that may be a mistyped one; the others ignore it, as their systems do.
    if (name === 'indx') expect(answer).toMatchObject(native('invalid_input'));
    else if (name === 'joplin') expect(answer).toMatchObject(style.missing);
    else expect(JSON.stringify(answer)).toContain('needle');
  });

  it('a revision that there is not', async () => {
    const revisions = await CATALOGUES.find((entry) => entry.name === name)?.identity();
    for (const asked of ['1999-01-01', '', '2026-07-28']) {
      const { initialized } = await speaker(untouched, name, undefined, asked);
      expect(initialized.result?.protocolVersion, asked).toBe(revisions?.protocol.revisions[0]);
    }
  });

  it('bodies that are too large or no JSON', async () => {
    const { door, client: one } = await client(name, { flags: { bodyLimit: '300' } });
    const params = { name: style.write.tool, arguments: { ...style.write.given, more: 'x'.repeat(400_000) } };
    const large = await one.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    expect(large.status).toBe(413);
    const broken = await one.post('{"jsonrpc":');
    expect(broken.status).toBe(400);
    for (const said of [await large.text(), await broken.text()])
      expect(said).not.toContain(door.vault.folder);
    expect(door.vault.files()).toEqual(FILES);
  });

  it('a vault that is away', async () => {
    const away = new LecternError('unavailable', 'The vault cannot be reached.', { next: 'Plug it in.' });
    const { door, client: one } = await client(name, { door: { vault: () => Promise.reject(away) } });
    for (const [tool, given] of [
      [style.read, name === 'joplin' ? style.nowhere.given : style.good],
      [style.write.tool, style.write.given],
      [style.list.tool, style.list.given],
    ] as const) {
      const answer = await one.call(tool, given);
      expect(answer, tool).toMatchObject(style.away);
      expectDiscreet(answer, door);
    }
    expect((await one.ask('tools/list', {})).result?.tools?.length).toBeGreaterThan(8);
  });

  it('a vault that is read-only', async () => {
    const operations = OPERATIONS.filter(({ scope }) => scope === 'vault:read');
    const served = {
      all: OPERATIONS,
      offer: { operations, tools: { on: ['joplin/*'], off: [] } },
      vaults: [{ name: 'test', readOnly: true }],
    };
    const { door, client: one } = await client(name, { door: { served } });
    expect(await one.call(style.write.tool, style.write.given)).toMatchObject(style.readOnly);
    const { tools = [] } = (await one.ask('tools/list', {})).result ?? {};
    expect(tools.map((tool) => tool.name)).not.toContain(style.write.tool);
    expect(door.vault.files()).toEqual(FILES);
  });

  it('a token that may only read', async () => {
    const one = await speaker(untouched, name, ['vault:read']);
    const answer = await one.call(style.write.tool, style.write.given);
    expect(answer.error !== undefined || answer.result?.isError === true).toBe(true);
    expect(untouched.vault.files()).toEqual(FILES);
  });

  it('an index that is being built', async () => {
    const { gate, wrapIndexed } = heldListing();
    gates.push(gate);
    const { door, client: one } = await client(name, {
      vault: { wrapIndexed, buildLimitMs: 100 },
    });
    const answer = await one.call(style.list.tool, style.list.given);
    expect(JSON.stringify(answer)).toMatch(/index: building/);
    gate.open();
    await door.vault.vault.indexed();
    expect(JSON.stringify(await one.call(style.list.tool, style.list.given))).not.toMatch(/index: building/);
  });
});
