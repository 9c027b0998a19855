import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpWire } from '../../test/support/mcp-wire.ts';
import { ERAS } from '../../test/support/protocol.ts';
import { ACTOR, discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { indxCatalogue } from '../catalogues/indx/catalogue.ts';
import { WHOLE_FILE } from './resource-read.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 1]);
const LONG = `${'ä'.repeat(600_000)}\n`;

let open: TestVault;
let hidden: TestVault['session'];

beforeAll(async () => {
  open = await openTestVault({
    'a/b.md': '---\ntags: [one]\n---\nok, see [[100%]] and [[Lost]]\r\n',
    '100%.md': 'percent #one/two\n',
    'q?x#y.md': 'odd name\n',
    'Plan.canvas': '{"nodes":[],"edges":[]}',
    'Map.canvas':
      '{"nodes":[{"id":"f","type":"file","file":"Secret/s.md","x":0,"y":0,"width":9,"height":9},{"id":"g","type":"file","file":"a/b.md","x":20,"y":0,"width":9,"height":9}]}',
    'img/pic.png': PNG,
    'Long.md': LONG,
    'graph/backlinks/x.md': 'reserved\n',
    'base/Tagged.base':
      'filters: file.hasTag("one")\nviews: [{type: table, name: Rows}, {type: list, name: Best, limit: 1}]\n',
    'Secret/s.md': 'secret [[100%]]\n',
  });
  hidden = open.vault.session(ACTOR, [
    {
      readOnly: false,
      read: { allow: [], deny: ['Secret'] },
      write: { allow: [], deny: [] },
    },
  ]);
});

afterAll(async () => {
  await open.close();
  discard(open);
});

interface Content {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
  readonly _meta?: Record<string, unknown>;
}

async function read(wire: McpWire, uri: string): Promise<Content> {
  const { result, error } = await wire.request('resources/read', { uri });
  if (error !== undefined) throw new Error(`${error.code} ${error.message}`);
  return (result.contents as [Content])[0];
}

/** "Resource not found" by revision. */
const MISSING = { '2025-11-25': -32002, '2026-07-28': -32602 } as const;

const json = async (wire: McpWire, uri: string) => JSON.parse((await read(wire, uri)).text ?? '');

describe.each(ERAS)('resources in %s', (era) => {
  let wire: McpWire;

  beforeAll(async () => {
    wire = await McpWire.connect(hidden, era);
  });

  afterAll(() => wire.close());

  it('reads a note byte for byte, decoding each segment once', async () => {
    const text = '---\ntags: [one]\n---\nok, see [[100%]] and [[Lost]]\r\n';
    const content = await read(wire, 'vault://a/b.md');
    expect(content).toMatchObject({ uri: 'vault://a/b.md', mimeType: 'text/markdown', text });
    expect(content._meta?.etag).toBe((await hidden.open('a/b.md')).etag);
    expect((await read(wire, 'vault://a%2Fb.md')).text).toBe(text);
    expect((await read(wire, 'vault://100%25.md')).text).toBe('percent #one/two\n');
    expect((await read(wire, 'vault://q%3Fx%23y.md')).text).toBe('odd name\n');
    expect((await read(wire, 'vault://%67raph/backlinks/x.md')).text).toBe('reserved\n');
  });

  it.each([
    'vault://..%2F..%2Fetc%2Fpasswd',
    'vault://../x.md',
    'vault://.obsidian/app.json',
    'vault://%2e%2e/x',
  ])('refuses %s', async (uri) => {
    const { error } = await wire.request('resources/read', { uri });
    expect(error).toMatchObject({ code: -32602, data: { code: 'invalid_path' } });
  });

  it('answers alike for what is absent and what is hidden', async () => {
    const absent = (await wire.request('resources/read', { uri: 'vault://Secret/t.md' })).error;
    const secret = (await wire.request('resources/read', { uri: 'vault://Secret/s.md' })).error;
    expect(absent).toMatchObject({ code: MISSING[era], data: { uri: 'vault://Secret/t.md' } });
    expect(JSON.stringify(secret).replaceAll('s.md', 't.md')).toBe(JSON.stringify(absent));
  });

  it('has the code of its revision for what is not there, and one for parameters that do not fit', async () => {
    const codes = async (method: string, params: Record<string, unknown>) =>
      (await wire.request(method, params)).error?.code;
    expect(await codes('resources/read', { uri: 'vault://Nowhere.md' })).toBe(MISSING[era]);
    expect(await codes('resources/read', { uri: 'deck://1' })).toBe(MISSING[era]);
    for (const [method, params] of [
      ['resources/read', {}],
      ['resources/read', { uri: 5 }],
      ['resources/list', { cursor: 5 }],
      ['tools/call', {}],
      ['prompts/get', { name: [] }],
      ['completion/complete', {}],
    ] as const)
      expect([method, await codes(method, params)]).toEqual([method, -32602]);
    if (era === '2025-11-25')
      for (const [method, params] of [
        ['logging/setLevel', { level: 'loud' }],
        ['resources/subscribe', {}],
        ['initialize', { capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
      ] as const)
        expect([method, await codes(method, params)]).toEqual([method, -32602]);
  });

  it('sends attachments as bytes and canvases as text', async () => {
    const image = await read(wire, 'vault://img/pic.png');
    expect(image).toMatchObject({ mimeType: 'image/png', blob: PNG.toString('base64') });
    expect(image.text).toBeUndefined();
    expect(await read(wire, 'vault://Plan.canvas')).toMatchObject({ mimeType: 'application/json' });
  });

  it('reads long files in ranges that join without a gap', async () => {
    const { error } = await wire.request('resources/read', { uri: 'vault://Long.md' });
    expect(error).toMatchObject({ data: { code: 'too_large', details: { limit: WHOLE_FILE } } });
    let uri = String(error?.data.details.ranges).replace(/\d+$/, '250001');
    let text = '';
    for (;;) {
      const part = await read(wire, uri);
      text += part.text;
      if (part._meta?.next === undefined) break;
      uri = String(part._meta.next);
    }
    expect(text).toBe(LONG);
    expect(await read(wire, 'vault://img/pic.png?offset=2&length=3')).toMatchObject({
      blob: PNG.subarray(2, 5).toString('base64'),
      _meta: { range: { unit: 'bytes', offset: 2, length: 3, total: 7 } },
    });
  });

  it('answers projections with the facts of their tools', async () => {
    expect(await json(wire, 'vault://search?q=percent&mode=lexical')).toMatchObject({
      results: [{ path: '100%.md' }],
      mode_used: 'lexical',
      total: 1,
    });
    expect(await json(wire, 'vault://graph/backlinks/100%25.md')).toMatchObject({
      links: [{ source: 'a/b.md' }],
      total: 1,
    });
    expect(await json(wire, 'vault://graph/forward/a/b.md?limit=1')).toMatchObject({
      links: [{ target: '100%.md' }],
      total: 2,
    });
    expect(await json(wire, 'vault://base/base/Tagged.base')).toMatchObject({ view: 'Rows', total: 2 });
    expect(await json(wire, 'vault://base/base/Tagged.base?view=best&columns=file.path')).toMatchObject({
      type: 'list',
      rows: [{ values: { 'file.path': '100%.md' } }],
      matching: 2,
    });
    expect(await json(wire, 'vault://tags')).toMatchObject({ tags: [{ tag: 'one', notes_nested: 2 }, {}] });
    expect(await json(wire, 'vault://canvas/Map.canvas')).toMatchObject({
      nodes: [
        { id: 'f', title: 's', missing: true },
        { id: 'g', title: 'b' },
      ],
      total: 2,
    });
    expect(await json(wire, 'vault://canvas/Map?file=b&limit=1')).toMatchObject({
      nodes: [{ id: 'g' }],
      total: 1,
    });
  });

  it('pages the graph without naming what is hidden', async () => {
    const nodes: { path: string; links: string[]; unresolved: number }[] = [];
    for (let uri: string | null = 'vault://graph?limit=2'; uri !== null; ) {
      const page: { nodes: typeof nodes; next: string | null } = await json(wire, uri);
      nodes.push(...page.nodes);
      uri = page.next;
    }
    expect(nodes.find(({ path }) => path === 'a/b.md')).toMatchObject({ links: ['100%.md'], unresolved: 1 });
    expect(nodes.map(({ path }) => path)).not.toContain('Secret/s.md');
    expect(nodes).toHaveLength(7);
  });

  it('lists everything that can be read, and each entry can be', async () => {
    const { result } = await wire.request('resources/list');
    const resources = result.resources as { uri: string; name: string; size?: number; mimeType: string }[];
    expect(resources.map(({ name }) => name)).toEqual([
      'tags',
      'graph',
      '100%.md',
      'Long.md',
      'Map.canvas',
      'Plan.canvas',
      'a/b.md',
      'base/Tagged.base',
      'graph/backlinks/x.md',
      'img/pic.png',
      'q?x#y.md',
    ]);
    for (const { uri, name, mimeType } of resources.filter((entry) => entry.name !== 'Long.md')) {
      const content = await read(wire, uri);
      expect([name, content.mimeType]).toEqual([name, mimeType]);
    }
  });

  it('completes paths, tags and modes', async () => {
    const complete = async (uri: string, name: string, value: string) => {
      const ref = { type: 'ref/resource', uri };
      const { result } = await wire.request('completion/complete', { ref, argument: { name, value } });
      return (result.completion as { values: string[] }).values;
    };
    expect(await complete('vault://{+path}', 'path', 'a/')).toEqual(['a/b.md']);
    expect(await complete('vault://{+path}', 'path', 'q%3F')).toEqual(['q%3Fx%23y.md']);
    expect(await complete('vault://{+path}', 'path', 'Secret')).toEqual([]);
    expect(await complete('vault://base/{+path}', 'path', 'a')).toEqual(['base/Tagged.base']);
    expect(await complete('vault://canvas/{+path}', 'path', 'a')).toEqual(['Map.canvas', 'Plan.canvas']);
    expect(await complete('vault://search{?q,mode}', 'mode', 'sem')).toEqual(['semantic']);
    expect(await complete('vault://tags{?prefix}', 'prefix', 'one/')).toEqual(['one/two']);
    expect(await complete('vault://search{?q,mode}', 'q', 'x')).toEqual([]);
  });

  it('offers templates', async () => {
    const { result } = await wire.request('resources/templates/list');
    const templates = (result.resourceTemplates as { uriTemplate: string }[]).map((each) => each.uriTemplate);
    expect(templates).toContain('vault://{+path}');
    expect(templates).toContain('vault://graph/backlinks/{+path}');
    expect(templates).toContain('vault://base/{+path}');
  });
});

it('offers no resource whose tool is switched off', async () => {
  const tools = indxCatalogue.tools.filter(({ name }) => !['note_read', 'vault_search'].includes(name));
  const wire = await McpWire.connect(open.session, '2025-11-25', { ...indxCatalogue, tools });
  for (const uri of ['vault://a/b.md', 'vault://search?q=ok']) {
    const { error } = await wire.request('resources/read', { uri });
    expect(error).toMatchObject({ data: { code: 'forbidden' } });
  }
  const { result } = await wire.request('resources/list');
  expect((result.resources as { name: string }[]).map(({ name }) => name)).toEqual(['tags', 'graph']);
  await wire.close();
});

it('pages long lists without loss', async () => {
  const files = Object.fromEntries(Array.from({ length: 230 }, (_, n) => [`n${n}.md`, `note ${n}\n`]));
  const many = await openTestVault(files);
  const wire = await McpWire.connect(many.session);
  const names: string[] = [];
  for (let cursor: unknown; ; ) {
    const { result } = await wire.request('resources/list', cursor === undefined ? {} : { cursor });
    names.push(...(result.resources as { name: string }[]).map(({ name }) => name));
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  expect(new Set(names.slice(2))).toEqual(new Set(Object.keys(files)));
  expect(names).toHaveLength(232);
  const { error } = await wire.request('resources/list', { cursor: 'nonsense' });
  expect(error).toMatchObject({ code: -32602 });
  writeFileSync(join(many.folder, 'later.md'), 'later\n');
  await wire.until((message) => message.method === 'notifications/resources/list_changed');
  await wire.close();
  await many.close();
  discard(many);
});
