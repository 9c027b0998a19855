import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { McpWire } from '../../test/support/mcp-wire.ts';
import { ERAS, type Era } from '../../test/support/protocol.ts';
import { ACTOR, discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import type { ResourceSource } from '../catalogues/catalogue.ts';
import { indxCatalogue } from '../catalogues/indx/catalogue.ts';
import type { VaultChange } from '../vault/events.ts';
import type { VaultSession } from '../vault/session.ts';
import { parseResourceUri } from './resource-uri.ts';
import { Subscriptions } from './subscriptions.ts';

type Save = (path: string, text: string) => void;

/** Each test has its own vault, so that all of them can wait in parallel. */
async function withVault(work: (open: TestVault, save: Save) => Promise<void>): Promise<void> {
  const open = await openTestVault({
    'Projects/a.md': 'alpha\n',
    'Projects/deep/b.md': 'beta\n',
    'Other/c.md': 'gamma todo\n',
    'Secret/s.md': 'secret\n',
  });
  await work(open, (path, text) => {
    mkdirSync(join(open.folder, path, '..'), { recursive: true });
    writeFileSync(join(open.folder, path), text);
  });
  await open.close();
  discard(open);
}

/** @returns the id by which the subscription can be ended */
async function subscribe(wire: McpWire, era: Era, uri: string): Promise<unknown> {
  if (era === '2025-11-25') {
    expect((await wire.request('resources/subscribe', { uri })).error).toBeUndefined();
    return uri;
  }
  const id = wire.send('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } });
  await wire.until(
    ({ method, params }) =>
      method === 'notifications/subscriptions/acknowledged' &&
      isDeepStrictEqual(params?._meta, { 'io.modelcontextprotocol/subscriptionId': id }),
  );
  return id;
}

async function unsubscribe(wire: McpWire, era: Era, id: unknown): Promise<void> {
  if (era === '2025-11-25') await wire.request('resources/unsubscribe', { uri: id });
  else wire.notify('notifications/cancelled', { requestId: id });
}

const updated = (wire: McpWire, uri: string) =>
  wire.until(({ method, params }) => method === 'notifications/resources/updated' && params?.uri === uri);

const MARKER = 'vault://Marker/';
let markers = 0;

/**
 * Waits until a change made now was reported on the same connection: every report about earlier changes has
 * then arrived.
 */
async function settled(wire: McpWire, era: Era, save: Save): Promise<void> {
  const name = `${++markers}.md`;
  await subscribe(wire, era, MARKER + name);
  save(`Marker/${name}`, name);
  await updated(wire, MARKER + name);
}

/** The reported URIs without markers. */
const told = (wire: McpWire) => wire.updates().filter((uri) => !uri.startsWith(MARKER));

describe.concurrent.each(ERAS)('subscriptions in %s', (era) => {
  it('tells of a note changed by an editor, an agent, and taken away, once each', () =>
    withVault(async (open, save) => {
      const wire = await McpWire.connect(open.session, era);
      const id = await subscribe(wire, era, 'vault://Projects/a.md');
      save('Projects/a.md', 'alpha, edited\n');
      const message = await updated(wire, 'vault://Projects/a.md');
      if (era === '2026-07-28') {
        expect(message.params?._meta).toEqual({ 'io.modelcontextprotocol/subscriptionId': id });
      }
      await open.session.write(
        'Projects/a.md',
        { body: 'by an agent\n' },
        { tool: 'note_write', dryRun: false },
      );
      await settled(wire, era, save);
      expect(told(wire)).toHaveLength(2);
      rmSync(join(open.folder, 'Projects/a.md'));
      await settled(wire, era, save);
      expect(told(wire)).toHaveLength(3);
      await unsubscribe(wire, era, id);
      // The answer to the next request shows that the subscription has ended.
      await settled(wire, era, save);
      save('Projects/a.md', 'back\n');
      await settled(wire, era, save);
      expect(told(wire)).toHaveLength(3);
      await wire.close();
    }));

  it('tells nothing when nothing changed', () =>
    withVault(async (open, save) => {
      const wire = await McpWire.connect(open.session, era);
      await subscribe(wire, era, 'vault://Projects/a.md');
      await subscribe(wire, era, 'vault://Projects/**');
      await subscribe(wire, era, 'vault://search?q=todo');
      save('Projects/a.md', 'alpha\n');
      utimesSync(join(open.folder, 'Projects/deep/b.md'), new Date(), new Date());
      save('Other/new.md', 'nothing to see\n');
      await settled(wire, era, save);
      expect(told(wire)).toEqual([]);
      await wire.close();
    }));

  it('tells of every file below a folder by its own URI, and of no other', () =>
    withVault(async (open, save) => {
      const wire = await McpWire.connect(open.session, era);
      await subscribe(wire, era, 'vault://Projects/**');
      save('Projects/new note.md', 'new\n');
      save('Projects/deep/b.md', 'beta 2\n');
      save('Other/c.md', 'gamma 2\n');
      await updated(wire, 'vault://Projects/new%20note.md');
      await updated(wire, 'vault://Projects/deep/b.md');
      await settled(wire, era, save);
      expect(told(wire)).toHaveLength(2);
      await wire.close();
    }));

  it('tells when the results of a search or the links to a note change', () =>
    withVault(async (open, save) => {
      const wire = await McpWire.connect(open.session, era);
      await subscribe(wire, era, 'vault://search?q=todo');
      await subscribe(wire, era, 'vault://graph/backlinks/Projects/a.md');
      save('Other/d.md', 'another todo\n');
      await updated(wire, 'vault://search?q=todo');
      await settled(wire, era, save);
      expect(told(wire)).toEqual(['vault://search?q=todo']);
      save('Other/e.md', 'see [[a]]\n');
      await updated(wire, 'vault://graph/backlinks/Projects/a.md');
      await wire.close();
    }));

  it(
    'tells when the answer of a base changes: by a note, by the base, by its mending',
    () =>
      withVault(async (open, save) => {
        const wire = await McpWire.connect(open.session, era);
        const source = (tag: string) => `filters: file.hasTag("${tag}")\nviews: [{type: table, name: T}]\n`;
        save('Open.base', source('open'));
        await subscribe(wire, era, 'vault://base/Open.base');
        const heard = async (times: number) => {
          while (told(wire).length < times) await delay(20);
          await settled(wire, era, save);
          expect(told(wire)).toEqual(Array.from({ length: times }, () => 'vault://base/Open.base'));
        };
        save('Other/c.md', 'nothing to it\n');
        await heard(0);
        save('Other/o.md', '#open\n');
        await heard(1);
        save('Open.base', 'filters: [\n');
        await heard(2);
        save('Open.base', source('open'));
        await heard(3);
        await wire.close();
      }),
    60_000,
  );

  it('tells when a canvas answers something else: its own change, and a title of a note on a card', () =>
    withVault(async (open, save) => {
      const node = { id: 'f', type: 'file', file: 'Other/c.md', x: 0, y: 0, width: 9, height: 9 };
      const tool = 'canvas_write';
      await open.session.writeCanvas('Map.canvas', { nodes: [node] }, { tool });
      const wire = await McpWire.connect(open.session, era);
      await subscribe(wire, era, 'vault://canvas/Map.canvas');
      save('Projects/a.md', 'no card shows this\n');
      await settled(wire, era, save);
      expect(told(wire)).toEqual([]);
      save('Other/c.md', '# A title\n');
      await updated(wire, 'vault://canvas/Map.canvas');
      await open.session.patchCanvas('Map.canvas', [{ op: 'update_node', id: 'f', color: '1' }], { tool });
      await wire.until(() => told(wire).length === 2);
      await wire.close();
    }));

  it('tells nothing of what is hidden', () =>
    withVault(async (open, save) => {
      const rules = {
        readOnly: false,
        read: { allow: [], deny: ['Secret'] },
        write: { allow: [], deny: [] },
      };
      const wire = await McpWire.connect(open.vault.session(ACTOR, [rules]), era);
      await subscribe(wire, era, 'vault://Secret/s.md');
      await subscribe(wire, era, 'vault://**');
      save('Secret/s.md', 'secret 2\n');
      save('Secret/t.md', 'secret 3\n');
      save('Other/c.md', 'gamma 3\n');
      await updated(wire, 'vault://Other/c.md');
      await settled(wire, era, save);
      expect(told(wire)).toEqual(['vault://Other/c.md']);
      await wire.close();
    }));

  it('tells of a note that does not exist yet', () =>
    withVault(async (open, save) => {
      const wire = await McpWire.connect(open.session, era);
      await subscribe(wire, era, 'vault://Daily/2026-05-03.md');
      save('Daily/2026-05-03.md', 'today\n');
      await updated(wire, 'vault://Daily/2026-05-03.md');
      await wire.close();
    }));
});

describe.concurrent('subscriptions of one stream', () => {
  it('tells once of a note that two subscriptions of one stream name', () =>
    withVault(async (open, save) => {
      const wire = await McpWire.connect(open.session);
      await subscribe(wire, '2025-11-25', 'vault://Projects/a.md');
      await subscribe(wire, '2025-11-25', 'vault://**');
      save('Projects/a.md', 'twice\n');
      await updated(wire, 'vault://Projects/a.md');
      await settled(wire, '2025-11-25', save);
      expect(told(wire)).toEqual(['vault://Projects/a.md']);
      await wire.close();
    }));

  it('refuses what the caller is not offered to read', () =>
    withVault(async (open, save) => {
      const tools = indxCatalogue.tools.filter(({ name }) => !['note_read', 'note_list'].includes(name));
      const wire = await McpWire.connect(open.session, '2025-11-25', { ...indxCatalogue, tools });
      for (const uri of ['vault://Other/c.md', 'vault://**']) {
        const { error } = await wire.request('resources/subscribe', { uri });
        expect(error).toMatchObject({ code: -32602, data: { code: 'forbidden' } });
      }
      save('Other/c.md', 'changed\n');
      // No report is expected, so another connection shows when the change was reported.
      const other = await McpWire.connect(open.session);
      await settled(other, '2025-11-25', save);
      expect(told(wire)).toEqual([]);
      await other.close();
      await wire.close();
    }));

  it('refuses what is no resource', () =>
    withVault(async (open) => {
      const wire = await McpWire.connect(open.session);
      const { error } = await wire.request('resources/subscribe', { uri: 'note://a.md' });
      expect(error).toMatchObject({ code: -32002, data: { code: 'invalid_path' } });
      await wire.close();
    }));
});

/** A session whose changes the test sends. */
function spoken(staleness: () => string | undefined = () => undefined) {
  let say: (changes: readonly VaultChange[]) => void = () => {};
  const changedAt = new Map<string, number>();
  const vault = {
    staleness,
    changedAt: async (path: string) => changedAt.get(path),
    watch: (listener: typeof say) => {
      say = listener;
      return () => {};
    },
  } as unknown as VaultSession;
  return { vault, changedAt, say: (changes: readonly VaultChange[]) => say(changes) };
}

function subscriptionsOver(vault: VaultSession, source?: ResourceSource) {
  const told: string[] = [];
  const subscriptions = new Subscriptions({
    vault: async () => vault,
    vaults: async () => undefined,
    target: async (uri) =>
      source !== undefined && uri.startsWith(source.prefix)
        ? { kind: 'other', source }
        : parseResourceUri(uri),
    fingerprint: async () => '',
    updated: async (_id, uri) => void told.push(uri),
    shared: true,
    listChanged: async () => {},
    isPrompt: () => false,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  return { subscriptions, told };
}

const change = (kind: VaultChange['kind'], path: string, etag?: string): VaultChange => ({
  kind,
  path,
  etag,
});

it('misses none of 10,000 changes and tells each once', async () => {
  const { vault, say } = spoken();
  const { subscriptions, told } = subscriptionsOver(vault);
  await subscriptions.open('x', ['vault://Projects/**'], 'test');
  for (let n = 0; n < 10_000; n++) {
    say([change('modified', `Projects/${n}.md`, 'old'), change('modified', `Other/${n}.md`, 'old')]);
    say([change('modified', `Projects/${n}.md`, `new ${n}`)]);
    // Many windows then begin and end among the changes.
    if (n % 1000 === 0) await expect.poll(() => told.length, { interval: 5 }).toBeGreaterThan(n);
  }
  say([change('modified', 'Projects/last.md', 'last')]);
  await expect.poll(() => told.at(-1), { timeout: 20_000 }).toBe('vault://Projects/last.md');
  expect(new Set(told).size).toBe(10_001);
  expect(told.filter((uri) => uri.includes('Other'))).toEqual([]);
  // A window may end between the two changes of a note, which are then two reports.
  expect(told.length).toBeLessThanOrEqual(10_012);
  subscriptions.end();
});

it('tells apart what is new from what the index meets for the first time', async () => {
  let building: string | undefined = 'index: building 0/2';
  const { vault, say, changedAt } = spoken(() => building);
  const { subscriptions, told } = subscriptionsOver(vault);
  changedAt.set('old.md', Date.now() - 60_000);
  await subscriptions.open('x', ['vault://**'], 'test');
  changedAt.set('new.md', Date.now());
  say([change('created', 'old.md', '1'), change('created', 'new.md', '2')]);
  await expect.poll(() => told).toEqual(['vault://new.md']);
  building = undefined;
  say([change('created', 'passing.md', '3'), change('removed', 'passing.md')]);
  say([change('modified', 'new.md', '2')]);
  say([change('created', 'last.md', '4')]);
  await expect.poll(() => told.at(-1)).toBe('vault://last.md');
  expect(told).toEqual(['vault://new.md', 'vault://last.md']);
  subscriptions.end();
});

it('bounds what one connection may subscribe to', async () => {
  const { vault } = spoken();
  const { subscriptions } = subscriptionsOver(vault);
  const uris = Array.from({ length: 1000 }, (_, n) => `vault://${n}/*`);
  await subscriptions.open(1, uris, 'test');
  await expect(subscriptions.open(2, ['vault://**'], 'test')).rejects.toMatchObject({ code: 'too_large' });
  subscriptions.close(1);
  await subscriptions.open(2, ['vault://**'], 'test');
  expect(subscriptions.size).toBe(1);
  subscriptions.end();
});

it('passes on what the owner of another resource tells, until it is closed', async () => {
  const { vault } = spoken();
  const listeners = new Set<() => void>();
  const source: ResourceSource = {
    prefix: 'card://',
    resources: [],
    templates: [],
    read: async () => ({ contents: [] }),
    watch: (_uri, listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const { subscriptions, told } = subscriptionsOver(vault, source);
  await subscriptions.open('x', ['card://1', 'vault://Projects/**'], 'test');
  tell();
  expect(told).toEqual(['card://1']);
  subscriptions.close('x');
  tell();
  expect(told).toEqual(['card://1']);
  await expect(subscriptions.open('y', ['deck://1'], 'test')).rejects.toMatchObject({ code: 'invalid_path' });
});
