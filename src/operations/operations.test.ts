import { describe, expect, it } from 'vitest';
import { MemorySession } from '../../test/doubles/memory-session.ts';
import { LecternError } from '../errors.ts';
import { parseInput } from './call/input.ts';
import { inputSchema, type PropertySchema } from './call/json-schema.ts';
import { runOperation } from './call/run.ts';
import { summaryOf } from './call/summary.ts';
import { hasCommand, hasRoute, type OperationContext } from './operation.ts';
import { OPERATIONS } from './registry.ts';

const context: OperationContext = { signal: new AbortController().signal, progress: () => {} };

const FILES = {
  'Projects/Lectern.md':
    '---\ntags: [project/lectern, mcp]\nstatus: open\n---\n# Lectern\n\nSee [[Ideas]] and [[Nowhere]].\n\n## Plan\n\nfirst **runbook** line ^plan1\n\n### Later\n\nmore\n\n## Done\n\n- [x] one\n- [ ] two\n',
  'Ideas.md': 'A runbook idea, back to [[Lectern]] #idea\n',
  'Alone.md': 'Nobody links here.\n',
};

/** Runs an operation as a client would call it, and returns the structured answer and its text. */
async function run(
  name: string,
  args: object,
  files: Record<string, string> = FILES,
  session = new MemorySession(files),
) {
  const operation = OPERATIONS.find((candidate) => candidate.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  const input = parseInput(operation, args);
  const output = await runOperation(operation, session.asSession(), input, context);
  expect(operation.output.strict().parse(output)).toEqual(output);
  const summary = summaryOf(operation, output, input);
  expect(summary).not.toContain('\n');
  return { out: output as Record<string, unknown>, summary, text: operation.render(output, input), session };
}

async function failure(name: string, args: object): Promise<LecternError> {
  const error = await run(name, args).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof LecternError) return error;
  throw new Error(`${name} did not fail`);
}

describe('every operation', () => {
  it.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    '%s obeys every client',
    (name, operation) => {
      expect(name).toMatch(/^[a-z0-9_]{1,40}$/);
      expect(Buffer.byteLength(operation.description)).toBeLessThan(1024);
      const schema = inputSchema(operation.input);
      expect(schema.type).toBe('object');
      for (const [key, property] of Object.entries(schema.properties)) {
        expect(key).toMatch(/^[a-z0-9_]{1,40}$/);
        checkFlat(property);
      }
      expect(JSON.stringify(schema)).not.toMatch(
        /"(anyOf|oneOf|allOf|not|\$ref|\$schema|const|propertyNames)"/,
      );
    },
  );

  it('has a name, a route and a command of its own', () => {
    const unique = (values: string[]) => expect(new Set(values).size).toBe(values.length);
    unique(OPERATIONS.map((operation) => operation.name));
    unique(OPERATIONS.filter(hasCommand).map(({ cli }) => `${cli.noun} ${cli.verb}`));
    unique(OPERATIONS.filter(hasRoute).map(({ rest }) => `${rest.method} ${rest.path}`));
  });
});

function checkFlat(property: PropertySchema): void {
  expect(['string', 'integer', 'number', 'boolean', 'array', 'object']).toContain(property.type);
  if (property.type === 'array') expect(property.items).toBeDefined();
  if (property.enum !== undefined) for (const value of property.enum) expect(typeof value).toBe('string');
}

describe('note_read', () => {
  it('answers the text below the front matter verbatim, with its line', async () => {
    const { out, text, summary } = await run('note_read', { path: 'Projects/Lectern.md' });
    const body = FILES['Projects/Lectern.md'].split('---\n').at(-1);
    expect(out).toMatchObject({ body, line: 5, offset: 0, has_more: false, total_chars: body?.length });
    expect(out.next_offset).toBeUndefined();
    expect(text.endsWith(`\n\n${body}`)).toBe(true);
    expect(summary).toContain('etag 0123456789abcdef');
  });

  it('keeps BOM, CRLF and odd characters of the body', async () => {
    const body = 'caf\u0065\u0301\r\n\tx  \r\nno end';
    const { out } = await run(
      'note_read',
      { path: 'A.md' },
      { 'A.md': `\ufeff---\r\na: 1\r\n---\r\n${body}` },
    );
    expect(out).toMatchObject({ body, line: 4 });
  });

  it('reads one section as replace_section would replace it', async () => {
    const { out, summary } = await run('note_read', { path: 'Projects/Lectern.md', heading: 'Plan' });
    expect(out).toMatchObject({
      heading: '## Plan',
      body: 'first **runbook** line ^plan1\n\n### Later\n\nmore',
      line: 11,
    });
    expect(summary).toContain('› ## Plan');
  });

  it('reads one block', async () => {
    const { out } = await run('note_read', { path: 'Projects/Lectern.md', block_id: '^plan1' });
    expect(out).toMatchObject({ block_id: 'plan1', body: 'first **runbook** line', line: 11 });
  });

  it('pages by characters, states the cut and never splits one', async () => {
    const body = '👩‍🚀漢字 '.repeat(50);
    let joined = '';
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { out, summary } = await run(
        'note_read',
        { path: 'A.md', offset, max_chars: 7 },
        { 'A.md': body },
      );
      expect(String(out.body)).toBe(Buffer.from(String(out.body)).toString());
      expect(out.total_chars).toBe(body.length);
      if (out.has_more) expect(summary).toContain(`cut; next: offset ${out.next_offset}`);
      joined += out.body;
      offset = out.next_offset as number | undefined;
    }
    expect(joined).toBe(body);
  });

  it('cuts a long note at 20,000 characters unless told otherwise', async () => {
    const files = { 'Long.md': 'x'.repeat(50_000) };
    const { out } = await run('note_read', { path: 'Long.md' }, files);
    expect(out).toMatchObject({ has_more: true, next_offset: 20_000, total_chars: 50_000 });
    const { out: whole } = await run('note_read', { path: 'Long.md', max_chars: 60_000 }, files);
    expect(whole).toMatchObject({ has_more: false });
  });

  it('adds the parts asked for, in structure and text alike', async () => {
    const include = ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'];
    const { out, text } = await run('note_read', { path: 'Projects/Lectern.md', include });
    expect(out.frontmatter).toEqual({ tags: ['project/lectern', 'mcp'], status: 'open' });
    expect(out.outline).toContainEqual({ level: 3, text: 'Later', line: 13 });
    expect(out).toMatchObject({ outline_total: 4, links_total: 2, backlinks_total: 1 });
    expect(out.tags).toEqual(['project/lectern', 'mcp']);
    expect(out.stats).toMatchObject({ tasks: 2, tasks_done: 1, links: 2 });
    for (const fact of [
      '"status":"open"',
      '13: ### Later',
      'Ideas → Ideas.md',
      'Nowhere → unresolved',
      'Ideas.md:1',
      '#mcp',
      'tasks_done 1',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('says what a lenient spelling was resolved to', async () => {
    const { out, summary } = await run('note_read', { path: 'Ideas' });
    expect(out.path).toBe('Ideas.md');
    expect(summary).toContain("'Ideas' was read as Ideas.md");
  });

  it('names the headings there are when one is not found, and both when it is ambiguous', async () => {
    const missing = await failure('note_read', { path: 'Projects/Lectern.md', heading: 'Plans' });
    expect(missing.code).toBe('not_found');
    expect(JSON.stringify(missing.details)).toContain('Plan');
    const files = { 'Log.md': '# Jan\n\n## Tasks\n\n- a\n\n# Feb\n\n## Tasks\n\n- b\n' };
    const ambiguous = await run('note_read', { path: 'Log.md', heading: 'Tasks' }, files).catch(
      (error: unknown) => error,
    );
    expect(ambiguous).toMatchObject({
      code: 'ambiguous',
      details: {
        candidates: [
          { heading: 'Jan > Tasks', line: 3 },
          { heading: 'Feb > Tasks', line: 9 },
        ],
      },
    });
    const { out } = await run('note_read', { path: 'Log.md', heading: 'Feb > Tasks' }, files);
    expect(out.body).toBe('- b');
  });

  it('refuses heading and block_id together, and unknown blocks', async () => {
    expect((await failure('note_read', { path: 'Ideas.md', heading: 'a', block_id: 'b' })).code).toBe(
      'invalid_input',
    );
    expect((await failure('note_read', { path: 'Ideas.md', block_id: '^nope' })).code).toBe('not_found');
  });
});

describe('lists', () => {
  it.each([
    ['note_list', {}, 'notes'],
    ['tag_list', {}, 'tags'],
    ['link_forward', { path: 'Projects/Lectern.md' }, 'links'],
    ['note_outline', { path: 'Projects/Lectern.md' }, 'headings'],
  ])('%s pages with limit and cursor and states total and way on', async (name, args, rows) => {
    const first = await run(name, { ...args, limit: 1 });
    expect(first.out[rows]).toHaveLength(1);
    expect(first.out.total).toBeGreaterThan(1);
    expect(first.summary).toContain(`cursor ${first.out.next_cursor}`);
    const all: unknown[] = [];
    let cursor: unknown;
    do {
      const { out } = await run(name, { ...args, limit: 1, ...(cursor !== undefined && { cursor }) });
      all.push(...(out[rows] as unknown[]));
      cursor = out.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(all).toHaveLength(first.out.total as number);
  });

  it('pass filters on, tags without #', async () => {
    const { session } = await run('note_list', {
      path_glob: 'Projects/**',
      tag: '#mcp',
      frontmatter: { status: 'open' },
    });
    expect(session.lastFilter).toEqual({
      kinds: ['note'],
      pathGlob: 'Projects/**',
      tags: ['mcp'],
      frontmatter: { status: 'open' },
    });
    const search = await run('vault_search', { q: 'runbook', tag: ['#a', 'b'] });
    expect(search.session.lastFilter).toEqual({ tags: ['a', 'b'] });
  });

  it('say when the index is still being built', async () => {
    const session = new MemorySession(FILES);
    session.stale = 'index: building 1/3';
    for (const [name, args] of [
      ['note_list', {}],
      ['vault_search', { q: 'runbook' }],
      ['link_orphans', {}],
      ['tag_notes', { tag: 'idea' }],
    ] as const) {
      const { out, summary } = await run(name, args, FILES, session);
      expect(out.notice).toBe('index: building 1/3');
      expect(summary).toMatch(/^index: building 1\/3\. /);
    }
  });
});

describe('links, tags and existence', () => {
  it('link_backlinks shows the linking line', async () => {
    const { out, text } = await run('link_backlinks', { path: 'Ideas.md' });
    expect(out).toMatchObject({
      total: 1,
      links: [
        { source: 'Projects/Lectern.md', line: 7, context: 'See [[Ideas]] and [[Nowhere]].', embed: false },
      ],
    });
    expect(text).toBe('Projects/Lectern.md:7 See [[Ideas]] and [[Nowhere]].');
  });

  it('link_unresolved, link_orphans and tag_notes answer rows and totals', async () => {
    expect((await run('link_unresolved', {})).out).toMatchObject({
      total: 1,
      unresolved: [{ target: 'Nowhere', count: 1, sources: [{ path: 'Projects/Lectern.md', line: 7 }] }],
    });
    expect((await run('link_orphans', {})).out).toMatchObject({ total: 1, notes: [{ path: 'Alone.md' }] });
    expect((await run('tag_notes', { tag: '#idea' })).out).toMatchObject({ tag: 'idea', total: 1 });
  });

  it('note_exists is never an error', async () => {
    expect((await run('note_exists', { path: 'Ideas.md' })).out).toEqual({
      exists: true,
      path: 'Ideas.md',
      kind: 'note',
    });
    expect((await run('note_exists', { path: 'No.md' })).out).toEqual({ exists: false, path: 'No.md' });
  });

  it('vault_status reports what cannot be served', async () => {
    const { out, text } = await run('vault_status', {});
    expect(out).toMatchObject({ index: 'ready', notes: 3, problems_total: 1 });
    expect(text).toContain('Locked.md: unreadable');
  });

  it('vault_search answers in the shape of its model', async () => {
    const { out, summary } = await run('vault_search', { q: 'runbook' });
    expect(out).toMatchObject({ total: 2, next_cursor: null, mode_used: 'lexical' });
    expect((out.results as object[])[0]).toMatchObject({
      path: 'Projects/Lectern.md',
      score: 0.81,
      line: 11,
      matched_in: ['body'],
    });
    expect(summary).toBe(
      "Found 2 results for 'runbook' (lexical). Top hit: Projects/Lectern.md (score 0.81).",
    );
  });
});
