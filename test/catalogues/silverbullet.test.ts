import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSilverbulletWire, type SilverbulletWire, type ToolResult } from './silverbullet-wire.ts';

/** Requests and answers written from the documents, field by field; texts byte for byte. */

const FILES = {
  'index.md': 'Welcome. [[projects/boat]] and [[projects/boat|the boat]].\n',
  'CONFIG.md': '```space-lua\n```\n',
  'projects/boat.md': '---\nstatus: open\n---\n# Boat\n\nThe keel is oak.\n',
  'Plain.md': 'no line break at the end',
  'Windows.md': 'first\r\nsecond\r\n',
  'Journal/2026-11-29.md': 'Keelhauled today. keel, KEEL.\n',
  'notes.txt': 'keel in a text file\n',
  '_trash/2026-10/Old.md': 'an old keel\n',
};

const MONTH = /^\d{4}-\d{2}$/;
const CAP = 262_144;

let wire: SilverbulletWire;
let said: string[];

beforeAll(async () => {
  said = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  wire = await openSilverbulletWire(FILES);
});
afterAll(async () => {
  await wire.close();
  vi.restoreAllMocks();
});

/** What was written to stderr since the last look. */
const lines = () => said.splice(0);
const call = (name: string, given?: unknown) => wire.client.call(name, given);
const facts = (name: string, given?: unknown) => wire.client.facts(name, given);
const block = (value: unknown) => ({ type: 'text', text: JSON.stringify(value, null, 2) });
/** An answer of one JSON block, byte for byte: nothing but content, no `isError`. */
const answer = (value: unknown) => ({ content: [block(value)] });
const file = (path: string) => wire.door.vault.file(path);

/** A failure: the payload has these keys in this order, and says something in `message` and `remediation`. */
function failed(result: ToolResult, wanted: Record<string, unknown>): void {
  expect(Object.keys(result)).toEqual(['content']);
  expect(result.content).toHaveLength(1);
  const text = result.content[0]?.text ?? '';
  const payload = JSON.parse(text) as Record<string, unknown>;
  expect(text).toBe(JSON.stringify(payload, null, 2));
  const { error, status, ...more } = wanted;
  expect(Object.keys(payload)).toEqual(['error', 'status', 'message', ...Object.keys(more), 'remediation']);
  expect(payload).toMatchObject(wanted);
  for (const key of ['message', 'remediation']) expect(String(payload[key]).length).toBeGreaterThan(10);
}

describe('the protocol', () => {
  it('initialize', () => {
    expect(wire.client.initialized.message).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: '2025-03-26',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'silverbullet', version: '0.6.0' },
      },
    });
  });

  it('tools/list', async () => {
    const { message } = await wire.client.ask('tools/list');
    const { tools } = message.result as { tools: Record<string, unknown>[] };
    const shape = (tool: Record<string, unknown>) => {
      const schema = tool.inputSchema as {
        properties: Record<string, { type: string }>;
        required?: string[];
      };
      return [
        tool.name,
        Object.entries(schema.properties).map(
          ([name, { type }]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${type}`,
        ),
      ];
    };
    expect(tools.map(shape)).toEqual([
      ['list_pages', ['include_trash?: boolean']],
      ['read_page', ['page: string']],
      ['search_pages', ['query: string', 'limit?: integer', 'include_trash?: boolean']],
      ['create_page', ['page: string', 'body: string']],
      ['write_page', ['page: string', 'body: string', 'expected_last_modified: integer']],
      ['append_to_page', ['page: string', 'content: string']],
      ['prepend_to_page', ['page: string', 'content: string', 'position?: string']],
      ['delete_page', ['page: string']],
      ['move_page', ['from: string', 'to: string']],
    ]);
    for (const tool of tools) {
      expect(Object.keys(tool)).toEqual(['name', 'title', 'description', 'inputSchema', 'execution']);
      expect(tool.inputSchema).toMatchObject({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        additionalProperties: false,
      });
      expect(tool.execution).toEqual({ taskSupport: 'forbidden' });
    }
  });

  it('ping, and what it does not have', async () => {
    expect((await wire.client.ask('ping')).message.result).toEqual({});
    for (const method of ['resources/list', 'prompts/list', 'completion/complete'])
      expect((await wire.client.ask(method, {})).message.error).toMatchObject({ code: -32_601 });
  });
});

describe('reading', () => {
  it('read_page: two blocks', async () => {
    expect(await call('read_page', { page: 'projects/boat' })).toEqual({
      content: [
        block({ path: 'projects/boat.md', lastModified: wire.lastModified('projects/boat.md') }),
        { type: 'text', text: FILES['projects/boat.md'] },
      ],
    });
  });

  it.each(['projects/boat.md', '/projects/boat', '/projects/boat.md'])('read_page: %s', async (page) => {
    expect((await call('read_page', { page })).content[1]?.text).toBe(FILES['projects/boat.md']);
  });

  it('read_page: line endings and pages in the trash as they are', async () => {
    expect((await call('read_page', { page: 'Windows' })).content[1]?.text).toBe('first\r\nsecond\r\n');
    expect(await facts('read_page', { page: '_trash/2026-10/Old' })).toMatchObject({
      path: '_trash/2026-10/Old.md',
    });
  });

  it('list_pages: the newest first, to the second, Markdown alone, without the trash', async () => {
    const { count, pages } = (await facts('list_pages')) as { count: number; pages: ListedPage[] };
    expect(count).toBe(6);
    expect(pages.map(({ path }) => path).sort()).toEqual(
      Object.keys(FILES)
        .filter((path) => path.endsWith('.md') && !path.startsWith('_trash/'))
        .sort(),
    );
    for (const { page, path, lastModified, ...rest } of pages) {
      expect(rest).toEqual({});
      expect(`${page}.md`).toBe(path);
      expect(lastModified).toBe(Math.floor(wire.lastModified(path) / 1000) * 1000);
    }
    const times = pages.map(({ lastModified }) => lastModified);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(await call('list_pages', { include_trash: false })).toEqual(await call('list_pages'));
  });

  it('list_pages: with the trash', async () => {
    const { count, pages } = await facts('list_pages', { include_trash: true });
    expect(count).toBe(7);
    expect(pages).toContainEqual({
      page: '_trash/2026-10/Old',
      path: '_trash/2026-10/Old.md',
      lastModified: Math.floor(wire.lastModified('_trash/2026-10/Old.md') / 1000) * 1000,
    });
  });
});

interface ListedPage {
  readonly page: string;
  readonly path: string;
  readonly lastModified: number;
}

describe('searching', () => {
  const paths = async (given: Record<string, unknown>) =>
    ((await facts('search_pages', given)).hits as { path: string }[]).map(({ path }) => path);

  it('search_pages: one hit, byte for byte', async () => {
    expect(await call('search_pages', { query: ' OAK ' })).toEqual(
      answer({
        query: ' OAK ',
        count: 1,
        hits: [
          {
            page: 'projects/boat',
            path: 'projects/boat.md',
            lastModified: Math.floor(wire.lastModified('projects/boat.md') / 1000) * 1000,
            snippet: '--- status: open --- # Boat The keel is oak.',
            matches: 1,
          },
        ],
      }),
    );
  });

  it('search_pages: parts of words, whatever the case, counted', async () => {
    const { hits } = await facts('search_pages', { query: 'keel' });
    expect(hits).toEqual([
      expect.objectContaining({ path: 'Journal/2026-11-29.md', matches: 3 }),
      expect.objectContaining({ path: 'projects/boat.md', matches: 1 }),
    ]);
    expect(await paths({ query: 'eelhau' })).toEqual(['Journal/2026-11-29.md']);
  });

  it('search_pages: names of pages, front matter, signs that mean something elsewhere', async () => {
    expect(await paths({ query: 'ournal/2026' })).toEqual(['Journal/2026-11-29.md']);
    expect(await paths({ query: 'status: open' })).toEqual(['projects/boat.md']);
    expect(await paths({ query: '[[projects/boat|the' })).toEqual(['index.md']);
    for (const query of [
      'tag:keel',
      '-keel',
      '"keel"',
      '/keel/',
      'path:boat',
      'keel OR oak',
      '(keel',
      'k.el',
    ])
      expect(await paths({ query }), query).toEqual([]);
  });

  it('search_pages: words that stand apart come after the text itself', async () => {
    expect(await paths({ query: 'oak keel' })).toEqual(['projects/boat.md']);
    expect(await paths({ query: 'keel is oak' })).toEqual(['projects/boat.md']);
  });

  it('search_pages: limit as number or digits, the trash on request', async () => {
    expect(await paths({ query: 'keel', limit: 1 })).toHaveLength(1);
    expect(await paths({ query: 'keel', limit: '2' })).toHaveLength(2);
    expect(await paths({ query: 'keel', include_trash: true })).toHaveLength(3);
  });

  it('search_pages: nothing', async () => {
    expect(await call('search_pages', { query: 'nowhere at all' })).toEqual(
      answer({ query: 'nowhere at all', count: 0, hits: [] }),
    );
    expect(await call('search_pages', { query: '  ' })).toEqual(answer({ query: '  ', count: 0, hits: [] }));
  });
});

describe('writing', () => {
  it('create_page, then write_page with what it returned', async () => {
    lines();
    const created = await call('create_page', { page: 'new/page', body: '# New\n' });
    const first = wire.lastModified('new/page.md');
    expect(created).toEqual(answer({ created: true, path: 'new/page.md', lastModified: first }));
    const written = await call('write_page', {
      page: 'new/page',
      body: '# Newer ü\n',
      expected_last_modified: first,
    });
    const second = wire.lastModified('new/page.md');
    expect(written).toEqual(answer({ written: true, path: 'new/page.md', lastModified: second }));
    expect(file('new/page.md')).toBe('# Newer ü\n');
    expect(lines()).toEqual([
      `[WRITE] action=create page="new/page.md" bytes=6 last_modified=${first}\n`,
      `[WRITE] action=write page="new/page.md" bytes=11 expected_last_modified=${first} last_modified=${second}\n`,
    ]);
  });

  it('write_page: digits for the version; properties that are not in the body are gone', async () => {
    const { lastModified } = await facts('read_page', { page: 'projects/boat' });
    await call('write_page', {
      page: 'projects/boat',
      body: 'only this',
      expected_last_modified: String(lastModified),
    });
    expect(file('projects/boat.md')).toBe('only this');
  });

  it('write_page: a chain of writes without a read in between', async () => {
    let { lastModified } = await facts('read_page', { page: 'projects/boat' });
    for (const body of ['one\n', 'two\n', FILES['projects/boat.md']])
      ({ lastModified } = await facts('write_page', {
        page: 'projects/boat',
        body,
        expected_last_modified: lastModified,
      }));
    expect(file('projects/boat.md')).toBe(FILES['projects/boat.md']);
  });

  it('write_page: a conflict tells what was expected, never what is there', async () => {
    const { lastModified } = (await facts('read_page', { page: 'Plain' })) as { lastModified: number };
    await call('append_to_page', { page: 'Plain', content: 'somebody else' });
    const now = wire.lastModified('Plain.md');
    lines();
    const given = { page: 'Plain', body: 'mine', expected_last_modified: lastModified };
    const result = await call('write_page', given);
    failed(result, {
      error: 'conflict',
      status: 409,
      path: 'Plain.md',
      expectedLastModified: lastModified,
    });
    expect(JSON.stringify(result)).not.toContain(String(now));
    expect(file('Plain.md')).toBe('no line break at the end\n\nsomebody else');
    expect(lines()).toEqual([
      `[ERROR] tool=write_page code=conflict page="Plain" expected=${lastModified}\n`,
    ]);
  });

  it('write_page: times from lists are no versions', async () => {
    const { pages } = (await facts('list_pages')) as { pages: ListedPage[] };
    const exact = wire.lastModified('Windows.md');
    const listed = pages.find(({ path }) => path === 'Windows.md')?.lastModified ?? 0;
    const result = await call('write_page', { page: 'Windows', body: 'x', expected_last_modified: listed });
    if (listed === exact) return;
    failed(result, { error: 'conflict', status: 409, path: 'Windows.md', expectedLastModified: listed });
  });

  it('append_to_page: a blank line between, the note’s own line endings, no version', async () => {
    lines();
    expect(await call('append_to_page', { page: 'Windows', content: 'third\nfourth' })).toEqual(
      answer({ path: 'Windows.md', bytesAdded: 12 }),
    );
    expect(file('Windows.md')).toBe('first\r\nsecond\r\n\r\nthird\r\nfourth');
    expect(lines()).toEqual(['[WRITE] action=append page="Windows.md" bytes=12\n']);
  });

  it('prepend_to_page: below the front matter, or before everything', async () => {
    lines();
    expect(await call('prepend_to_page', { page: 'projects/boat', content: 'first' })).toEqual(
      answer({ path: 'projects/boat.md', bytesAdded: 5, insertedAfterFrontmatter: true }),
    );
    expect(file('projects/boat.md')).toBe('---\nstatus: open\n---\n\nfirst\n# Boat\n\nThe keel is oak.\n');
    expect(
      await call('prepend_to_page', {
        page: 'Journal/2026-11-29',
        content: 'ü',
        position: 'after_frontmatter',
      }),
    ).toEqual(answer({ path: 'Journal/2026-11-29.md', bytesAdded: 2, insertedAfterFrontmatter: false }));
    expect(file('Journal/2026-11-29.md')).toBe('ü\nKeelhauled today. keel, KEEL.\n');
    await call('create_page', { page: 'top', body: '---\na: 1\n---\nb\n' });
    expect(await call('prepend_to_page', { page: 'top', content: 'x', position: 'top' })).toEqual(
      answer({ path: 'top.md', bytesAdded: 1, insertedAfterFrontmatter: false }),
    );
    expect(file('top.md')).toBe('x\n---\na: 1\n---\nb\n');
    expect(lines()[0]).toBe(
      '[WRITE] action=prepend page="projects/boat.md" bytes=5 inserted_after_frontmatter=true\n',
    );
  });

  it('delete_page: into the month’s trash, twice', async () => {
    lines();
    const { deleted, trashPath } = (await facts('delete_page', { page: 'top' })) as {
      deleted: boolean;
      trashPath: string;
    };
    expect(deleted).toBe(true);
    const [, month = ''] = trashPath.split('/');
    expect(month).toMatch(MONTH);
    expect(trashPath).toBe(`_trash/${month}/top.md`);
    expect(file('top.md')).toBeUndefined();
    expect(lines()).toEqual([`[WRITE] action=delete page="top.md" bytes=0 trash_path="${trashPath}"\n`]);
    await call('create_page', { page: 'top', body: 'again' });
    const again = (await facts('delete_page', { page: 'top' })).trashPath as string;
    expect(again).toMatch(new RegExp(`^_trash/${month}/top-\\d{13}\\.md$`));
    expect(file(trashPath)).toBe('x\n---\na: 1\n---\nb\n');
    expect(file(again)).toBe('again');
    failed(await call('read_page', { page: 'top' }), { error: 'not_found', status: 404, path: 'top.md' });
    const listed = async (given: object) =>
      ((await facts('list_pages', given)).pages as ListedPage[]).map(({ path }) => path);
    expect(await listed({})).not.toContain(trashPath);
    expect(await listed({ include_trash: true })).toEqual(expect.arrayContaining([trashPath, again]));
    expect(await call('move_page', { from: trashPath, to: 'top' })).toEqual(
      answer({ from: trashPath, to: 'top.md', moved: true }),
    );
  });

  it('move_page: links follow', async () => {
    lines();
    expect(await call('move_page', { from: 'projects/boat', to: 'boats/first' })).toEqual(
      answer({ from: 'projects/boat.md', to: 'boats/first.md', moved: true, linksUpdated: 2 }),
    );
    expect(file('index.md')).toBe('Welcome. [[boats/first]] and [[boats/first|the boat]].\n');
    expect(lines()).toEqual([
      '[WRITE] action=move page="projects/boat.md" bytes=0 from="projects/boat.md" to="boats/first.md" links_updated=2\n',
    ]);
    expect(await call('move_page', { from: '/boats/first.md', to: 'projects/boat.md' })).toEqual(
      answer({ from: 'boats/first.md', to: 'projects/boat.md', moved: true, linksUpdated: 2 }),
    );
  });
});

describe('failures', () => {
  it.each([
    ['read_page', { page: 'Nowhere' }, { error: 'not_found', status: 404, path: 'Nowhere.md' }],
    ['read_page', { page: 'plain' }, { error: 'not_found', status: 404, path: 'plain.md' }],
    ['read_page', { page: '2026-11-29' }, { error: 'not_found', status: 404, path: '2026-11-29.md' }],
    [
      'write_page',
      { page: 'Nowhere', body: '', expected_last_modified: 1 },
      { error: 'not_found', status: 404, path: 'Nowhere.md' },
    ],
    [
      'append_to_page',
      { page: 'Nowhere', content: 'x' },
      { error: 'not_found', status: 404, path: 'Nowhere.md' },
    ],
    [
      'prepend_to_page',
      { page: 'Nowhere', content: 'x' },
      { error: 'not_found', status: 404, path: 'Nowhere.md' },
    ],
    ['delete_page', { page: 'Nowhere' }, { error: 'not_found', status: 404, path: 'Nowhere.md' }],
    [
      'move_page',
      { from: 'Nowhere', to: 'Elsewhere' },
      { error: 'not_found', status: 404, path: 'Nowhere.md' },
    ],
    ['create_page', { page: 'Plain', body: 'x' }, { error: 'already_exists', status: 409, path: 'Plain.md' }],
    [
      'move_page',
      { from: 'Plain', to: 'Windows' },
      { error: 'already_exists', status: 409, path: 'Windows.md' },
    ],
    [
      'create_page',
      { page: 'big', body: 'x'.repeat(CAP + 1) },
      { error: 'too_large', status: 413, path: 'big.md', bytes: CAP + 1, limit: CAP },
    ],
    [
      'create_page',
      { page: 'big', body: 'ü'.repeat(CAP / 2 + 1) },
      { error: 'too_large', status: 413, path: 'big.md', bytes: CAP + 2, limit: CAP },
    ],
    [
      'append_to_page',
      { page: 'Plain', content: 'x'.repeat(CAP) },
      { error: 'too_large', status: 413, path: 'Plain.md', bytes: CAP + 41, limit: CAP },
    ],
    [
      'prepend_to_page',
      { page: 'Plain', content: 'x'.repeat(CAP) },
      { error: 'too_large', status: 413, path: 'Plain.md', bytes: CAP + 40, limit: CAP },
    ],
    [
      'create_page',
      { page: '_trash/x', body: '' },
      { error: 'forbidden_path', status: 403, path: '_trash/x.md' },
    ],
    [
      'write_page',
      { page: '_trash/2026-10/Old', body: '', expected_last_modified: 1 },
      { error: 'forbidden_path', status: 403, path: '_trash/2026-10/Old.md' },
    ],
    [
      'append_to_page',
      { page: '/_trash/2026-10/Old.md', content: 'x' },
      { error: 'forbidden_path', status: 403, path: '_trash/2026-10/Old.md' },
    ],
    [
      'prepend_to_page',
      { page: '_Trash/Old', content: 'x' },
      { error: 'forbidden_path', status: 403, path: '_Trash/Old.md' },
    ],
    [
      'delete_page',
      { page: '_trash/2026-10/Old' },
      { error: 'forbidden_path', status: 403, path: '_trash/2026-10/Old.md' },
    ],
    [
      'move_page',
      { from: 'Plain', to: '_trash/Plain' },
      { error: 'forbidden_path', status: 403, path: '_trash/Plain.md' },
    ],
    ['move_page', { from: 'Plain', to: '/Plain.md' }, invalid('/Plain.md')],
    ['read_page', { page: '/' }, invalid('/')],
    ['read_page', { page: '//etc' }, invalid('//etc')],
    ['read_page', { page: '../secret' }, invalid('../secret')],
    ['read_page', { page: 'a/../../b' }, invalid('a/../../b')],
    ['read_page', { page: './Plain' }, invalid('./Plain')],
    ['read_page', { page: 'a//b' }, invalid('a//b')],
    ['read_page', { page: 'Plain/' }, invalid('Plain/')],
    ['read_page', { page: 'Plain.md.md' }, invalid('Plain.md.md')],
    ['create_page', { page: 'a.md.mdx', body: '' }, invalid('a.md.mdx')],
    ['read_page', { page: 'a\\b' }, invalid('a\\b')],
    ['read_page', { page: '.git/config' }, invalid('.git/config')],
    ['create_page', { page: 'a|b', body: '' }, invalid('a|b')],
  ])('%s %o', async (name, given, wanted) => {
    const before = wire.door.vault.files();
    lines();
    const result = await call(name, given);
    failed(result, wanted as Record<string, unknown>);
    expect(wire.door.vault.files()).toEqual(before);
    const { page = (given as { from?: string }).from } = given as { page?: string };
    const [line = '', ...more] = lines();
    expect(more).toEqual([]);
    expect(line.startsWith(`[ERROR] tool=${name} code=${wanted.error} page=${JSON.stringify(page)}`)).toBe(
      true,
    );
    expect(line.endsWith('\n')).toBe(true);
  });

  it('the name that was meant is told', async () => {
    const { remediation } = await facts('read_page', { page: 'projects/Boat' });
    expect(remediation).toContain('projects/boat');
  });

  it('a page name cannot forge a line of the log', async () => {
    lines();
    await call('read_page', { page: 'a\n[WRITE] action=delete page="b"' });
    expect(lines()).toEqual([
      '[ERROR] tool=read_page code=not_found page="a\\n[WRITE] action=delete page=\\"b\\""\n',
    ]);
  });
});

function invalid(input: string) {
  return { error: 'invalid_path', status: 422, input, reason: expect.stringMatching(/\w/) };
}

describe('arguments that do not fit', () => {
  it.each([
    ['read_page', {}],
    ['read_page', undefined],
    ['read_page', { page: '' }],
    ['read_page', { page: 7 }],
    ['read_page', { page: null }],
    ['list_pages', { include_trash: 'yes' }],
    ['search_pages', {}],
    ['search_pages', { query: '' }],
    ['search_pages', { query: 'x', limit: 0 }],
    ['search_pages', { query: 'x', limit: 101 }],
    ['search_pages', { query: 'x', limit: 'many' }],
    ['search_pages', { query: 'x', limit: 1.5 }],
    ['create_page', { page: 'x' }],
    ['write_page', { page: 'Plain', body: 'x' }],
    ['write_page', { page: 'Plain', body: 'x', expected_last_modified: 'soon' }],
    ['append_to_page', { page: 'Plain', content: '' }],
    ['prepend_to_page', { page: 'Plain', content: 'x', position: 'bottom' }],
    ['delete_page', {}],
    ['move_page', { from: 'Plain' }],
    ['create_page', { page: 'half', body: '\ud83d' }],
  ])('%s %o', async (name, given) => {
    const before = wire.door.vault.files();
    const { content, isError } = await call(name, given);
    expect(isError).toBe(true);
    expect(content[0]?.text).toMatch(
      new RegExp(`^MCP error -32602: Input validation error: Invalid arguments for tool ${name}: `),
    );
    expect(wire.door.vault.files()).toEqual(before);
  });

  it('an unknown tool', async () => {
    expect(await call('note_read', { path: 'Plain.md' })).toEqual({
      content: [{ type: 'text', text: 'MCP error -32602: Tool note_read not found' }],
      isError: true,
    });
  });

  it('extra keys, and null for what is left out, do no harm', async () => {
    expect(await call('list_pages', { include_trash: null, colour: 'red' })).toEqual(
      await call('list_pages'),
    );
  });
});
