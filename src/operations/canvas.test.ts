import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  discard,
  openTestVault,
  type TestVault,
  type TestVaultOptions,
} from '../../test/support/test-vault.ts';
import { isLecternError, type LecternError } from '../errors.ts';
import { anyCanvas, anyLayout, printed } from '../formats/canvas/edit/canvas.testing.ts';
import { OPEN_ACCESS } from '../vault/access.ts';
import type { VaultSession } from '../vault/session.ts';
import { parseInput } from './call/input.ts';
import { runOperation } from './call/run.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './registry.ts';

interface Case {
  readonly id: string;
  readonly input: { readonly files: Record<string, string> };
}

const CASES = new Map(
  readFileSync(fileURLToPath(new URL('../../test/fixtures/cases.jsonl', import.meta.url)), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Case)
    .map((one) => [one.id, one]),
);

let vault: TestVault | undefined;
afterEach(async () => {
  if (vault === undefined) return;
  await vault.close();
  discard(vault);
  vault = undefined;
});

async function open(files: Record<string, string>, options: TestVaultOptions = {}): Promise<TestVault> {
  vault = await openTestVault(files, options);
  return vault;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every operation.
type Out = any;

interface Answer {
  readonly out: Out;
  readonly text: string;
}

async function run(name: string, given: object, session?: VaultSession): Promise<Answer> {
  const operation: Operation | undefined = OPERATIONS.find((one) => one.name === name);
  const caller = session ?? vault?.session;
  if (operation === undefined || caller === undefined) throw new Error(`no ${name}, or no vault`);
  const input = parseInput(operation, given);
  const context = { signal: new AbortController().signal, progress: () => {} };
  const out = await runOperation(operation, caller, input, context);
  expect(operation.output.strict().parse(out)).toEqual(out);
  return { out, text: `${operation.summarise(out, input)}\n${operation.render(out, input)}` };
}

async function refusal(name: string, given: object, session?: VaultSession): Promise<LecternError> {
  try {
    await run(name, given, session);
  } catch (error) {
    if (isLecternError(error)) return error;
    throw error;
  }
  throw new Error(`${name} did not fail`);
}

const BOARD =
  '{\n\t"nodes":[\n\t\t{"id":"t","type":"text","text":"Ask [[Home]] #todo","x":0,"y":0,"width":200,"height":60},\n\t\t{"id":"f","type":"file","file":"Home.md","x":300,"y":0,"width":200,"height":60}\n\t],\n\t"edges":[\n\t\t{"id":"e","fromNode":"t","toNode":"f","label":"answers"}\n\t]\n}';
const FILES = { 'Home.md': '---\ntitle: My home\n---\n', 'Board.canvas': BOARD };
const ADD = { op: 'add_node', type: 'text', text: 'new', near: 't' };

describe('recorded cases', () => {
  it('can-01: keys of plugins and the layout survive, the id is new, the file node is a backlink', async () => {
    await open({ ...CASES.get('can-01')?.input.files, 'N.md': 'n\n' });
    const before = vault?.file('c.canvas') ?? '';
    const node = { type: 'file', file: 'N.md', x: 1, y: 1, width: 2, height: 2 };
    const { out } = await run('canvas_patch', { path: 'c.canvas', ops: [{ op: 'add_node', ...node }] });
    const { id } = out.results[0];
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(vault?.file('c.canvas')).toBe(
      before.replace(
        '{"k":1}}\n',
        `{"k":1}},\n\t\t{"id":"${id}","type":"file","file":"N.md","x":1,"y":1,"width":2,"height":2}\n`,
      ),
    );
    const links = await run('link_backlinks', { path: 'N.md' });
    expect(links.out.links.map(({ source }: { source: string }) => source)).toEqual(['c.canvas']);
  });

  it('can-02: an empty file is an empty canvas, a broken one is told by file and place and never overwritten', async () => {
    const files = CASES.get('can-02')?.input.files ?? {};
    await open(files);
    for (const path of ['c.canvas', 'd.canvas'])
      expect((await run('canvas_read', { path })).out).toMatchObject({ nodes: [], edges: [], total: 0 });
    const error = await refusal('canvas_read', { path: 'e.canvas' });
    expect(error).toMatchObject({
      code: 'invalid_input',
      details: { path: 'e.canvas', line: 1, column: 20 },
    });
    expect(error.message).toContain(
      'e.canvas: The canvas is not valid JSON: it ends too early (line 1, column 20)',
    );
    for (const [name, given] of [
      ['canvas_patch', { ops: [{ op: 'add_node', type: 'text', text: 'x' }] }],
      ['canvas_write', { canvas: { nodes: [] } }],
    ] as const) {
      expect((await refusal(name, { path: 'e.canvas', ...given })).code).toBe('invalid_input');
      expect(vault?.file('e.canvas')).toBe(files['e.canvas']);
    }
  });
});

describe('canvas_read', () => {
  it('tells the same in structure and text', async () => {
    await open(FILES);
    const { out, text } = await run('canvas_read', { path: 'board' });
    expect(out).toMatchObject({
      path: 'Board.canvas',
      total: 2,
      bounds: { x: 0, y: 0, width: 500, height: 60 },
      edges: [{ id: 'e', fromNode: 't', from_title: 'Ask [[Home]] #todo', toNode: 'f', to_title: 'My home' }],
    });
    expect(out.nodes[1]).toEqual({
      id: 'f',
      type: 'file',
      title: 'My home',
      x: 300,
      y: 0,
      width: 200,
      height: 60,
      file: 'Home.md',
      line: 4,
    });
    expect(text).toContain('f file 200x60 at 300,0 "My home" (Home.md; line 4)');
    expect(text).toContain('e edge t "Ask [[Home]] #todo" → f "My home" "answers" (line 7)');
  });

  it('says of a file that is not there that it is missing, and says the same of one that may not be seen', async () => {
    await open(FILES, { rules: { ...OPEN_ACCESS, read: { allow: [], deny: ['Home.md'] } } });
    const hidden = (await run('canvas_read', { path: 'Board.canvas' })).out;
    expect(hidden.nodes[1]).toMatchObject({ title: 'Home', missing: true });
    expect(hidden.edges[0].to_title).toBe('Home');
    expect(JSON.stringify(hidden)).not.toContain('My home');
  });

  it('suggests the canvas that is meant', async () => {
    await open(FILES);
    const error = await refusal('canvas_read', { path: 'Boerd.canvas' });
    expect([error.code, error.message, error.next]).toEqual([
      'not_found',
      'There is no canvas at Boerd.canvas.',
      'Did you mean Board.canvas? Call again with an exact path.',
    ]);
    expect((await refusal('canvas_read', { path: 'Home.md' })).message).toBe('Home.md is not a canvas.');
  });

  it('goes through a large canvas page by page, each node once', async () => {
    const nodes = Array.from({ length: 120 }, (_, at) => ({
      id: `n${at}`,
      type: 'text',
      text: 'x'.repeat(3000),
      x: 0,
      y: at * 100,
      width: 90,
      height: 90,
    }));
    await open({ 'Big.canvas': JSON.stringify({ nodes, edges: [] }) });
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { out } = await run('canvas_read', {
        path: 'Big.canvas',
        limit: 100,
        max_text: 3000,
        ...(cursor && { cursor }),
      });
      expect(Buffer.byteLength(JSON.stringify(out))).toBeLessThan(25_000);
      seen.push(...out.nodes.map(({ id }: { id: string }) => id));
      cursor = out.next_cursor;
    } while (cursor);
    expect(seen).toEqual(nodes.map(({ id }) => id));
  });
});

describe('writes of canvases', () => {
  it('are journaled, told in the history and taken back to the very bytes', async () => {
    await open(FILES);
    const { out: before } = await run('canvas_read', { path: 'Board.canvas' });
    const { out } = await run('canvas_patch', {
      path: 'Board.canvas',
      ops: [ADD, { op: 'remove_node', id: 'f' }],
    });
    expect(out).toMatchObject({ changed: true, results: [{ op: 0 }, { op: 1, removed_edges: 1 }] });
    const { out: history } = await run('note_history', { path: 'Board.canvas' });
    expect(history.writes[0]).toMatchObject({
      write_id: out.write_id,
      tool: 'canvas_patch',
      summary: 'add_node, remove_node in Board.canvas',
    });
    await run('note_undo', { write_id: out.write_id });
    expect(vault?.file('Board.canvas')).toBe(BOARD);
    expect((await run('canvas_read', { path: 'Board.canvas' })).out.etag).toBe(before.etag);
  });

  it('answer in a dry run as they do, and change nothing', async () => {
    await open(FILES);
    const given = { path: 'Board.canvas', ops: [ADD] };
    const { out: tried } = await run('canvas_patch', { ...given, dry_run: true });
    expect(vault?.file('Board.canvas')).toBe(BOARD);
    const { out: done } = await run('canvas_patch', given);
    const { write_id: _, ...rest } = done;
    expect({ ...tried, dry_run: false }).toEqual(rest);
  });

  it('hold to the version they are based on', async () => {
    await open(FILES);
    const { etag } = (await run('canvas_read', { path: 'Board.canvas' })).out;
    await run('canvas_patch', { path: 'Board.canvas', ops: [ADD], if_match: etag });
    const now = vault?.file('Board.canvas');
    for (const [name, given] of [
      ['canvas_patch', { ops: [ADD] }],
      ['canvas_write', { canvas: {} }],
    ] as const)
      expect((await refusal(name, { path: 'Board.canvas', if_match: etag, ...given })).code).toBe('conflict');
    expect(
      (await refusal('canvas_write', { path: 'Board.canvas', canvas: {}, if_not_exists: true })).code,
    ).toBe('exists');
    expect(vault?.file('Board.canvas')).toBe(now);
  });

  it('of several at once are all kept', async () => {
    await open(FILES);
    const texts = Array.from({ length: 12 }, (_, at) => `card ${at}`);
    await Promise.all(
      texts.map((text) => run('canvas_patch', { path: 'Board.canvas', ops: [{ ...ADD, text }] })),
    );
    const { nodes } = JSON.parse(vault?.file('Board.canvas') ?? '') as {
      nodes: { id: string; text?: string }[];
    };
    expect(nodes.flatMap(({ text }) => (text?.startsWith('card') ? [text] : [])).sort()).toEqual(
      texts.sort(),
    );
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(14);
  });

  it('with a key are done once', async () => {
    await open(FILES);
    const given = { path: 'Board.canvas', ops: [ADD], idempotency_key: 'k' };
    const first = await run('canvas_patch', given);
    const again = await run('canvas_patch', given);
    expect(again.out).toEqual(first.out);
    expect(JSON.parse(vault?.file('Board.canvas') ?? '').nodes).toHaveLength(3);
  });

  it('obey the rules of the owner', async () => {
    await open(
      { ...FILES, 'Kept/Plan.canvas': '{}', 'Secret/Plan.canvas': '{}' },
      {
        rules: {
          readOnly: false,
          read: { allow: [], deny: ['Secret'] },
          write: { allow: [], deny: ['Kept'] },
        },
      },
    );
    const ops = [{ op: 'add_node', type: 'text', text: 'x' }];
    expect((await refusal('canvas_patch', { path: 'Kept/Plan.canvas', ops })).code).toBe('forbidden');
    expect((await refusal('canvas_write', { path: 'Kept/New.canvas', canvas: {} })).code).toBe('forbidden');
    expect((await refusal('canvas_patch', { path: 'Secret/Plan.canvas', ops })).code).toBe('not_found');
    expect((await refusal('canvas_write', { path: 'Secret/Plan.canvas', canvas: {} })).code).toBe(
      'not_found',
    );
    const other = await open(FILES, { rules: { ...OPEN_ACCESS, readOnly: true } });
    expect((await refusal('canvas_patch', { path: 'Board.canvas', ops: [ADD] }, other.session)).code).toBe(
      'read_only',
    );
  });

  it('tell of a file that is not there, whether it may be seen or not', async () => {
    await open(
      { ...FILES, 'Secret/S.md': 's' },
      { rules: { ...OPEN_ACCESS, read: { allow: [], deny: ['Secret'] } } },
    );
    const noticeFor = async (file: string) => {
      const ops = [{ op: 'add_node', type: 'file', file }];
      return (await run('canvas_patch', { path: 'Board.canvas', ops, dry_run: true })).out.notice;
    };
    expect(await noticeFor('Home.md')).toBeUndefined();
    expect(await noticeFor('Nowhere.md')).toBe('there is no file at Nowhere.md');
    expect(await noticeFor('Secret/S.md')).toBe('there is no file at Secret/S.md');
  });

  it('make a canvas in Obsidian’s style, with ids, places and sizes that were left out', async () => {
    await open({});
    const canvas = {
      nodes: [
        { type: 'text', text: 'One' },
        { id: 'b', type: 'text', text: 'Two', x: 500, y: 0, width: 100, height: 50 },
        { type: 'group', label: 'G' },
      ],
      edges: [{ fromNode: 'b', toNode: 'b' }],
    };
    const { out } = await run('canvas_write', { path: 'Deep/New.canvas', canvas });
    expect(out).toMatchObject({ created: true, path: 'Deep/New.canvas' });
    const text = vault?.file('Deep/New.canvas') ?? '';
    expect(text.replaceAll(/[0-9a-f]{16}/g, '#')).toBe(
      '{\n\t"nodes":[\n\t\t{"id":"#","type":"text","text":"One","x":500,"y":100,"width":260,"height":60},\n\t\t{"id":"b","type":"text","text":"Two","x":500,"y":0,"width":100,"height":50},\n\t\t{"id":"#","type":"group","x":500,"y":200,"width":400,"height":400,"label":"G"}\n\t],\n\t"edges":[\n\t\t{"id":"#","fromNode":"b","toNode":"b"}\n\t]\n}',
    );
    expect((await run('canvas_write', { path: 'Empty.canvas', canvas: {} })).out.created).toBe(true);
    expect(vault?.file('Empty.canvas')).toBe('{\n\t"nodes":[],\n\t"edges":[]\n}');
  });

  it('replace what is different and nothing else', async () => {
    const there = BOARD.replace('"height":60},', '"height":60,"styleAttributes":{"a": 1}},').replace(
      /\}$/,
      ',\n\t"metadata":{"v":1.0}\n}',
    );
    await open({ ...FILES, 'Board.canvas': there });
    const canvas = JSON.parse(BOARD) as { nodes: Record<string, unknown>[] };
    canvas.nodes[1] = { ...canvas.nodes[1], x: 320, color: '2' };
    await run('canvas_write', { path: 'Board.canvas', canvas });
    expect(vault?.file('Board.canvas')).toBe(
      there.replace(
        '"x":300,"y":0,"width":200,"height":60}',
        '"x":320,"y":0,"width":200,"height":60,"color":"2"}',
      ),
    );
  });

  it('refuse what is no good canvas, each mistake by its place', async () => {
    await open(FILES);
    const node = { id: 'a', type: 'text', text: 'x', x: 0, y: 0, width: 1, height: 1 };
    for (const [canvas, message] of [
      [{ nodes: [node, node] }, 'nodes[1]: the id "a" is there twice'],
      [{ nodes: [{ ...node, x: 1e300 }] }, 'nodes[0]: x is out of range: 1e+300'],
      [
        { nodes: [node], edges: [{ id: 'a', fromNode: 'a', toNode: 'b' }] },
        'edges[0]: toNode names no node: "b"',
      ],
      [{ nodes: [node], edges: [{ id: 'a', fromNode: 'a', toNode: 'b' }] }, 'the id "a" is there twice'],
      [{ nodes: [{ ...node, title: 'T', groups: [] }] }, 'title, groups is what canvas_read adds'],
      [{ nodes: [{ ...node, text: '\ud83d' }] }, 'half of a surrogate pair'],
    ] as const) {
      const error = await refusal('canvas_write', { path: 'Board.canvas', canvas });
      expect([error.code, error.message]).toEqual(['invalid_input', expect.stringContaining(message)]);
    }
    expect(vault?.file('Board.canvas')).toBe(BOARD);
    expect((await refusal('canvas_write', { path: 'Note.md', canvas: {} })).code).toBe('invalid_path');
    expect((await refusal('note_write', { path: 'Board.canvas', body: 'x' })).next).toContain('canvas_write');
  });

  it('are taken back to the first bytes, whatever was patched', async () => {
    const { session } = await open({ 'C.canvas': '' });
    const card = fc.record({ op: fc.constant('add_node'), type: fc.constant('text'), text: fc.string() });
    const other = fc.constantFrom(
      { op: 'remove_node', id: 'n0' },
      { op: 'update_node', id: 'n1', color: '3' },
      { op: 'add_group_around', ids: ['n0', 'n1'] },
      { op: 'move_node', id: 'n1', near: 'n0' },
    );
    await fc.assert(
      fc.asyncProperty(
        anyCanvas,
        anyLayout,
        fc.array(fc.oneof(card, other), { minLength: 1, maxLength: 4 }),
        async (canvas, layout, ops) => {
          await session.remove('C.canvas', { tool: 'test' }).catch(() => {});
          const text = printed(canvas, layout);
          await writeDirectly('C.canvas', text);
          const first = (await run('canvas_read', { path: 'C.canvas' })).out.etag;
          const writes: number[] = [];
          for (const op of ops) {
            const done = await run('canvas_patch', { path: 'C.canvas', ops: [op] }).catch(() => undefined);
            if (done?.out.write_id !== undefined) writes.push(done.out.write_id);
          }
          for (const write of writes.reverse()) await run('note_undo', { write_id: write });
          expect(vault?.file('C.canvas')).toBe(text);
          expect((await run('canvas_read', { path: 'C.canvas' })).out.etag).toBe(first);
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});

async function writeDirectly(path: string, text: string): Promise<void> {
  const { writeFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  writeFileSync(join(vault?.folder ?? '', path), text);
}

describe('beside notes', () => {
  it('a hit names the node or the edge, with its line in the file', async () => {
    await open(FILES);
    const hits = async (q: string) =>
      (await run('vault_search', { q, mode: 'lexical' })).out.results.filter(
        ({ path }: { path: string }) => path === 'Board.canvas',
      );
    expect(await hits('ask')).toMatchObject([{ node: 't', line: 3, headings: [] }]);
    expect(await hits('answers')).toMatchObject([{ edge: 'e', line: 7 }]);
    expect((await run('vault_search', { q: 'ask', mode: 'lexical' })).text).toContain(
      'Board.canvas:3 [node t]',
    );
    await run('canvas_patch', { path: 'Board.canvas', ops: [{ ...ADD, text: 'walrus' }] });
    expect(await hits('walrus')).toMatchObject([{ node: expect.stringMatching(/^[0-9a-f]{16}$/), line: 5 }]);
  });

  it('cards and links in cards are backlinks, and follow a move', async () => {
    await open(FILES);
    const { out } = await run('link_backlinks', { path: 'Home.md' });
    expect(out.links.map(({ source, embed }: Out) => [source, embed])).toEqual([
      ['Board.canvas', false],
      ['Board.canvas', true],
    ]);
    await run('note_move', { from: 'Home.md', to: 'Rooms/Hall.md' });
    expect(vault?.file('Board.canvas')).toBe(
      BOARD.replace('[[Home]]', '[[Hall]]').replace('"Home.md"', '"Rooms/Hall.md"'),
    );
    const { nodes } = (await run('canvas_read', { path: 'Board.canvas' })).out;
    expect(nodes.map(({ title }: Out) => title)).toEqual(['Ask [[Hall]] #todo', 'My home']);
  });

  it('tags in cards count where Obsidian counts them, which is nowhere; their words are found', async () => {
    await open({ ...FILES, 'Note.md': '#todo\n' });
    expect((await run('tag_list', {})).out.tags).toMatchObject([{ tag: 'todo', notes: 1 }]);
    expect((await run('tag_notes', { tag: 'todo' })).out.notes.map(({ path }: Out) => path)).toEqual([
      'Note.md',
    ]);
    const found = (await run('vault_search', { q: 'todo', mode: 'lexical' })).out.results;
    expect(found.map(({ path }: Out) => path).sort()).toEqual(['Board.canvas', 'Note.md']);
    await run('tag_rename', { from: 'todo', to: 'done' });
    expect(vault?.file('Board.canvas')).toBe(BOARD);
  });

  it('a canvas of a name that another has takes over no link', async () => {
    await open({ 'a/Map.canvas': '{}', 'N.md': '[[Map.canvas]]\n' });
    await run('canvas_write', { path: 'Map.canvas', canvas: {} });
    expect(vault?.file('N.md')).toBe('[[a/Map.canvas]]\n');
  });
});
