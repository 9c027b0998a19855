import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ObsidianWire, openObsidianWire } from './obsidian-wire.ts';

/** Requests and answers of the contract, byte for byte where it fixes bytes. */

const FILES = {
  'Home.md':
    '---\naliases: [Start, Main page]\nstatus: open\n---\n# Home\n\nSee [[Plan]] and [[Nowhere]].\n\n#inbox\n',
  'Projects/Plan.md':
    '---\nstatus: done\ntags: [project/lectern]\n---\n# Plan\n\nAlpha line\nalpha again\n\n[[Home]] [[Home|home]]\n',
  'Projects/Twin.md': 'one\n',
  'Archive/Twin.md': 'two\n',
  'Alone.md': 'nobody knows Alpha\n',
  'Windows.md': 'first\r\nsecond\r\n',
};

let wire: ObsidianWire;

beforeAll(async () => {
  wire = await openObsidianWire(FILES);
});
afterAll(() => wire.close());

const TOOLS = [
  'obsidian_create_note',
  'obsidian_read_note',
  'obsidian_append_note',
  'obsidian_prepend_note',
  'obsidian_delete_note',
  'obsidian_move_note',
  'obsidian_rename_note',
  'obsidian_open_note',
  'obsidian_file_info',
  'obsidian_search',
  'obsidian_search_with_context',
  'obsidian_get_backlinks',
  'obsidian_get_outgoing_links',
  'obsidian_list_unresolved_links',
  'obsidian_list_deadends',
  'obsidian_list_orphans',
  'obsidian_list_tags',
  'obsidian_get_tag_info',
  'obsidian_list_aliases',
  'obsidian_list_properties',
  'obsidian_get_property_count',
  'obsidian_set_property',
  'obsidian_read_property',
  'obsidian_remove_property',
  'obsidian_list_tasks',
];

describe('the contract, byte for byte', () => {
  it('initialize', async () => {
    const params = {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'Claude Desktop', version: '1.0.0' },
    };
    const answer = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"obsidian-mcp","version":"1.0.0"}}}`;
    expect(await wire.ask('initialize', params)).toBe(answer(1));
    expect(await wire.ask('initialize', { protocolVersion: '1999-01-01' }, 11)).toBe(answer(11));
    expect(await wire.ask('initialize', undefined, 12)).toBe(answer(12));
  });

  it('tools/list', async () => {
    const { result } = JSON.parse(await wire.ask('tools/list', {}, 2));
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS);
    expect(result.tools[0]).toMatchObject({
      name: 'obsidian_create_note',
      description: 'Create a new note in the vault',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Note name (without .md extension) or exact path' },
          content: { type: 'string', description: 'Initial note content (markdown)' },
          overwrite: { type: 'boolean', description: 'Overwrite if file exists' },
        },
        required: ['name'],
      },
    });
  });

  it('tools/call', async () => {
    const params = {
      name: 'obsidian_create_note',
      arguments: { name: 'Meeting Notes', content: '# Meeting Notes\n\n- Agenda item 1' },
    };
    expect(await wire.ask('tools/call', params, 3)).toBe(
      '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\\"success\\":true,\\"data\\":{\\"path\\":\\"Meeting Notes.md\\",\\"created\\":true}}"}]}}',
    );
    expect(wire.vault.file('Meeting Notes.md')).toBe('# Meeting Notes\n\n- Agenda item 1');
  });

  it('errors of JSON-RPC', async () => {
    const error = (id: unknown, code: number, message: string) => ({
      jsonrpc: '2.0',
      id,
      error: { code, message },
    });
    wire.line('{no json');
    expect(JSON.parse(await wire.next())).toMatchObject({
      error: { code: -32_700, message: expect.stringMatching(/^Parse error/) },
    });
    wire.line('{"jsonrpc":"1.0","id":4,"method":"ping"}');
    expect(JSON.parse(await wire.next())).toMatchObject({
      id: 4,
      error: { code: -32_600, message: expect.stringMatching(/^Invalid request/i) },
    });
    expect(JSON.parse(await wire.ask('resources/list', {}, 5))).toEqual(
      error(5, -32_601, 'Method not found'),
    );
    expect(JSON.parse(await wire.ask('tools/call', {}, 6))).toEqual(error(6, -32_602, 'Invalid params'));
    expect(JSON.parse(await wire.ask('ping', undefined, 'seven'))).toEqual({
      jsonrpc: '2.0',
      id: 'seven',
      result: {},
    });
  });
});

/** Requests whose answers depend on no other, each with what it answers. */
const ANSWERS: readonly (readonly [string, unknown, unknown])[] = [
  ['obsidian_read_note', { name: 'Alone' }, { path: 'Alone.md', content: FILES['Alone.md'] }],
  ['obsidian_read_note', { name: 'plan' }, { path: 'Projects/Plan.md', content: FILES['Projects/Plan.md'] }],
  ['obsidian_read_note', { file: 'Windows' }, { path: 'Windows.md', content: FILES['Windows.md'] }],
  ['obsidian_read_note', { path: 'Archive/Twin.md' }, { path: 'Archive/Twin.md', content: 'two\n' }],
  ['obsidian_read_note', { name: 'Projects/Twin' }, { path: 'Projects/Twin.md', content: 'one\n' }],
  [
    'obsidian_read_note',
    { name: 'Projects/Twin.md', more: 1 },
    { path: 'Projects/Twin.md', content: 'one\n' },
  ],
  [
    'obsidian_open_note',
    { name: 'Plan' },
    { path: 'Projects/Plan.md', opened: false, uri: 'obsidian://open?vault=test&file=Projects%2FPlan' },
  ],
  [
    'obsidian_file_info',
    { name: 'Windows' },
    {
      path: 'Windows.md',
      name: 'Windows',
      extension: 'md',
      size: 15,
      created: expect.stringMatching(/^\d{4}-.*Z$/),
      modified: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ],
  ['obsidian_search', { query: 'nobody' }, { files: ['Alone.md'], total: 1 }],
  ['obsidian_search', { query: 'alpha', total: true }, { total: 2 }],
  ['obsidian_search', { query: 'alpha', folder: 'Projects' }, { files: ['Projects/Plan.md'], total: 1 }],
  ['obsidian_search', { query: 'alpha', path: '/Projects/' }, { files: ['Projects/Plan.md'], total: 1 }],
  ['obsidian_search', { query: 'alpha', case_sensitive: true }, { files: ['Projects/Plan.md'], total: 1 }],
  ['obsidian_search', { query: 'xyzzyplugh' }, { files: [], total: 0 }],
  [
    'obsidian_search_with_context',
    { query: 'alpha', folder: 'Projects' },
    {
      matches: [
        { path: 'Projects/Plan.md', line: 7, text: 'Alpha line' },
        { path: 'Projects/Plan.md', line: 8, text: 'alpha again' },
      ],
      total: 2,
    },
  ],
  [
    'obsidian_search_with_context',
    { query: 'Alpha', folder: 'Projects', case: true, context_lines: 1 },
    {
      matches: [
        { path: 'Projects/Plan.md', line: 7, text: 'Alpha line', before: [''], after: ['alpha again'] },
      ],
      total: 1,
    },
  ],
  [
    'obsidian_get_backlinks',
    { name: 'Home' },
    { path: 'Home.md', backlinks: [{ path: 'Projects/Plan.md' }], total: 1 },
  ],
  [
    'obsidian_get_backlinks',
    { name: 'Home', counts: true },
    { path: 'Home.md', backlinks: [{ path: 'Projects/Plan.md', count: 2 }], total: 1 },
  ],
  [
    'obsidian_get_backlinks',
    { name: 'Home', counts: true, format: 'tsv' },
    { path: 'Home.md', output: 'path\tcount\nProjects/Plan.md\t2', total: 1 },
  ],
  ['obsidian_get_backlinks', { name: 'Alone', total: true }, { path: 'Alone.md', total: 0 }],
  [
    'obsidian_get_outgoing_links',
    { name: 'Home' },
    {
      path: 'Home.md',
      links: [
        { link: 'Plan', path: 'Projects/Plan.md', resolved: true, line: 7 },
        { link: 'Nowhere', path: null, resolved: false, line: 7 },
      ],
      total: 2,
    },
  ],
  ['obsidian_list_unresolved_links', {}, { unresolved: [{ link: 'Nowhere' }], total: 1 }],
  [
    'obsidian_list_unresolved_links',
    { counts: true, verbose: true },
    { unresolved: [{ link: 'Nowhere', count: 1, sources: ['Home.md'] }], total: 1 },
  ],
  ['obsidian_list_unresolved_links', { total: true }, { total: 1 }],
  [
    'obsidian_list_deadends',
    {},
    {
      deadends: ['Alone.md', 'Archive/Twin.md', 'Meeting Notes.md', 'Projects/Twin.md', 'Windows.md'].map(
        (path) => ({
          path,
        }),
      ),
      total: 5,
    },
  ],
  [
    'obsidian_list_orphans',
    { format: 'csv' },
    { output: 'path\nAlone.md\nArchive/Twin.md\nMeeting Notes.md\nProjects/Twin.md\nWindows.md', total: 5 },
  ],
  ['obsidian_list_orphans', { total: true }, { total: 5 }],
  [
    'obsidian_list_tags',
    {},
    {
      tags: [
        { tag: 'inbox', count: 1 },
        { tag: 'project/lectern', count: 1 },
      ],
      total: 2,
    },
  ],
  ['obsidian_list_tags', { name: 'Home' }, { path: 'Home.md', tags: [{ tag: 'inbox', count: 1 }], total: 1 }],
  ['obsidian_get_tag_info', { name: '#inbox' }, { tag: 'inbox', count: 1, files: ['Home.md'] }],
  ['obsidian_get_tag_info', { name: 'project', verbose: false }, { tag: 'project', count: 1 }],
  [
    'obsidian_list_aliases',
    {},
    {
      aliases: [
        { alias: 'Start', path: 'Home.md' },
        { alias: 'Main page', path: 'Home.md' },
      ],
      total: 2,
    },
  ],
  ['obsidian_list_aliases', { name: 'Plan' }, { path: 'Projects/Plan.md', aliases: [], total: 0 }],
  [
    'obsidian_list_properties',
    {},
    {
      properties: [
        { name: 'aliases', type: 'list', count: 1 },
        { name: 'status', type: 'string', count: 2 },
        { name: 'tags', type: 'list', count: 1 },
      ],
      total: 3,
    },
  ],
  [
    'obsidian_list_properties',
    { name: 'Plan' },
    {
      path: 'Projects/Plan.md',
      properties: [
        { name: 'status', value: 'done' },
        { name: 'tags', value: ['project/lectern'] },
      ],
      total: 2,
    },
  ],
  ['obsidian_get_property_count', { name: 'Status' }, { name: 'status', count: 2 }],
  ['obsidian_get_property_count', { name: 'nothing' }, { name: 'nothing', count: 0 }],
];

it.each(ANSWERS)('%s %j', async (name, given, answer) => {
  expect(await wire.call(name, given)).toEqual(answer);
});

const invalid = { code: -32_602, data: { errorCode: 'INVALID_PARAMS' } };
const notFound = { code: -32_003, data: { errorCode: 'FILE_NOT_FOUND' } };

const FAILURES: readonly (readonly [string, unknown, object])[] = [
  ['obsidian_read_note', {}, invalid],
  ['obsidian_read_note', undefined, invalid],
  ['obsidian_read_note', [], invalid],
  ['obsidian_read_note', 'Alone', invalid],
  ['obsidian_read_note', { name: 5 }, invalid],
  ['obsidian_read_note', { name: '' }, invalid],
  ['obsidian_read_note', { name: null, path: null }, invalid],
  ['obsidian_read_note', { name: 'a'.repeat(256) }, invalid],
  ['obsidian_read_note', { path: '../outside.md' }, invalid],
  ['obsidian_read_note', { name: 'No such note' }, notFound],
  ['obsidian_read_note', { path: 'Twin.md', vault: 'test' }, { code: -32_004 }],
  [
    'obsidian_read_note',
    { name: 'Alone', vault: 'other' },
    { code: -32_002, data: { errorCode: 'VAULT_NOT_FOUND' } },
  ],
  [
    'obsidian_read_note',
    { name: 'Twin' },
    {
      code: -32_004,
      message: '2 notes match Twin. Matches: Archive/Twin.md, Projects/Twin.md.',
      data: { errorCode: 'AMBIGUOUS_NAME', matches: ['Archive/Twin.md', 'Projects/Twin.md'] },
    },
  ],
  ['obsidian_append_note', { name: 'Twin', content: 'x' }, { code: -32_004 }],
  ['obsidian_append_note', { name: 'Alone' }, invalid],
  ['obsidian_append_note', { name: 'Nobody', content: 'x' }, notFound],
  ['obsidian_create_note', { name: 'Alone' }, { code: -32_000, data: { errorCode: 'FILE_EXISTS' } }],
  ['obsidian_create_note', { content: 'x' }, invalid],
  ['obsidian_create_note', { name: 'x', overwrite: 'yes' }, invalid],
  ['obsidian_create_note', { name: '../x' }, invalid],
  ['obsidian_move_note', { name: 'Alone' }, invalid],
  [
    'obsidian_move_note',
    { name: 'Alone', to: 'Windows.md' },
    { code: -32_000, data: { errorCode: 'FILE_EXISTS' } },
  ],
  ['obsidian_rename_note', { path: 'Alone.md' }, invalid],
  ['obsidian_rename_note', { path: 'Alone.md', name: 'a/b' }, invalid],
  ['obsidian_delete_note', { name: 'Nobody' }, notFound],
  ['obsidian_get_tag_info', { name: 'nothing' }, { code: -32_000, data: { errorCode: 'TAG_NOT_FOUND' } }],
  ['obsidian_search', {}, invalid],
  ['obsidian_search', { query: ' ' }, invalid],
  ['obsidian_search', { query: 'x', limit: 0 }, invalid],
  ['obsidian_get_backlinks', { name: 'Home', format: 'xml' }, invalid],
  [
    'obsidian_get_backlink',
    {},
    { code: -32_602, message: 'Unknown tool: obsidian_get_backlink', data: { errorCode: 'UNKNOWN_TOOL' } },
  ],
];

it.each(FAILURES)('refuses %s %j', async (name, given, error) => {
  const before = wire.vault.files();
  expect(await wire.call(name, given)).toMatchObject({ message: expect.any(String), ...error });
  expect(wire.vault.files()).toEqual(before);
});
