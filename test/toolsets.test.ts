import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { offerOf } from '../src/app/offer.ts';
import { fromOperation } from '../src/catalogues/from-operation.ts';
import { indxCatalogue } from '../src/catalogues/indx/catalogue.ts';
import { mounted } from '../src/catalogues/mounted.ts';
import { SETTINGS } from '../src/config/setting-table.ts';
import { resolveSettings } from '../src/config/settings.ts';
import { toolList } from '../src/mcp/tool-list.ts';
import { listedToolsets, type Offer } from '../src/operations/offer.ts';
import { DEFAULT_TOOLSETS, type Operation, TOOLSETS } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { McpWire } from './support/mcp-wire.ts';
import { statelessRequest } from './support/protocol.ts';
import { bearer, openTestDoor, type TestDoor } from './support/test-door.ts';

/** Sets of tools: what is listed from the start, and how more comes in during a connection. */

const MOST_BYTES = 20 * 1024;

let door: TestDoor;

beforeAll(async () => {
  door = await openTestDoor({ 'A.md': '# A\n' });
});
afterAll(() => door.close());

function namesIn(list: unknown): string[] {
  return (list as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

function served(flags: object): Offer {
  return offerOf(resolveSettings({ vault: '/v', ...flags }, {}));
}

describe('the list of tools', () => {
  it('stays under 20 KB with every scope, however many operations there are', () => {
    const [some = OPERATIONS[0]] = OPERATIONS.filter(({ name }) => name === 'note_patch');
    const made = (n: number): Operation =>
      ({ ...some, name: `base_query_${n}`, toolset: n % 2 === 0 ? 'bases' : 'ai' }) as Operation;
    const more = Array.from({ length: 100 }, (_, n) => made(n));
    for (const operations of [OPERATIONS, [...OPERATIONS, ...more]]) {
      const whole = { ...indxCatalogue, tools: operations.map(fromOperation) };
      const { tools } = toolList(mounted(whole, { operations, toolsets: DEFAULT_TOOLSETS }));
      expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(MOST_BYTES);
    }
  });

  it('is that of the usual sets, of those the owner names, or all', () => {
    const listed = (flags: object) => namesIn(toolList(mounted(indxCatalogue, served(flags))));
    const all = OPERATIONS.filter(({ toolset }) => toolset !== 'ai').map(({ name }) => name);
    const usual = OPERATIONS.filter(({ toolset }) => DEFAULT_TOOLSETS.includes(toolset));
    expect(listed({})).toEqual([...usual.map(({ name }) => name), 'tools_more']);
    expect(listed({ toolset: ['core'] })).not.toContain('note_write');
    expect(listed({ toolset: ['all'] })).toEqual(all);
    // A set of which the caller may do nothing is not spoken of.
    const sets = Object.keys(TOOLSETS).filter((set) => set !== 'admin');
    expect(listed({ readOnly: true, toolset: sets })).not.toContain('tools_more');
    // Who names tools wants to see them.
    expect(listed({ tools: ['vault_reindex', 'note_read'] })).toEqual(['note_read', 'vault_reindex']);
  });

  it('is described in the guide, set by set', () => {
    const guide = readFileSync(new URL('../docs/guides/tools.md', import.meta.url), 'utf8');
    const named = [...guide.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(TOOLSETS));
    expect(SETTINGS['tools.sets'].help).toContain(`${named.join(', ')}, or all`);
    expect(SETTINGS['tools.sets'].help).toContain(`= ${DEFAULT_TOOLSETS.join(', ')}`);
  });

  it('knows no other sets', () => {
    expect(() => listedToolsets(['cor'], [])).toThrow(
      expect.objectContaining({ code: 'invalid_input', next: 'Did you mean core?' }),
    );
  });
});

describe('tools_more', () => {
  const core = mounted(indxCatalogue, { operations: OPERATIONS, toolsets: ['core'] });

  it('adds a set to the list of this connection, and tells it', async () => {
    const wire = await McpWire.connect(door.vault.session, '2025-11-25', core);
    const other = await McpWire.connect(door.vault.session, '2025-11-25', core);
    const list = async () => namesIn((await wire.request('tools/list')).result);
    expect(await list()).not.toContain('note_write');
    const { result } = await wire.request('tools/call', { name: 'tools_more', arguments: { set: 'write' } });
    expect(result.structuredContent).toMatchObject({ set: 'write', listed: true });
    await wire.until(({ method }) => method === 'notifications/tools/list_changed');
    expect(await list()).toEqual(expect.arrayContaining(['note_write', 'note_patch', 'tools_more']));
    expect(await list()).not.toContain('vault_reindex');
    expect(namesIn((await other.request('tools/list')).result)).not.toContain('note_write');
    // Once told is told.
    await wire.request('tools/call', { name: 'tools_more', arguments: { set: 'write' } });
    await wire.request('tools/list');
    const told = wire.messages.filter(({ method }) => method === 'notifications/tools/list_changed');
    expect(told).toHaveLength(1);
    await wire.close();
    await other.close();
  });

  it('describes a set where lists are the same for everybody; its tools can be called', async () => {
    const wire = await McpWire.connect(door.vault.session, '2026-07-28', core);
    const before = (await wire.request('tools/list')).result;
    const { result } = await wire.request('tools/call', { name: 'tools_more', arguments: { set: 'write' } });
    const { listed, tools } = result.structuredContent as { listed: boolean; tools: { name: string }[] };
    expect([listed, tools.map(({ name }) => name)]).toEqual([false, expect.arrayContaining(['note_write'])]);
    expect((await wire.request('tools/list')).result).toEqual(before);
    const written = await wire.request('tools/call', {
      name: 'note_write',
      arguments: { path: 'New.md', body: 'x', dry_run: true },
    });
    expect(written.result.structuredContent).toMatchObject({ created: true, dry_run: true });
    await wire.close();
  });

  it('knows no other sets, and none whose tools the caller may not call', async () => {
    const operations = OPERATIONS.filter(({ scope }) => scope === 'vault:read');
    const reader = mounted(indxCatalogue, { operations, toolsets: ['core'] });
    const readable = Object.keys(TOOLSETS).filter((set) =>
      operations.some(({ toolset }) => set !== 'core' && toolset === set),
    );
    const wire = await McpWire.connect(door.vault.session, '2025-11-25', reader);
    for (const given of [undefined, {}, { set: 'admin' }, { set: 7 }]) {
      const { result } = await wire.request('tools/call', { name: 'tools_more', arguments: given as object });
      expect(result.structuredContent).toMatchObject({
        code: 'invalid_input',
        details: { sets: readable },
      });
    }
    await wire.close();
  });

  it('needs no vault where there are several', async () => {
    const several = mounted(indxCatalogue, {
      operations: OPERATIONS,
      toolsets: ['core'],
      vaults: ['work', 'home'],
    });
    const wire = await McpWire.connect(door.vault.session, '2025-11-25', several);
    const { result } = await wire.request('tools/call', { name: 'tools_more', arguments: { set: 'write' } });
    const { tools } = result.structuredContent as { tools: { inputSchema: object }[] };
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { vault: { enum: ['work', 'home'] } } });
    await wire.close();
  });
});

it('shows a token what it names, whatever the set', async () => {
  const offer = { operations: OPERATIONS, toolsets: DEFAULT_TOOLSETS };
  const narrow = await openTestDoor(
    { 'A.md': '' },
    { door: { served: { all: OPERATIONS, offer, vaults: [{ name: 'test', readOnly: false }] } } },
  );
  const { body, headers } = statelessRequest('tools/list');
  const list = async (...words: string[]) => {
    const response = await narrow.post(body, {
      ...headers,
      ...bearer(narrow.token(`t ${words.join()}`, 'vault:admin', ...words)),
    });
    return namesIn(((await response.json()) as { result: unknown }).result);
  };
  expect(await list()).toEqual(expect.arrayContaining(['note_write', 'tools_more']));
  expect(await list('tool:vault_*')).toEqual(expect.arrayContaining(['vault_reindex', 'vault_config_set']));
  await narrow.close();
});
