import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JoplinWire, openJoplinWire, type Payload } from './joplin-wire.ts';

/** Requests to the clipper's `/mcp` and what answers them, byte for byte where the documents fix bytes. */

const LONG = `${'a'.repeat(300)} needle ${'b'.repeat(300)}`;
const front = (title: string, more = '') =>
  `---\ntitle: ${title}\nupdated: 2024-03-01 10:00:00Z\ncreated: 2023-01-05 08:00:00Z\n${more}---\n\n`;

const FILES = {
  'Work/Plan.md': `${front('Plan', 'tags:\n  - planning\n  - work\n')}The plan, in one line.`,
  'Work/Deep/Emoji.md': `${front('Emoji')}a😀b`,
  'Work/Long.md': `${front('Long')}${LONG}`,
  'Home/Milk.md': `${front('Milk', 'completed?: no\n')}Buy milk.\n`,
  'Home/Done.md': `${front('Done', 'completed?: yes\n')}aaa`,
  'Loose.md': 'No front matter here.\n',
};
const UPDATED = Date.UTC(2024, 2, 1, 10);
const CREATED = Date.UTC(2023, 0, 5, 8);

let wire: JoplinWire;
const ids: Record<string, string> = {};

beforeAll(async () => {
  wire = await openJoplinWire(FILES);
  for (const { id, title } of (await wire.call('list_notebooks')).notebooks) ids[title] = id;
  for (const query of ['-nothing'])
    for (const { id, title } of (await wire.call('search_notes', { query })).results) ids[title] = id;
});
afterAll(() => wire.close());

const rpc = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: '2.0', id, method, params });
const result = (id: unknown, value: object) => JSON.stringify({ jsonrpc: '2.0', id, result: value });
const error = (id: unknown, code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

/** What is sent, the status and the body of the answer. */
type Exchange = readonly [what: string, body: unknown, status: number, answer: string];

const PROTOCOL: readonly Exchange[] = [
  [
    'initialize',
    rpc(1, 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'Cursor', version: '1' },
    }),
    200,
    '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"joplin-mcp","version":"1.0.0"}}}',
  ],
  [
    'initialize with a revision that nobody has',
    rpc('a', 'initialize', { protocolVersion: '1999-01-01' }),
    200,
    '{"jsonrpc":"2.0","id":"a","result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"joplin-mcp","version":"1.0.0"}}}',
  ],
  [
    'initialize without parameters',
    rpc(2, 'initialize'),
    200,
    result(2, {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'joplin-mcp', version: '1.0.0' },
    }),
  ],
  ['ping', rpc(3, 'ping'), 200, '{"jsonrpc":"2.0","id":3,"result":{}}'],
  ['an id of text', rpc('three', 'ping'), 200, '{"jsonrpc":"2.0","id":"three","result":{}}'],
  ['an id of null is a request', rpc(null, 'ping'), 200, '{"jsonrpc":"2.0","id":null,"result":{}}'],
  ['an id of 0', rpc(0, 'ping'), 200, '{"jsonrpc":"2.0","id":0,"result":{}}'],
  ['notifications/initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202, ''],
  ['any other notification', { jsonrpc: '2.0', method: 'no/such' }, 202, ''],
  [
    'a call without an id has no answer',
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_tags' } },
    202,
    '',
  ],
  ['an unknown method', rpc(4, 'resources/list'), 200, error(4, -32_601, 'Method not found: resources/list')],
  [
    'prompts, which there are none of',
    rpc(5, 'prompts/list', {}),
    200,
    error(5, -32_601, 'Method not found: prompts/list'),
  ],
  [
    'another version of JSON-RPC',
    { jsonrpc: '1.0', id: 6, method: 'ping' },
    200,
    error(6, -32_600, 'Invalid JSON-RPC request'),
  ],
  ['no version of JSON-RPC', { id: 7, method: 'ping' }, 200, error(7, -32_600, 'Invalid JSON-RPC request')],
  ['no method', { jsonrpc: '2.0', id: 8 }, 200, error(8, -32_600, 'Invalid JSON-RPC request')],
  [
    'a method that is a number',
    { jsonrpc: '2.0', id: 9, method: 7 },
    200,
    error(9, -32_600, 'Invalid JSON-RPC request'),
  ],
  ['an invalid notification', { jsonrpc: '1.0', method: 'ping' }, 202, ''],
  ['no object', '7', 200, error(null, -32_600, 'Invalid JSON-RPC request')],
  ['no JSON', '{nope', 400, '{"error":"Invalid JSON body"}'],
  ['nothing', '', 400, '{"error":"Invalid JSON body"}'],
  [
    'a batch, one after the other',
    [
      rpc(10, 'ping'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      rpc(11, 'nope'),
      rpc(null, 'ping'),
    ],
    200,
    `[${result(10, {})},${error(11, -32_601, 'Method not found: nope')},${result(null, {})}]`,
  ],
  [
    'a batch of notifications',
    [
      { jsonrpc: '2.0', method: 'x' },
      { jsonrpc: '2.0', method: 'y' },
    ],
    202,
    '',
  ],
  ['an empty batch', [], 202, ''],
  [
    'tools/call without parameters',
    rpc(12, 'tools/call'),
    200,
    error(12, -32_602, 'Missing or invalid "name" parameter'),
  ],
  [
    'tools/call without a name',
    rpc(13, 'tools/call', { arguments: {} }),
    200,
    error(13, -32_602, 'Missing or invalid "name" parameter'),
  ],
  [
    'tools/call with a name that is a number',
    rpc(14, 'tools/call', { name: 7 }),
    200,
    error(14, -32_602, 'Missing or invalid "name" parameter'),
  ],
  [
    'tools/call with a list of parameters',
    rpc(15, 'tools/call', ['ping']),
    200,
    error(15, -32_602, 'Missing or invalid "name" parameter'),
  ],
  [
    'a tool that there is not',
    rpc(16, 'tools/call', { name: 'no_such_tool' }),
    200,
    '{"jsonrpc":"2.0","id":16,"result":{"content":[{"type":"text","text":"Unknown tool \'no_such_tool\'"}],"isError":true}}',
  ],
  [
    'the payload is JSON with two spaces, and there is no isError',
    rpc(17, 'tools/call', { name: 'list_tags', arguments: { extra: true } }),
    200,
    '{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"{\\n  \\"tags\\": [\\n    {\\n      \\"id\\": \\"TAG planning\\",\\n      \\"title\\": \\"planning\\"\\n    },\\n    {\\n      \\"id\\": \\"TAG work\\",\\n      \\"title\\": \\"work\\"\\n    }\\n  ]\\n}"}]}}',
  ],
];

describe('the protocol', () => {
  it.each(PROTOCOL)('%s', async (_, body, status, answer) => {
    const response = await wire.post(body);
    const { tags } = await wire.call('list_tags');
    const text = tags.reduce(
      (all: string, { id, title }: { id: string; title: string }) => all.replace(id, `TAG ${title}`),
      await response.text(),
    );
    expect([response.status, text]).toEqual([status, answer]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('%s is refused', async (method) => {
    const response = await fetch(wire.url, { method });
    expect([response.status, await response.text()]).toEqual([405, '{"error":"Method Not Allowed"}']);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('a missing and a wrong token come before everything', async () => {
    const url = new URL(wire.url);
    const ping = rpc(1, 'ping');
    url.searchParams.set('token', 'wrong');
    const wrong = await wire.post(ping, url.href);
    expect([wrong.status, await wrong.json()]).toEqual([403, { error: 'Invalid "token" parameter' }]);
    url.search = '';
    const missing = await wire.post('{nope', url.href);
    expect([missing.status, await missing.json()]).toEqual([403, { error: 'Missing "token" parameter' }]);
  });

  it('a body too large is refused before it is read', async () => {
    const response = await wire.post(`"${'x'.repeat(20_000_000)}"`).catch(() => undefined);
    if (response !== undefined) expect(response.status).toBe(413);
    expect(await wire.ask('ping')).toMatchObject({ result: {} });
  });

  it('the tools in their order, with schemas and nothing else', async () => {
    const { result: list } = await wire.ask('tools/list');
    const tools = (list as Payload).tools as { name: string; inputSchema: Payload }[];
    expect(tools.map(({ name }) => name)).toEqual([
      'search_notes',
      'semantic_search_notes',
      'read_note',
      'list_notebooks',
      'list_tags',
      'create_note',
      'update_note',
      'delete_note',
      'manage_tags',
      'create_notebook',
    ]);
    for (const tool of tools) expect(Object.keys(tool)).toEqual(['name', 'description', 'inputSchema']);
    const fields = Object.fromEntries(
      tools.map(({ name, inputSchema }) => [
        name,
        Object.keys(inputSchema.properties).map((key) =>
          inputSchema.required?.includes(key) ? `${key}*` : key,
        ),
      ]),
    );
    expect(fields).toEqual({
      search_notes: ['query*', 'limit'],
      semantic_search_notes: ['query*', 'notebook_id', 'tag_id', 'relevance'],
      read_note: ['id*', 'offset', 'max_chars'],
      list_notebooks: [],
      list_tags: [],
      create_note: ['title*', 'body', 'notebook_id', 'is_todo'],
      update_note: [
        'id*',
        'title',
        'body',
        'append',
        'prepend',
        'replace_text',
        'notebook_id',
        'todo_completed',
      ],
      delete_note: ['id*'],
      manage_tags: ['note_id*', 'add', 'remove'],
      create_notebook: ['title*', 'parent_id'],
    });
  });
});

describe('reading', () => {
  it('list_notebooks: flat, own notes only, folders of files are none', async () => {
    expect(await wire.call('list_notebooks')).toEqual({
      notebooks: [
        { id: ids.Home, title: 'Home', parent_id: null, note_count: 2 },
        { id: ids.Work, title: 'Work', parent_id: null, note_count: 2 },
        { id: ids.Deep, title: 'Deep', parent_id: ids.Work, note_count: 1 },
      ],
    });
    for (const id of Object.values(ids)) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('read_note: every field in its order', async () => {
    const note = await wire.call('read_note', { id: ids.Plan });
    expect(JSON.stringify(note)).toBe(
      JSON.stringify({
        id: ids.Plan,
        title: 'Plan',
        body: 'The plan, in one line.',
        body_length: 22,
        body_offset: 0,
        body_returned_chars: 22,
        has_more: false,
        notebook_id: ids.Work,
        notebook_title: 'Work',
        tags: ['planning', 'work'],
        is_todo: false,
        todo_completed: false,
        created_time: CREATED,
        updated_time: UPDATED,
      }),
    );
  });

  it.each<[string, Record<string, unknown>, string, boolean]>([
    ['from an offset', { offset: 4 }, 'plan, in one line.', false],
    ['a part', { offset: 4, max_chars: 4 }, 'plan', true],
    ['up to just the end', { offset: 18, max_chars: 4 }, 'ine.', false],
    ['0 characters are all', { max_chars: 0 }, 'The plan, in one line.', false],
    ['past the end', { offset: 100, max_chars: 5 }, '', false],
    ['at the end', { offset: 22 }, '', false],
    ['more than there is', { max_chars: 1000 }, 'The plan, in one line.', false],
    ['numbers as text', { offset: '4', max_chars: '4' }, 'plan', true],
    ['below 0', { offset: -3, max_chars: -1 }, 'The plan, in one line.', false],
    ['no numbers', { offset: 'x', max_chars: null }, 'The plan, in one line.', false],
  ])('read_note: %s', async (_, page, body, more) => {
    const note = await wire.call('read_note', { id: ids.Plan, ...page });
    expect([note.body, note.body_returned_chars, note.has_more, note.body_length]).toEqual([
      body,
      body.length,
      more,
      22,
    ]);
  });

  it('read_note: pages by code units put together are the body', async () => {
    const first = await wire.call('read_note', { id: ids.Emoji, max_chars: 2 });
    const second = await wire.call('read_note', { id: ids.Emoji, offset: 2, max_chars: 2 });
    expect([first.body_length, first.has_more, second.has_more]).toEqual([4, true, false]);
    expect(first.body + second.body).toBe('a😀b');
  });

  it('read_note: to-dos, and a note without notebook and front matter', async () => {
    expect(await wire.call('read_note', { id: ids.Milk })).toMatchObject({
      is_todo: true,
      todo_completed: false,
      body: 'Buy milk.\n',
    });
    expect(await wire.call('read_note', { id: ids.Done })).toMatchObject({
      is_todo: true,
      todo_completed: true,
    });
    const loose = await wire.call('read_note', { id: ids.Loose });
    expect(loose).toMatchObject({
      title: 'Loose',
      body: 'No front matter here.\n',
      notebook_id: '',
      notebook_title: null,
      tags: [],
    });
    expect(Date.now() - loose.updated_time).toBeLessThan(600_000);
  });

  it.each<[string, unknown, string]>([
    ['read_note', {}, 'Missing "id" parameter'],
    ['read_note', { id: '' }, 'Missing "id" parameter'],
    ['read_note', { id: 7 }, 'Missing "id" parameter'],
    ['read_note', null, 'Missing "id" parameter'],
    ['read_note', 'Plan', 'Missing "id" parameter'],
    [
      'read_note',
      { id: '0123456789abcdef0123456789abcdef' },
      'Note not found: 0123456789abcdef0123456789abcdef',
    ],
    ['read_note', { id: 'Work/Plan.md' }, 'Note not found: Work/Plan.md'],
    ['read_note', { id: '../../etc/passwd' }, 'Note not found: ../../etc/passwd'],
    ['search_notes', {}, 'Missing "query" parameter'],
    ['search_notes', { query: '   ' }, 'Missing "query" parameter'],
    ['search_notes', { query: ['a'] }, 'Missing "query" parameter'],
    ['semantic_search_notes', { query: '' }, 'Missing "query" parameter'],
    [
      'semantic_search_notes',
      { query: 'x', notebook_id: 'a', tag_id: 'b' },
      'Pass either "notebook_id" or "tag_id", not both',
    ],
    [
      'semantic_search_notes',
      { query: 'x' },
      'No embedding provider is active. Enable AI features in Settings → AI.',
    ],
  ])('%s %j', async (name, given, message) => {
    expect(await wire.refused(name, given)).toBe(message);
  });

  it('a notebook is no note', async () => {
    expect(await wire.refused('read_note', { id: ids.Work })).toBe(`Note not found: ${ids.Work}`);
  });
});

describe('search_notes', () => {
  it('every field in its order', async () => {
    expect(JSON.stringify(await wire.call('search_notes', { query: 'plan' }))).toBe(
      JSON.stringify({
        results: [
          {
            id: ids.Plan,
            title: 'Plan',
            notebook_id: ids.Work,
            updated_time: UPDATED,
            snippet: 'The plan, in one line.',
          },
        ],
        total: 1,
      }),
    );
  });

  it.each<[unknown, number]>([
    [undefined, 6],
    [2, 2],
    [0, 1],
    [-5, 1],
    [1000, 6],
    ['3', 3],
    ['many', 6],
    [2.9, 2],
  ])('limit %j is clamped, never refused; total counts all', async (limit, shown) => {
    const { results, total } = await wire.call('search_notes', { query: '-nothing', limit });
    expect([results.length, total]).toEqual([shown, 6]);
  });

  it('a snippet around the first word, cut where it says so', async () => {
    const snippet = async (query: string) => (await wire.call('search_notes', { query })).results[0].snippet;
    const start = LONG.indexOf('needle') - 80;
    expect(await snippet('needle')).toBe(`…${LONG.slice(start, start + 240)}…`);
    expect(await snippet('"needle"')).toBe(`…${LONG.slice(start, start + 240)}…`);
    expect(await snippet('need* -zzz')).toBe(`…${LONG.slice(start, start + 240)}…`);
    expect(await snippet('title:long')).toBe(`${LONG.slice(0, 240)}…`);
    expect(await snippet('milk')).toBe('Buy milk.');
  });

  it('by id, and by the link that Joplin copies', async () => {
    const titles = async (query: string) =>
      (await wire.call('search_notes', { query })).results.map(({ title }: { title: string }) => title);
    expect(await titles(`id:${ids.Plan}`)).toEqual(['Plan']);
    expect(await titles(`id:${ids.Plan?.slice(0, 30)}*`)).toEqual(['Plan']);
    expect(await titles(`joplin://x-callback-url/openNote?id=${ids.Milk}`)).toEqual(['Milk']);
    expect(await titles(`id:${'0'.repeat(32)}`)).toEqual([]);
  });

  it('what is wrong with a filter is said', async () => {
    expect(await wire.refused('search_notes', { query: 'type:foo' })).toBe(
      'Invalid search query: The value of "type:" is note or todo, not "foo". Correct the query and search again.',
    );
  });
});
