import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InklingsWire, openInklingsWire } from './inklings-wire.ts';

/** Requests and answers of the reference, field by field, that change nothing. */

const FILES = {
  'Heroes.md':
    "---\nicon: 🦸\ntags: [myth]\n---\nSee [[The Hero's Journey|the path]], [[Nowhere]] and [[Heroes/Odysseus#Home]].\n",
  "The Hero's Journey.md": '# A journey\n\nBack to [[Heroes]] and [[heroes|again]].\n',
  'Heroes/Odysseus.md':
    'A man of many turns. [[Heroes]] ![[map.png]] [[map.png]] [[#Home]]\n\n## Home\n\n`[[Heroes]]`\n',
  'Heroes/Odysseus/Argos.md': 'A dog that waits twenty years.\n',
  'Loose/Note.md': 'Salt and bread, on 2026-11-29.\n',
  'Titled file.md': '---\ntitle: "What is: a title?"\n---\nSalt without butter.\n',
  'Twins/Plan.md': 'first plan\n',
  'Twins.md': '[gone](Nowhere/else.md) [plan](Twins/Plan.md) ![[Heroes]]\n',
  'Zwei/Plan.md': '| a | b |\n| - | - |\n| [[Heroes\\|h]] | c |\n',
  'Empty.md': '',
  'map.png': 'png',
};

let wire: InklingsWire;

beforeAll(async () => {
  wire = await openInklingsWire(FILES);
  await wire.call('get_page_tree');
});
afterAll(() => wire.close());

const TOOLS: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  ['search', 'Search workspace pages by content and title', ['query'], ['query']],
  ['get_page_tree', 'Get the full hierarchical page tree', [], []],
  ['get_backlinks', 'Get all pages that link to a specified page', ['slug'], ['slug']],
  ['get_outgoing_links', 'Get all outgoing wiki-links from a page', ['slug'], ['slug']],
  ['read_page', 'Read a page’s full content and metadata', ['slug'], ['slug']],
  ['create_page', 'Create a new page in the workspace', ['title', 'content', 'parent_slug'], ['title']],
  ['update_page_content', 'Replace a page’s text content', ['slug', 'content'], ['slug', 'content']],
  [
    'update_page_metadata',
    'Update a page’s title or icon without changing content',
    ['slug', 'title', 'icon'],
    ['slug'],
  ],
  ['move_page', 'Move a page to a new parent or to root', ['slug', 'new_parent_slug'], ['slug']],
  [
    'rename_page',
    'Rename a page and auto-update all wiki-links',
    ['slug', 'new_title'],
    ['slug', 'new_title'],
  ],
  ['delete_page', 'Soft-delete a page with cascade to children', ['slug'], ['slug']],
];

describe('the protocol', () => {
  it.each(['2025-06-18', '2025-03-26', '2024-11-05', '2099-01-01'])('initialize with %s', async (asked) => {
    expect(await wire.initialize(asked)).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        protocolVersion: asked === '2099-01-01' ? '2025-06-18' : asked,
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'inklings', version: expect.any(String) },
      },
    });
  });

  it('tools/list: eleven tools, in the order of the reference', async () => {
    const { result } = await wire.ask('tools/list');
    const tools = (result as { tools: Record<string, unknown>[] }).tools;
    expect(tools).toEqual(
      TOOLS.map(([name, description, fields, required]) => ({
        name,
        description,
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(
            fields.map((field) => [field, { type: 'string', description: expect.any(String) }]),
          ),
          ...(required.length > 0 && { required }),
        },
      })),
    );
  });

  it('resources/list and resources/templates/list', async () => {
    expect((await wire.ask('resources/list')).result).toEqual({
      resources: [
        {
          uri: 'inklings://workspace/tree',
          name: 'Page Tree',
          description: 'Full page hierarchy as JSON',
          mimeType: 'application/json',
        },
      ],
    });
    expect((await wire.ask('resources/templates/list')).result).toEqual({
      resourceTemplates: [
        {
          uriTemplate: 'inklings://workspace/page/{slug}',
          name: 'Page Content',
          description: 'Read a page’s content by slug',
          mimeType: 'text/markdown',
        },
        {
          uriTemplate: 'inklings://workspace/search?q={query}',
          name: 'Search Results',
          description: 'Search workspace pages by query',
          mimeType: 'application/json',
        },
      ],
    });
  });

  it('ping, and methods that there are not', async () => {
    expect(await wire.ask('ping', undefined, 'p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect((await wire.ask('prompts/list')).error?.code).toBe(-32_601);
    expect((await wire.ask('nonsense')).error?.code).toBe(-32_601);
  });

  it('a successful answer is one text with JSON, and says that it is no error', async () => {
    expect(
      (await wire.ask('tools/call', { name: 'get_backlinks', arguments: { slug: 'argos' } })).result,
    ).toEqual({
      content: [{ type: 'text', text: '[]' }],
      isError: false,
    });
  });
});

const page = (slug: string, title: string, more: object = {}) => ({
  slug,
  title,
  page_type: 'page',
  children: [],
  ...more,
});

const TREE = [
  page('empty', 'Empty'),
  page('heroes', 'Heroes', {
    icon: '🦸',
    children: [page('odysseus', 'Odysseus', { children: [page('argos', 'Argos')] })],
  }),
  page('loose', 'Loose', { page_type: 'folder', children: [page('note', 'Note')] }),
  page('the-hero-s-journey', "The Hero's Journey"),
  page('twins', 'Twins', { children: [page('plan', 'Plan')] }),
  page('what-is-a-title', 'What is: a title?'),
  page('zwei', 'Zwei', { page_type: 'folder', children: [page('plan-2', 'Plan')] }),
];

const detail = (slug: string, title: string, content: string, more: object = {}) => ({
  slug,
  title,
  page_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  page_type: 'page',
  icon: null,
  parent_slug: null,
  content,
  word_count: expect.any(Number),
  outgoing_link_count: 0,
  backlink_count: 0,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  ...more,
});

/** Calls that depend on no other, each with what it answers. */
const ANSWERS: readonly (readonly [string, unknown, unknown])[] = [
  ['get_page_tree', undefined, TREE],
  ['get_page_tree', {}, TREE],
  ['get_page_tree', { extra: 1 }, TREE],
  [
    'read_page',
    { slug: 'heroes' },
    detail(
      'heroes',
      'Heroes',
      'See [[the path|the-hero-s-journey]], [[Nowhere|nowhere]] and [[Odysseus|odysseus#Home]].\n',
      {
        icon: '🦸',
        word_count: 11,
        outgoing_link_count: 3,
        backlink_count: 4,
      },
    ),
  ],
  [
    'read_page',
    { slug: 'odysseus', also: ['ignored'] },
    detail(
      'odysseus',
      'Odysseus',
      'A man of many turns. [[Heroes|heroes]] ![[map.png]] [[map.png]] [[#Home]]\n\n## Home\n\n`[[Heroes]]`\n',
      { parent_slug: 'heroes', outgoing_link_count: 1, backlink_count: 1 },
    ),
  ],
  [
    'read_page',
    { slug: 'argos' },
    detail('argos', 'Argos', 'A dog that waits twenty years.\n', { parent_slug: 'odysseus', word_count: 6 }),
  ],
  ['read_page', { slug: 'note' }, detail('note', 'Note', FILES['Loose/Note.md'], { parent_slug: 'loose' })],
  ['read_page', { slug: 'empty' }, detail('empty', 'Empty', '', { word_count: 0 })],
  [
    'read_page',
    { slug: 'what-is-a-title' },
    detail('what-is-a-title', 'What is: a title?', 'Salt without butter.\n', { word_count: 3 }),
  ],
  [
    'read_page',
    { slug: 'the-hero-s-journey' },
    detail(
      'the-hero-s-journey',
      "The Hero's Journey",
      '# A journey\n\nBack to [[Heroes|heroes]] and [[again|heroes]].\n',
      { outgoing_link_count: 1, backlink_count: 1 },
    ),
  ],
  [
    'read_page',
    { slug: 'plan-2' },
    detail('plan-2', 'Plan', '| a | b |\n| - | - |\n| [[h\\|heroes]] | c |\n', {
      parent_slug: 'zwei',
      outgoing_link_count: 1,
    }),
  ],
  [
    'read_page',
    { slug: 'loose' },
    detail('loose', 'Loose', '', { page_type: 'folder', word_count: 0, created_at: null, updated_at: null }),
  ],
  [
    'get_backlinks',
    { slug: 'heroes' },
    [
      { slug: 'odysseus', title: 'Odysseus' },
      { slug: 'the-hero-s-journey', title: "The Hero's Journey" },
      { slug: 'twins', title: 'Twins' },
      { slug: 'plan-2', title: 'Plan' },
    ],
  ],
  ['get_backlinks', { slug: 'odysseus' }, [{ slug: 'heroes', title: 'Heroes' }]],
  ['get_backlinks', { slug: 'plan' }, [{ slug: 'twins', title: 'Twins' }]],
  ['get_backlinks', { slug: 'empty' }, []],
  ['get_backlinks', { slug: 'loose' }, []],
  [
    'get_outgoing_links',
    { slug: 'heroes' },
    [
      { slug: 'the-hero-s-journey', title: "The Hero's Journey", resolved: true },
      { slug: 'nowhere', title: 'Nowhere', resolved: false },
      { slug: 'odysseus', title: 'Odysseus', resolved: true },
    ],
  ],
  [
    'get_outgoing_links',
    { slug: 'twins' },
    [
      { slug: 'plan', title: 'Plan', resolved: true },
      { slug: 'heroes', title: 'Heroes', resolved: true },
    ],
  ],
  ['get_outgoing_links', { slug: 'odysseus' }, [{ slug: 'heroes', title: 'Heroes', resolved: true }]],
  ['get_outgoing_links', { slug: 'argos' }, []],
  ['get_outgoing_links', { slug: 'zwei' }, []],
  ['search', { query: '' }, []],
  ['search', { query: '  ' }, []],
  ['search', { query: 'zzzunheardof' }, []],
  [
    'search',
    { query: 'turns' },
    [
      {
        slug: 'odysseus',
        title: 'Odysseus',
        snippet: expect.stringContaining('turns'),
        score: expect.any(Number),
      },
    ],
  ],
  ['search', { query: '"twenty years"' }, [expect.objectContaining({ slug: 'argos', title: 'Argos' })]],
  ['search', { query: 'salt NOT butter' }, [expect.objectContaining({ slug: 'note' })]],
  ['search', { query: 'salt AND butter' }, [expect.objectContaining({ slug: 'what-is-a-title' })]],
  ['search', { query: '2026-11-29' }, [expect.objectContaining({ slug: 'note' })]],
  ['search', { query: 'path:Loose' }, []],
];

const missing = (field: string) => `failed to deserialize parameters: missing field \`${field}\``;
const mistyped = (field: string, type: string) =>
  `failed to deserialize parameters: ${field}: invalid type: ${type}, expected a string`;

/** Calls that fail, each with code and message. */
const FAILURES: readonly (readonly [string, unknown, number, string])[] = [
  ['read_page', { slug: 'unheard-of' }, -32_002, 'Page not found: unheard-of'],
  ['read_page', { slug: '' }, -32_002, 'Page not found: '],
  ['read_page', { slug: 'Heroes' }, -32_002, 'Page not found: Heroes'],
  ['read_page', { slug: 'Heroes.md' }, -32_002, 'Page not found: Heroes.md'],
  ['read_page', { slug: '../etc/passwd' }, -32_002, 'Page not found: ../etc/passwd'],
  ['get_backlinks', { slug: 'nowhere' }, -32_002, 'Page not found: nowhere'],
  ['get_outgoing_links', { slug: 'nowhere' }, -32_002, 'Page not found: nowhere'],
  ['update_page_content', { slug: 'nowhere', content: 'x' }, -32_002, 'Page not found: nowhere'],
  ['update_page_metadata', { slug: 'nowhere', icon: 'x' }, -32_002, 'Page not found: nowhere'],
  ['move_page', { slug: 'nowhere' }, -32_002, 'Page not found: nowhere'],
  ['move_page', { slug: 'empty', new_parent_slug: 'nowhere' }, -32_002, 'Page not found: nowhere'],
  ['rename_page', { slug: 'nowhere', new_title: 'x' }, -32_002, 'Page not found: nowhere'],
  ['delete_page', { slug: 'nowhere' }, -32_002, 'Page not found: nowhere'],
  ['create_page', { title: 'x', parent_slug: 'nowhere' }, -32_002, 'Page not found: nowhere'],
  ['read_page', {}, -32_602, missing('slug')],
  ['read_page', undefined, -32_602, missing('slug')],
  ['read_page', { Slug: 'heroes' }, -32_602, missing('slug')],
  ['search', {}, -32_602, missing('query')],
  ['create_page', { content: 'x' }, -32_602, missing('title')],
  ['update_page_content', { slug: 'empty' }, -32_602, missing('content')],
  ['rename_page', { slug: 'empty' }, -32_602, missing('new_title')],
  ['read_page', { slug: 5 }, -32_602, mistyped('slug', 'integer `5`')],
  ['read_page', { slug: 0.5 }, -32_602, mistyped('slug', 'floating point `0.5`')],
  ['read_page', { slug: null }, -32_602, mistyped('slug', 'null')],
  ['read_page', { slug: ['heroes'] }, -32_602, mistyped('slug', 'sequence')],
  ['search', { query: { q: 1 } }, -32_602, mistyped('query', 'map')],
  ['create_page', { title: true }, -32_602, mistyped('title', 'boolean `true`')],
  ['create_page', { title: 'x', content: 1 }, -32_602, mistyped('content', 'integer `1`')],
  ['create_page', { title: '' }, -32_602, 'Page title cannot be blank'],
  ['create_page', { title: ' \n ' }, -32_602, 'Page title cannot be blank'],
  [
    'create_page',
    { title: 'é'.repeat(201) },
    -32_602,
    'Page title cannot be longer than 200 characters (it has 201)',
  ],
  ['rename_page', { slug: 'empty', new_title: ' ' }, -32_602, 'Page title cannot be blank'],
  ['update_page_metadata', { slug: 'empty', title: '' }, -32_602, 'Page title cannot be blank'],
  ['update_page_metadata', { slug: 'empty' }, -32_602, 'Nothing to update: give title or icon'],
  [
    'move_page',
    { slug: 'heroes', new_parent_slug: 'heroes' },
    -32_602,
    'A page cannot be moved below itself',
  ],
  ['move_page', { slug: 'heroes', new_parent_slug: 'argos' }, -32_602, 'A page cannot be moved below itself'],
  ['no_such_tool', {}, -32_602, 'tool not found'],
  ['READ_PAGE', { slug: 'heroes' }, -32_602, 'tool not found'],
  ['note_read', { path: 'Heroes.md' }, -32_602, 'tool not found'],
];

describe('calls', () => {
  it.each(ANSWERS)('%s %j', async (name, given, wanted) => {
    expect(await wire.call(name, given)).toEqual(wanted);
  });

  it.each(FAILURES)('%s %j fails with %i', async (name, given, code, message) => {
    expect(await wire.call(name, given)).toMatchObject({ code, message });
    expect(wire.door.vault.files()).toEqual(FILES);
  });

  it('twenty results at most', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`N${at}.md`, `many words here ${at}\n`]),
    );
    const other = await openInklingsWire(many);
    expect(await other.call('search', { query: 'many' })).toHaveLength(20);
    await other.close();
  });
});

describe('resources', () => {
  const read = async (uri: string) => await wire.ask('resources/read', { uri });
  const json = async (uri: string) => {
    const { result } = await read(uri);
    const [content] = (result as { contents: { uri: string; mimeType: string; text: string }[] }).contents;
    expect(content).toMatchObject({ uri, mimeType: 'application/json' });
    return JSON.parse(content?.text ?? '');
  };

  it('the tree', async () => {
    expect(await json('inklings://workspace/tree')).toEqual(TREE);
  });

  it('a page', async () => {
    const uri = 'inklings://workspace/page/argos';
    expect((await read(uri)).result).toEqual({
      contents: [{ uri, mimeType: 'text/markdown', text: 'A dog that waits twenty years.\n' }],
    });
    const folder = 'inklings://workspace/page/loose';
    expect((await read(folder)).result).toEqual({
      contents: [{ uri: folder, mimeType: 'text/markdown', text: '' }],
    });
  });

  it('a search', async () => {
    const hits = await json('inklings://workspace/search?q=twenty%20years');
    expect(hits).toEqual([
      { slug: 'argos', title: 'Argos', snippet: expect.any(String), score: expect.any(Number) },
    ]);
    expect(await json('inklings://workspace/search?q=twenty+years')).toEqual(hits);
    expect(await json('inklings://workspace/search?q=')).toEqual([]);
    expect(await json('inklings://workspace/search')).toEqual([]);
  });

  it.each([
    ['inklings://workspace/page/nowhere', 'Page not found: nowhere'],
    ['inklings://workspace/page/', 'Resource not found: inklings://workspace/page/'],
    ['inklings://workspace/page/%E0%A4%A', 'Resource not found: inklings://workspace/page/%E0%A4%A'],
    ['inklings://workspace/other', 'Resource not found: inklings://workspace/other'],
    ['inklings://workspace/tree/x', 'Resource not found: inklings://workspace/tree/x'],
  ])('%s is not there', async (uri, message) => {
    expect((await read(uri)).error).toMatchObject({ code: -32_002, message });
  });

  it('those of other systems are not there', async () => {
    expect((await read('vault://Heroes.md')).error?.code).toBe(-32_002);
  });
});
