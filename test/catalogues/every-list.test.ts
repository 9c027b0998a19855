import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOGUES } from '../../src/catalogues/list.ts';
import { isRecord } from '../../src/is-record.ts';
import { SDK_CLIENTS } from '../support/sdk-clients.ts';
import { bearer, openTestDoor, type TestDoor } from '../support/test-door.ts';
import { DIALECTS, type DialectName, EVERY_TOOL, type ListedTool, speaker } from './any-dialect.ts';
import { overPipes } from './pipes.ts';

/** Every tools/list of every dialect, against what strict clients refuse, and in the hands of the SDK's clients. */

let door: TestDoor;
const lists = new Map<DialectName, readonly ListedTool[]>();

beforeAll(async () => {
  door = await openTestDoor({ 'A.md': 'needle\n' }, EVERY_TOOL);
  for (const name of DIALECTS) {
    const { result } = await (await speaker(door, name, ['vault:admin'])).ask('tools/list', {});
    lists.set(name, result?.tools ?? []);
  }
});
afterAll(() => door.close());

const COMBINATORS = [
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  '$ref',
  'const',
  'if',
  'propertyNames',
  'patternProperties',
];
/** What clients put before a tool's name: Cursor allows 60 characters together. */
const PREFIX = 'mcp_lectern_';
const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 1024;

function problemsOf(tool: ListedTool): string[] {
  const problems: string[] = [];
  if (!/^[a-zA-Z0-9_-]+$/.test(tool.name)) problems.push('its name has other characters');
  if (PREFIX.length + tool.name.length > LONGEST_NAME) problems.push('its name is long');
  if ((tool.description ?? '').length > LONGEST_DESCRIPTION) problems.push('its description is long');
  if ((tool.description ?? '') === '') problems.push('it has no description');
  for (const [kind, schema] of [
    ['input', tool.inputSchema],
    ['output', tool.outputSchema],
  ] as const) {
    if (schema === undefined) continue;
    if (schema.type !== 'object') problems.push(`${kind} is no object`);
    if (!isRecord(schema.properties)) problems.push(`${kind} has no properties`);
    if (!isJsonSchema(schema)) problems.push(`${kind} is no JSON Schema`);
    if (kind === 'input') problems.push(...problemsWithin(schema, ''));
  }
  return problems.map((problem) => `${tool.name}: ${problem}`);
}

/** By the validator of the older SDK, which knows draft 7 as VS Code does. */
function isJsonSchema(schema: object): boolean {
  try {
    new AjvJsonSchemaValidator().getValidator(schema);
    return true;
  } catch {
    return false;
  }
}

function problemsWithin(schema: Readonly<Record<string, unknown>>, at: string): string[] {
  const problems = COMBINATORS.filter((key) => Object.hasOwn(schema, key)).map((key) => `${at} has ${key}`);
  const { type, properties, items, required, description } = schema;
  if (Array.isArray(type)) problems.push(`${at} has several types`);
  else if (typeof type !== 'string') problems.push(`${at} has no type`);
  if (type === 'array' && !isRecord(items)) problems.push(`${at} has no items`);
  if (typeof description === 'string' && description.length > LONGEST_DESCRIPTION)
    problems.push(`${at} has a long description`);
  if (isRecord(items)) problems.push(...problemsWithin(items, `${at}[]`));
  const named = isRecord(properties) ? properties : {};
  for (const [name, inner] of Object.entries(named)) {
    const place = at === '' ? name : `${at}.${name}`;
    problems.push(...(isRecord(inner) ? problemsWithin(inner, place) : [`${place} is no schema`]));
  }
  for (const name of Array.isArray(required) ? required : [])
    if (!Object.hasOwn(named, String(name))) problems.push(`${at} requires ${name}, which it has not`);
  return problems;
}

describe.each(DIALECTS)('%s', (name) => {
  it('lists nothing that strict clients refuse', () => {
    const tools = lists.get(name) ?? [];
    expect(tools.length).toBeGreaterThan(8);
    expect(tools.length).toBeLessThan(128);
    expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
    expect(tools.flatMap(problemsOf)).toEqual([]);
  });
});

it('finds what is wrong', () => {
  const wrong = (inputSchema: Record<string, unknown>) =>
    problemsOf({
      name: 't',
      description: 'd',
      inputSchema: { type: 'object', properties: {}, ...inputSchema },
    });
  expect(wrong({})).toEqual([]);
  for (const [schema, problem] of [
    [{ oneOf: [] }, 'oneOf'],
    [{ properties: { a: {} } }, 'a has no type'],
    [{ properties: { a: { type: ['string', 'null'] } } }, 'several types'],
    [{ properties: { a: { type: 'array' } } }, 'no items'],
    [{ properties: { a: { type: 'array', items: { $ref: '#' } } } }, '$ref'],
    [{ properties: { a: true } }, 'no schema'],
    [{ required: ['b'] }, 'requires b'],
    [{ properties: { a: { type: 'text' } } }, 'no JSON Schema'],
    [{ type: 'array' }, 'no object'],
  ] as const)
    expect(wrong(schema).join(), JSON.stringify(schema)).toContain(problem);
});

/** A read of each that finds the needle. */
const READS: Readonly<Record<DialectName, readonly [tool: string, given: Record<string, unknown>]>> = {
  indx: ['note_read', { path: 'A.md' }],
  joplin: ['search_notes', { query: 'needle' }],
  obsidian: ['obsidian_read_note', { name: 'A' }],
  silverbullet: ['read_page', { page: 'A' }],
  inklings: ['read_page', { slug: 'a' }],
};

describe.each(SDK_CLIENTS)('the SDK client %s', (_, create, Transport) => {
  describe.each(DIALECTS)('and %s', (name) => {
    it.each(['HTTP', 'stdio'])('connects over %s, lists, and calls a tool', async (way) => {
      const entry = CATALOGUES.find((each) => each.name === name);
      if (entry === undefined) throw new Error(name);
      const headers = bearer(door.token(`sdk ${name} ${way} ${Math.random()}`, 'vault:read'));
      const url = new URL(`${door.mcpUrl}/${name}`);
      const client = create();
      await client.connect(
        (way === 'HTTP'
          ? new Transport(url, { requestInit: { headers } })
          : await overPipes(entry, door.vault.session)) as never,
      );
      expect(client.getServerVersion()?.name).toBe((await entry.identity()).server.name);
      const [tool, given] = READS[name];
      expect((await client.listTools()).tools.map((each) => each.name)).toContain(tool);
      expect(JSON.stringify(await client.callTool({ name: tool, arguments: given }))).toContain('needle');
      await client.close();
    });
  });
});
