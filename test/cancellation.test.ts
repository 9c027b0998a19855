import { readdir } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { EXTRACTIVE } from '../src/ai/extractive.ts';
import { isLecternError } from '../src/errors.ts';
import { parseInput } from '../src/operations/call/input.ts';
import { inputSchema } from '../src/operations/call/json-schema.ts';
import { runOperation } from '../src/operations/call/run.ts';
import type { Operation } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import type { VaultSession } from '../src/vault/session.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/**
 * Every operation is cancelled at every step it takes: before its first look at store or index, before its second, and
 * so on to its end. It has to stop with the reason it was given, touch neither store nor index any more, and have
 * changed nothing; or to have been past the point of no return, and then to be done as a whole.
 */

const FILES = {
  'Harbour.md':
    '---\ntags: [ships]\nstatus: open\n---\n# Harbour\n\nThe crane waits, see [[Tides]] and [[Lost]].\n\n## Plan\n\nLift. ^lift\n',
  'Tides.md': '# Tides\n\nSlack water, see [[Harbour#Plan]]. #ships\n',
  'Log/Monday.md': 'Seen from [[Harbour]] and [[Log/Monday]].\n',
  'Log/Tuesday.md': 'Seen from [[Harbour#Plan]]. #ships\n',
  'Board.canvas': '{"nodes":[{"id":"a","type":"file","file":"Harbour.md"}],"edges":[]}',
  'All.base': 'views:\n  - type: table\n    name: All\n',
};

type Input = Readonly<Record<string, unknown>>;

/** More than one way through an operation; one that is not named is called with what it cannot do without. */
const CASES: readonly (readonly [name: string, input: Input])[] = [
  ['vault_search', { q: 'crane', mode: 'lexical' }],
  ['vault_search', { q: 'crane water', mode: 'hybrid', limit: 50 }],
  ['vault_search', { q: '/cra.e/ -tide' }],
  ['vault_search', { q: 'section:(slack water)' }],
  [
    'note_read',
    { path: 'harbour', include: ['frontmatter', 'outline', 'links', 'backlinks', 'tags', 'stats'] },
  ],
  ['note_list', { tag: 'ships', sort: '-mtime' }],
  ['link_forward', { path: 'Harbour.md' }],
  ['tag_list', { prefix: 's' }],
  ['note_write', { path: 'New/Harbour.md', body: 'another of that name\n' }],
  ['note_write', { path: 'Tides.md', body: 'replaced\n', idempotency_key: 'k' }],
  ['note_patch', { path: 'Harbour.md', ops: [{ op: 'rename_heading', from: 'Plan', to: 'Scheme' }] }],
  ['note_patch', { path: 'Tides.md', ops: [{ op: 'append_body', markdown: 'more' }] }],
  ['note_move', { from: 'Harbour.md', to: 'Sea/Port.md' }],
  ['note_move', { from: 'Log', to: 'Journal' }],
  ['note_delete', { path: 'Tides.md' }],
  ['tag_rename', { from: 'ships', to: 'boats' }],
  ['note_undo', { write_id: 1 }],
  ['trash_restore', { trash_path: '.trash/Gone.md' }],
  ['base_query', { path: 'All.base' }],
  ['base_check', { path: 'All.base' }],
  ['property_values', { name: 'status' }],
  ['canvas_read', { path: 'Board.canvas' }],
  ['canvas_write', { path: 'New.canvas', canvas: { nodes: [{ type: 'file', file: 'Tides.md' }] } }],
  ['canvas_patch', { path: 'Board.canvas', ops: [{ op: 'add_node', type: 'text', text: 'new' }] }],
  ['ai_summarize', { scope: { query: 'crane' }, include: ['tasks', 'headings', 'tags'] }],
  ['ai_ask', { question: 'What does the crane wait for?' }],
  ['ai_toc', { mode: 'glob', path: '**', include_descriptions: true }],
  ['ai_toc', { mode: 'folder', path: 'Log', write: { path: 'Map.md' } }],
  ['ai_tag', { scope: { paths: ['Log/Monday.md'] } }],
  ['ai_tag', { scope: { paths: ['Log/Monday.md'] }, vocabulary: { min_confidence: 0 }, apply: true }],
  ['ai_metadata', { scope: { path_glob: 'Log/**' }, fields: [{ name: 'seen' }] }],
  ['ai_extract', { scope: { paths: ['Tides.md'] }, schema: { type: 'object' } }],
];

/** These need what a vault in this process has not: settings, or an index that may be built anew. */
const ELSEWHERE: ReadonlySet<string> = new Set(['vault_config_get', 'vault_config_set', 'vault_reindex']);

const tried = new Set(CASES.map(([name]) => name));
const OTHERS = OPERATIONS.filter(({ name }) => !tried.has(name) && !ELSEWHERE.has(name)).map(
  (operation) => [operation.name, inputFor(operation)] as const,
);

function inputFor({ input }: Operation): Input {
  const { required = [], properties } = inputSchema(input);
  return Object.fromEntries(
    required.map((key) => [
      key,
      /path/.test(key) ? 'Harbour.md' : properties[key]?.type === 'string' ? 'ships' : 1,
    ]),
  );
}

const DOOR = { progress: () => {}, assistants: () => EXTRACTIVE };

/** What the vault's next look at its store or index does, for the test that runs. */
let step: () => boolean = () => false;
let vault: TestVault | undefined;
let asMade: Record<string, string> = {};

async function close(): Promise<void> {
  const closing = vault;
  [vault, step] = [undefined, () => false];
  await closing?.close();
  if (closing) discard(closing);
}
afterAll(close);

async function* hanging(): AsyncGenerator<never> {
  await new Promise(() => {});
}

function isAsyncIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** A vault that calls `step` before every look, and takes for ever with one where it says so; used until it was changed. */
async function untouchedVault(): Promise<TestVault> {
  step = () => false;
  if (vault !== undefined && JSON.stringify(vault.files()) === JSON.stringify(asMade)) return vault;
  await close();
  const watched = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        if (key === 'close') return value.bind(target);
        return (...given: unknown[]): unknown => {
          const hangs = step();
          const result: unknown = value.apply(target, given);
          if (!hangs) return result;
          if (result instanceof Promise) return new Promise(() => {});
          return isAsyncIterable(result) ? hanging() : result;
        };
      },
    });
  vault = await openTestVault(FILES, { wrap: watched, wrapReader: watched });
  const { session } = vault;
  await session.write('Gone.md', { body: 'x\n' }, { tool: 'note_write', dryRun: false });
  await session.remove('Gone.md', { tool: 'note_delete', dryRun: false });
  // The first search of a vault opens more than later ones.
  await session.search({ query: 'crane', mode: 'lexical', filter: {}, limit: 1 });
  asMade = vault.files();
  return vault;
}

async function writesOf(session: VaultSession): Promise<number> {
  return (await session.history({ limit: 1 })).total;
}

describe.each([...CASES, ...OTHERS])('%s %j', (name, given) => {
  const operation = OPERATIONS.find((each) => each.name === name) as Operation;
  const input = parseInput(operation, given);

  it('does not begin when it is cancelled before', async () => {
    const { session, files } = await untouchedVault();
    let steps = 0;
    step = () => ++steps === 0;
    const signal = AbortSignal.abort(new Error('too late'));
    const call = runOperation(operation, session, input, { ...DOOR, signal });
    await expect(call).rejects.toThrow('too late');
    expect(steps).toBe(0);
    expect(files()).toEqual(asMade);
  });

  it('ends when its time is up', async () => {
    const { session, files } = await untouchedVault();
    let steps = 0;
    step = () => ++steps > 0;
    const { signal } = new AbortController();
    const error: unknown = await runOperation({ ...operation, limitMs: 30 }, session, input, {
      ...DOOR,
      signal,
    }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    // What looks at nothing but the journal is done at once.
    if (steps === 0) return expect(error).toBeUndefined();
    expect(error).toMatchObject({
      code: 'timeout',
      message: `${name} was not done within 0.03 s.`,
      next: expect.stringMatching(operation.effects === 'reads' ? /Ask for less/ : /Nothing was changed/),
    });
    expect(files()).toEqual(asMade);
  });

  it('stops wherever it is cancelled, or is past all stopping and done', async () => {
    const reason = new Error('nobody waits any more');
    let steps = 0;
    let stopped = 0;
    let isWhole = false;
    for (let cancelAt = 0; !isWhole && cancelAt < 500; cancelAt++) {
      const { session, files, folder } = await untouchedVault();
      const before = await writesOf(session);
      const controller = new AbortController();
      steps = 0;
      step = () => {
        if (steps++ === cancelAt) controller.abort(reason);
        return false;
      };
      const { signal } = controller;
      const error: unknown = await runOperation(operation, session, input, { ...DOOR, signal }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === reason) {
        const taken = steps;
        // Work that went on would reach its next step before these reads of the folder, begun later, have all ended.
        for (let reads = 0; reads < 10; reads++) await readdir(folder);
        expect(steps, `steps after the one it was cancelled at, ${cancelAt}`).toBe(taken);
        expect(files()).toEqual(asMade);
        step = () => false;
        expect(await writesOf(session)).toBe(before);
        stopped++;
        continue;
      }
      // Whatever else an operation may say of these arguments, it says uncancelled as well.
      if (error !== undefined && !isLecternError(error)) throw error;
      step = () => false;
      const isWritten = JSON.stringify(files()) !== JSON.stringify(asMade);
      expect(await writesOf(session)).toBe(before + (isWritten ? 1 : 0));
      isWhole = !signal.aborted;
    }
    expect(isWhole).toBe(true);
    if (steps > 0) expect(stopped, 'runs that were stopped').toBeGreaterThan(0);
  });
});
