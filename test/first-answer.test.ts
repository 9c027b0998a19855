import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EXTRACTIVE } from '../src/ai/extractive.ts';
import { callTool } from '../src/catalogues/call.ts';
import { indxCatalogue } from '../src/catalogues/indx/catalogue.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import type { Store } from '../src/stores/store.ts';
import { McpWire } from './support/mcp-wire.ts';
import { LECTERN, ProcessWire } from './support/process-wire.ts';
import { ERAS } from './support/protocol.ts';
import { restClient } from './support/rest-client.ts';
import { discard, openTestVault, type TestVault, type TestVaultOptions } from './support/test-vault.ts';

/** The first question to a vault is often asked before its index is built. */

const FILES = {
  'A.md': 'needle #tag [[B]] [[Nowhere]]\n',
  'B.md': '---\nstatus: open\n---\nother\n',
  'All.base': 'filters: status == "open"\nviews:\n  - type: table\n    name: All\n',
  'Board.canvas': '{"nodes":[{"id":"f","type":"file","file":"B.md","x":0,"y":0,"width":9,"height":9}]}',
  'sub/Alone.md': 'needle\n\n- [ ] thread it\n',
  'Prompts/mine.md': 'say it\n',
};

/** Every operation that is answered from the index, how it is asked here, and what it finds at least. */
const ASKED: Readonly<Record<string, { readonly args: object; readonly finds: string }>> = {
  vault_search: { args: { q: 'needle' }, finds: 'A.md' },
  vault_status: { args: {}, finds: '4 notes' },
  note_list: { args: {}, finds: 'sub/Alone.md' },
  note_related: { args: { path: 'A.md' }, finds: 'B.md' },
  link_backlinks: { args: { path: 'B.md' }, finds: 'A.md' },
  link_forward: { args: { path: 'A.md' }, finds: 'B.md' },
  link_unresolved: { args: {}, finds: 'Nowhere' },
  link_orphans: { args: {}, finds: 'sub/Alone.md' },
  tag_list: { args: {}, finds: '#tag' },
  tag_notes: { args: { tag: 'tag' }, finds: 'A.md' },
  note_read: { args: { path: 'B.md', include: ['backlinks'] }, finds: 'A.md' },
  property_list: { args: {}, finds: 'status' },
  property_values: { args: { name: 'status' }, finds: 'open' },
  canvas_read: { args: { path: 'Board.canvas' }, finds: 'B.md' },
  folder_list: { args: {}, finds: 'sub' },
  task_list: { args: {}, finds: 'thread it' },
  base_query: { args: { path: 'All.base' }, finds: 'B' },
  base_check: { args: { path: 'All.base' }, finds: '0 problems' },
  ai_summarize: { args: { scope: { paths: ['sub/Alone.md'] } }, finds: 'Summary of 1 note' },
  ai_ask: { args: { question: 'Where is the needle?' }, finds: 'A.md' },
  ai_toc: { args: { mode: 'glob', path: '**' }, finds: 'Alone' },
  ai_relate: { args: { source: 'A.md' }, finds: 'B.md' },
  ai_tag: { args: { scope: { paths: ['B.md'] } }, finds: 'B.md' },
  ai_metadata: { args: { scope: { paths: ['B.md'] }, fields: [{ name: 'author' }] }, finds: 'B.md' },
  ai_extract: { args: { scope: { paths: ['B.md'] }, schema: { type: 'object' } }, finds: 'B.md' },
  note_exists: { args: { path: 'Alone' }, finds: 'sub/Alone.md exists' },
};

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

/** For answers that say that the index is being built: they come as soon as the wait is over. */
const BRIEF = { buildLimitMs: 100 };

/** A vault whose indexer gets no file before `release` is called. */
async function heldVault(options: TestVaultOptions = {}): Promise<{ vault: TestVault; release: () => void }> {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (store: Store): Store => ({
    ...bound(store),
    read: async (path) => {
      await released;
      return store.read(path);
    },
  });
  const vault = await openTestVault(FILES, { ...options, wrapIndexed: hold });
  open.push({ ...vault, close: closing(release, vault) });
  return { vault, release };
}

function closing(release: () => void, vault: TestVault): TestVault['close'] {
  return () => {
    release();
    return vault.close();
  };
}

/** The store's methods as properties of a plain object, so that some can be replaced. */
function bound(store: Store): Store {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(store))
    .filter((name) => name !== 'constructor')
    .map((name) => {
      const value: unknown = store[name as keyof Store];
      return [name, typeof value === 'function' ? value.bind(store) : value];
    });
  return { ...store, ...Object.fromEntries(methods) };
}

async function ask({ session }: TestVault, name: string, signal = new AbortController().signal) {
  const tool = indxCatalogue.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(name);
  const outcome = await callTool({
    catalogue: indxCatalogue,
    tool,
    arguments: ASKED[name]?.args,
    vault: async () => session,
    context: { signal, progress: () => {}, assistants: () => EXTRACTIVE },
    onUnexpected: (error) => {
      throw error;
    },
  });
  if (outcome.kind !== 'answer') throw new Error(`${name} asks back.`);
  const { content, structuredContent: output = {}, isError } = outcome.answer;
  const [block] = content;
  return { text: block?.type === 'text' ? block.text : '', output, isError: isError === true };
}

it('every operation that says it is answered from the index is asked here', () => {
  const names = OPERATIONS.filter(
    ({ answersFrom, asksIndex }) => answersFrom === 'index' || asksIndex !== undefined,
  ).map(({ name }) => name);
  expect([...names, 'note_exists'].sort()).toEqual(Object.keys(ASKED).sort());
});

it('waits for a build that is soon over, in every operation', async () => {
  const { vault, release } = await heldVault();
  const asked = Object.keys(ASKED).map(async (name) => ({ name, ...(await ask(vault, name)) }));
  release();
  for (const { name, text, output } of await Promise.all(asked)) {
    expect(text, name).toContain(ASKED[name]?.finds);
    expect(output.notice ?? '', name).not.toContain('index:');
  }
});

it('says first that the index is being built, and never that there is nothing', async () => {
  const { vault } = await heldVault(BRIEF);
  const asked = Object.keys(ASKED).map(async (name) => ({ name, ...(await ask(vault, name)) }));
  for (const { name, text, output, isError } of await Promise.all(asked)) {
    expect(text, name).not.toMatch(/no note (?:has|matches)|there is no note/i);
    expect(text, name).toMatch(/^index: building/);
    if (isError) continue;
    expect(Object.keys(output)[0], name).toBe('notice');
    expect(output.notice, name).toMatch(/^index: building/);
  }
  await expect(vault.session.open('Alone')).rejects.toThrow('not known yet (index: building');
});

it('stops waiting when the call is given up', async () => {
  const { vault } = await heldVault();
  const controller = new AbortController();
  const asked = ask(vault, 'vault_search', controller.signal);
  controller.abort(new DOMException('given up', 'AbortError'));
  await expect(asked).rejects.toThrow('given up');
});

it('an exact path is read from the store without waiting', async () => {
  const { vault } = await heldVault();
  expect((await vault.session.open('A.md')).parsed.text).toContain('needle');
  expect((await vault.session.exists('A.md')).exists).toBe(true);
  expect(vault.session.staleness()).toMatch(/^index: building/);
});

it('REST waits and says so as well, rows on lines in a header', async () => {
  const { vault, release } = await heldVault(BRIEF);
  const client = restClient(vault.session);
  const late = await client.raw('GET', '/v1/notes', { headers: { Accept: 'application/x-ndjson' } });
  expect(late.headers.get('x-lectern-notice')).toMatch(/^index: building/);
  const { body } = await client.send('GET', '/v1/search?q=needle');
  expect(body.data.notice).toMatch(/^index: building/);
  release();
  expect((await client.send('GET', '/v1/search?q=needle')).body.data.total).toBe(2);
});

describe.each(ERAS)('resources and prompts in %s', (era) => {
  it('wait for a build that is soon over', async () => {
    const { vault, release } = await heldVault();
    const wire = await McpWire.connect(vault.session, era);
    const lists = Promise.all([wire.request('resources/list'), wire.request('prompts/list')]);
    release();
    const [resources, prompts] = await lists;
    expect(resources.result.resources).toContainEqual(expect.objectContaining({ uri: 'vault://A.md' }));
    expect(prompts.result.prompts).toContainEqual(expect.objectContaining({ name: 'mine' }));
    await wire.close();
  });

  it('say that the index is being built', async () => {
    const { vault } = await heldVault(BRIEF);
    const wire = await McpWire.connect(vault.session, era);
    const [resources, prompts, graph, summary] = await Promise.all([
      wire.request('resources/list'),
      wire.request('prompts/list'),
      wire.request('resources/read', { uri: 'vault://graph' }),
      wire.request('prompts/get', { name: 'vault_summary' }),
    ]);
    const said = expect.stringMatching(/^(?:\{"notice":")?index: building/);
    for (const { result } of [resources, prompts])
      expect(result).toMatchObject({ _meta: { 'lectern/notice': said } });
    expect(graph.result).toMatchObject({ contents: [{ text: said }] });
    expect(summary.result).toMatchObject({ messages: [{ content: { text: said } }] });
    await wire.close();
  });
});

it('idx-05: the first call after initialize finds the note, and after a restart at once', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lectern-first-'));
  try {
    const vault = mkdtempSync(join(home, 'vault-'));
    writeFileSync(join(vault, 'A.md'), 'needle\n');
    for (const _start of ['first', 'warm']) {
      const server = await new ProcessWire(['--vault', vault], home).open();
      const { results, total } = await server.call('vault_search', { q: 'needle' });
      expect(results).toMatchObject([{ path: 'A.md' }]);
      expect(total).toBe(1);
      const status = await server.call('vault_status');
      expect(status).toMatchObject({ notes: 1 });
      expect(String(status.notice ?? '')).not.toContain('0/0');
      expect(await server.end()).toBe(0);
    }
    expect(LECTERN).toContain('lectern');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

it('an index that was complete answers while the files are compared, and says that', async () => {
  const first = await openTestVault(FILES);
  await first.close();
  let listed = 0;
  let go: () => void = () => {};
  const going = new Promise<void>((resolve) => {
    go = resolve;
  });
  const slow = (store: Store): Store => ({
    ...bound(store),
    list: async (prefix, signal) => {
      listed += 1;
      await going;
      return store.list(prefix, signal);
    },
  });
  const { folder, state } = first;
  const again = await openTestVault({}, { reopen: { folder, state }, wrapIndexed: slow });
  open.push({ ...again, close: closing(go, again) });
  const { text, output } = await ask(again, 'vault_search');
  expect(listed).toBe(1);
  expect(output.total).toBe(2);
  expect(text).toMatch(/^index: checking .*\. Found 2 results/);
  expect((await ask(again, 'vault_status')).output).toMatchObject({ index: 'checking', notes: 4 });
  go();
  await again.vault.indexed();
  expect((await ask(again, 'vault_search')).output.notice ?? '').not.toContain('index:');
});
