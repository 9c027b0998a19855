import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restClient } from '../../../test/support/rest-client.ts';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { OPERATIONS } from '../../operations/registry.ts';

let open: TestVault;
let rest: ReturnType<typeof restClient>;

beforeAll(async () => {
  open = await openTestVault({
    'A.md': '# A\n\nalpha, see [[B]] #one\n',
    'Deep/er/B.md': 'beta\n',
    'q?x#y 100%.md': 'odd\n',
    'Notes/outline': 'no note\n',
    'Deep/All notes.base': 'filters: file.inFolder("Deep")\n',
    ...Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`Many/n${n}.md`, `note ${n} many\n`])),
  });
  rest = restClient(open.session);
});

afterAll(async () => {
  await open.close();
  discard(open);
});

describe('reading', () => {
  it('answers in the envelope, with an ETag that is the note’s', async () => {
    const { status, body, headers } = await rest.send('GET', '/v1/notes/A.md');
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      data: expect.objectContaining({ path: 'A.md', body: '# A\n\nalpha, see [[B]] #one\n' }),
    });
    expect(headers.get('etag')).toBe(`"${(await open.session.open('A.md')).etag}"`);
  });

  it.each([
    ['/v1/notes/Deep/er/B.md', 'beta\n'],
    ['/v1/notes/Deep%2Fer%2FB.md', 'beta\n'],
    ['/v1/notes/q%3Fx%23y%20100%25.md', 'odd\n'],
  ])('takes paths of several segments: %s', async (path, text) => {
    expect((await rest.send('GET', path)).body.data.body).toBe(text);
  });

  it.each([
    ['/v1/notes/A.md/outline', { headings: [{ level: 1, text: 'A', line: 1 }] }],
    ['/v1/notes/A.md?include=outline,tags', { tags: ['one'], outline: [{ text: 'A' }] }],
    ['/v1/notes/A.md?include=tags&include=stats', { tags: ['one'], stats: { links: 1 } }],
    ['/v1/notes?limit=2&sort=-path', { total: 453, notes: [{}, {}] }],
    ['/v1/search?q=alpha', { results: [{ path: 'A.md' }] }],
    ['/v1/links/Deep/er/B.md/backlinks', { links: [{ source: 'A.md' }] }],
    ['/v1/links/A.md/forward', { links: [{ target: 'Deep/er/B.md' }] }],
    ['/v1/links/unresolved', { total: 0 }],
    ['/v1/links/orphans?limit=1', { total: 451 }],
    ['/v1/tags', { tags: [{ tag: 'one' }] }],
    ['/v1/tags/one/notes', { notes: [{ path: 'A.md' }] }],
    ['/v1/vault/status', { notes: 453 }],
    ['/v1/trash', { total: 0 }],
    ['/v1/history', {}],
  ])('GET %s', async (path, data) => {
    const { status, body } = await rest.send('GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, data });
  });

  it('answers 304 while nothing changed, and not when links to the note did', async () => {
    for (const path of ['/v1/notes/A.md', '/v1/tags', '/v1/notes/A.md?include=backlinks']) {
      const etag = (await rest.send('GET', path)).headers.get('etag') ?? '';
      const again = await rest.send('GET', path, { headers: { 'if-none-match': `"x", W/${etag}` } });
      expect([path, again.status, again.text]).toEqual([path, 304, '']);
      expect(again.headers.get('etag')).toBe(etag);
    }
    const path = '/v1/notes/Deep/er/B.md?include=backlinks';
    const before = (await rest.send('GET', path)).headers.get('etag') ?? '';
    await open.session.write('New.md', { body: 'see [[B]]' }, { tool: 'note_write', dryRun: false });
    const after = await rest.send('GET', path, { headers: { 'if-none-match': before } });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(before);
  });

  it('tells by HEAD whether a file exists', async () => {
    const found = await rest.send('HEAD', '/v1/notes/A.md');
    expect([found.status, found.text]).toEqual([200, '']);
    expect(found.headers.get('etag')).toBe(`"${(await open.session.open('A.md')).etag}"`);
    expect((await rest.send('HEAD', '/v1/notes/Nowhere.md')).status).toBe(404);
    expect((await rest.send('HEAD', '/v1/tags')).status).toBe(200);
  });

  it('says where the next page is', async () => {
    const paths: string[] = [];
    for (let path = '/v1/notes?limit=200'; ; ) {
      const { body, headers } = await rest.send('GET', path);
      paths.push(...(body.data.notes as { path: string }[]).map((note) => note.path));
      const next = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
      if (next === undefined) break;
      path = next;
    }
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.length).toBeGreaterThanOrEqual(453);
  });

  it('streams lists as NDJSON, whole or so many', async () => {
    const accept = { accept: 'application/x-ndjson' };
    const all = await rest.send('GET', '/v1/notes?path_glob=Many/**', { headers: accept });
    const rows = all.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { path: string });
    expect(new Set(rows.map(({ path }) => path)).size).toBe(450);
    expect(all.headers.get('x-total-count')).toBe('450');
    const some = await rest.send('GET', '/v1/search?q=many&limit=120', { headers: accept });
    expect(some.text.trimEnd().split('\n')).toHaveLength(120);
    const wrong = await rest.send('GET', '/v1/notes?sort=up', { headers: accept });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, 'invalid_input']);
    expect((await rest.send('GET', '/v1/notes/A.md', { headers: accept })).body.ok).toBe(true);
  });
});

describe('writing', () => {
  it('creates, replaces under If-Match, patches, moves and deletes', async () => {
    const created = await rest.send('PUT', '/v1/notes/W/one.md', { json: { body: '# One\n' } });
    expect([created.status, created.headers.get('location')]).toEqual([201, '/v1/notes/W/one.md']);
    const etag = created.headers.get('etag') ?? '';
    const replaced = await rest.send('PUT', '/v1/notes/W/one.md', {
      body: '# One\n\ntwo\n',
      headers: { 'content-type': 'text/markdown; charset=utf-8', 'if-match': etag },
    });
    expect(replaced.status).toBe(200);
    expect(open.file('W/one.md')).toBe('# One\n\ntwo\n');
    const stale = await rest.send('PUT', '/v1/notes/W/one.md', {
      json: { body: 'x' },
      headers: { 'if-match': etag },
    });
    expect([stale.status, stale.body.error.code]).toEqual([412, 'conflict']);
    expect(JSON.stringify(stale.body)).not.toContain(replaced.body.data.etag);
    const patched = await rest.send('PATCH', '/v1/notes/W/one.md', {
      json: [{ op: 'append_body', markdown: 'three' }],
      headers: { 'if-match': `"0000000000000000", ${replaced.headers.get('etag')}` },
    });
    expect(patched.body.data).toMatchObject({ changed: true });
    const moved = await rest.send('POST', '/v1/notes/W/one.md/move', { json: { to: 'W/two.md' } });
    expect(moved.body.data).toMatchObject({ from: 'W/one.md', to: 'W/two.md' });
    const deleted = await rest.send('DELETE', '/v1/notes/W/two.md?dry_run=false');
    expect(deleted.body.data).toMatchObject({ dry_run: false });
    expect(open.file('W/two.md')).toBeUndefined();
    const undone = await rest.send('POST', '/v1/undo', { json: { write_id: deleted.body.data.write_id } });
    expect(undone.status).toBe(200);
    expect(open.file('W/two.md')).toContain('three');
  });

  it('holds to If-None-Match: * and If-Match: *', async () => {
    const headers = { 'if-none-match': '*' };
    expect((await rest.send('PUT', '/v1/notes/New2.md', { json: { body: 'x' }, headers })).status).toBe(201);
    const again = await rest.send('PUT', '/v1/notes/New2.md', { json: { body: 'y' }, headers });
    expect([again.status, again.body.error.code]).toEqual([412, 'exists']);
    const absent = await rest.send('PUT', '/v1/notes/New3.md', {
      json: { body: 'x' },
      headers: { 'if-match': '*' },
    });
    expect(absent.status).toBe(412);
    expect(open.file('New3.md')).toBeUndefined();
    const there = await rest.send('PUT', '/v1/notes/New2.md', {
      json: { body: 'z' },
      headers: { 'if-match': '*' },
    });
    expect(there.status).toBe(200);
  });

  it('answers a base by its path as by its name in the body', async () => {
    const query = { columns: ['file.path'], limit: 1 };
    const byPath = await rest.send('GET', '/v1/bases/Deep/All%20notes.base/query?columns=file.path&limit=1');
    const inBody = await rest.send('POST', '/v1/bases/query', {
      json: { path: 'Deep/All notes.base', ...query },
    });
    expect(byPath.body).toEqual(inBody.body);
    expect(byPath.body.data).toMatchObject({ total: 2, rows: [{ path: 'Deep/All notes.base' }] });
    expect((await rest.send('GET', '/v1/bases/Deep/All%20notes.base/check')).status).toBe(200);
    expect((await rest.send('GET', '/v1/bases/None.base/query')).status).toBe(404);
  });

  it('takes a canvas as it is, and answers where it can be read', async () => {
    const canvas = { nodes: [{ id: 'a', type: 'file', file: 'A.md' }], edges: [] };
    const made = await rest.send('PUT', '/v1/canvas/Maps/M%201.canvas', {
      json: canvas,
      headers: { 'if-none-match': '*' },
    });
    expect([made.status, made.headers.get('location')]).toEqual([201, '/v1/canvas/Maps/M%201.canvas']);
    const read = await rest.send('GET', '/v1/canvas/Maps/M%201.canvas');
    expect(read.body.data.nodes).toMatchObject([{ id: 'a', title: 'A' }]);
    const etag = read.headers.get('etag') ?? '';
    const unchanged = { headers: { 'if-none-match': etag } };
    expect((await rest.send('GET', '/v1/canvas/Maps/M%201.canvas', unchanged)).status).toBe(304);
    // A write accepts the entity tag of the version that was read, refuses that of another version, and
    // accepts `*`.
    const ops = [{ op: 'update_node', id: 'a', color: '1' }];
    const patch = (ifMatch: string, color: string) =>
      rest.send('PATCH', '/v1/canvas/Maps/M%201.canvas', {
        json: [{ ...ops[0], color }],
        headers: { 'if-match': ifMatch },
      });
    expect((await patch(etag, '1')).status).toBe(200);
    expect((await patch(etag, '2')).status).toBe(412);
    expect((await patch('*', '3')).status).toBe(200);
    expect((await rest.send('GET', '/v1/canvas/Maps/M%201.canvas', unchanged)).status).toBe(200);
    const absent = await rest.send('PUT', '/v1/canvas/No.canvas', {
      json: canvas,
      headers: { 'if-match': '*' },
    });
    expect(absent.status).toBe(412);
  });

  it('holds to both at once: nothing is in a version named and new', async () => {
    const etag = (await rest.send('GET', '/v1/notes/A.md')).headers.get('etag') ?? '';
    const before = open.file('A.md');
    for (const [path, ifMatch] of [
      ['A.md', etag],
      ['A.md', '"0000000000000000"'],
      ['A.md', '*'],
      ['Both.md', etag],
      ['Both.md', '*'],
    ] as const) {
      const headers = { 'if-match': ifMatch, 'if-none-match': '*' };
      const { status, body } = await rest.send('PUT', `/v1/notes/${path}`, { json: { body: 'x' }, headers });
      expect([path, ifMatch, status, body.error.code]).toEqual([path, ifMatch, 412, 'conflict']);
    }
    expect([open.file('A.md'), open.file('Both.md')]).toEqual([before, undefined]);
    const headers = { 'if-match': etag, 'if-none-match': '*' };
    const patched = await rest.send('PATCH', '/v1/notes/A.md', { json: [], headers });
    expect(patched.status).toBe(400);
  });

  it('reads a version only while it is the one there is', async () => {
    const etag = (await rest.send('GET', '/v1/notes/A.md')).headers.get('etag') ?? '';
    const read = async (headers: Record<string, string>) =>
      (await rest.send('GET', '/v1/notes/A.md', { headers })).status;
    expect(await read({ 'if-match': etag })).toBe(200);
    expect(await read({ 'if-match': etag, 'if-none-match': etag })).toBe(304);
    expect(await read({ 'if-match': '"0"', 'if-none-match': etag })).toBe(412);
  });

  it('answers a repeated Idempotency-Key as the first time', async () => {
    const headers = { 'idempotency-key': '6f1c' };
    const send = (markdown: string) =>
      rest.send('PATCH', '/v1/notes/A.md', { json: { ops: [{ op: 'append_body', markdown }] }, headers });
    const first = await send('once');
    const second = await send('once');
    expect(second.body).toEqual(first.body);
    expect(open.file('A.md')?.match(/once/g)).toHaveLength(1);
    expect((await send('twice')).body.error.code).toBe('invalid_input');
  });

  it('refuses a precondition that an operation cannot hold to', async () => {
    const headers = { 'if-match': '"0123456789abcdef"' };
    const { status, body } = await rest.send('POST', '/v1/tags/rename', {
      json: { from: 'one', to: 'two' },
      headers,
    });
    expect([status, body.error.code]).toEqual([400, 'invalid_input']);
    expect(open.file('A.md')).toContain('#one');
  });
});

describe('errors', () => {
  it('has the shape of a problem, with code and next step', async () => {
    const { status, body } = await rest.send('GET', '/v1/notes/Nowhere.md');
    expect(status).toBe(404);
    expect(body).toEqual({
      ok: false,
      error: {
        type: 'urn:lectern:error:not_found',
        title: 'not found',
        status: 404,
        detail: expect.any(String),
        code: 'not_found',
        details: expect.any(Object),
        next: expect.any(String),
      },
    });
  });

  it.each([
    ['GET', '/v1/nothing', {}, 404, 'not_found'],
    ['PUT', '/v1/tags', {}, 405, 'invalid_input'],
    ['GET', '/v1/notes?limit=0', {}, 400, 'invalid_input'],
    ['GET', '/v1/notes?folder=x', {}, 400, 'invalid_input'],
    ['GET', '/v1/notes/%2e%2e%2fetc', {}, 400, 'invalid_path'],
    ['GET', '/v1/notes/%ff.md', {}, 400, 'invalid_path'],
    ['GET', '/v1/notes?cursor=zzz', {}, 400, 'invalid_input'],
    [
      'PUT',
      '/v1/notes/X.md',
      { body: '{', headers: { 'content-type': 'application/json' } },
      400,
      'invalid_input',
    ],
    [
      'PUT',
      '/v1/notes/X.md',
      { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      400,
      'invalid_input',
    ],
    ['PUT', '/v1/notes/X.md', { json: { path: 'Y.md', body: 'x' } }, 400, 'invalid_input'],
    ['PUT', '/v1/notes/X.md', { json: { body: 'x'.repeat(1024 * 1024) } }, 413, 'too_large'],
    ['PUT', '/v1/notes/.git/x.md', { json: { body: 'x' } }, 400, 'invalid_path'],
    [
      'PATCH',
      '/v1/notes/Nowhere.md',
      { json: { ops: [{ op: 'append_body', markdown: 'x' }] } },
      404,
      'not_found',
    ],
  ] as const)('%s %s is %#', async (method, path, init, status, code) => {
    const answer = await rest.send(method, path, init);
    expect([answer.status, answer.body.error.code, answer.body.error.status]).toEqual([status, code, status]);
  });

  it('answers 403 for what the caller is not offered', async () => {
    const operations = OPERATIONS.filter(({ scope }) => scope === 'vault:read');
    const reader = restClient(open.session, { operations });
    const { status, body } = await reader.send('PUT', '/v1/notes/Z.md', { json: { body: 'x' } });
    expect([status, body.error.code]).toEqual([403, 'forbidden']);
    expect(open.file('Z.md')).toBeUndefined();
  });
});

describe('OpenAPI', () => {
  it('describes every route in a document that an independent validator accepts', async () => {
    const { text } = await rest.send('GET', '/v1/openapi.json');
    const document = JSON.parse(text) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((each) => each.operationId),
    );
    expect(new Set(ids)).toEqual(
      new Set([
        'events',
        'file',
        'file_head',
        ...OPERATIONS.map(({ name }) => name),
        'base_query_by_path',
        'base_check_by_path',
      ]),
    );
  });
});
