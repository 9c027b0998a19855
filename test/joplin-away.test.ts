import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openJoplinStore } from '../src/stores/joplin/joplin-store.ts';
import type { Store } from '../src/stores/store.ts';
import { hasJoplin, type Joplin, startJoplin } from './joplin/joplin.ts';
import { answerOf } from './support/run-operation.ts';
import { discard, openTestVault, type TestVault, type TestVaultOptions } from './support/test-vault.ts';

/** A real Joplin that goes away and comes back, as itself, in the middle of something, or as another one. */

const FILES = {
  'Sea/Projects/Harbour.md': '# Harbour\n\nThe crane waits for [[Tide table]].\n\n- [ ] paint it\n',
  'Sea/Tide table.md': '# Tides\n\nSlack water, see [[Harbour]]. #reference\n',
};

let joplin: Joplin;
const open: TestVault[] = [];
beforeAll(async () => {
  if (hasJoplin) joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
  if (!hasJoplin) return;
  await joplin.restart();
  const { items } = await joplin.call<{ items: { id: string }[] }>('GET', 'folders');
  for (const { id } of items) await joplin.call('DELETE', `folders/${id}?permanent=1`);
});

async function served(options: TestVaultOptions = {}): Promise<TestVault> {
  const { url, token } = joplin;
  const stores = async () => openJoplinStore({ url, token: () => token, timeoutMs: 5_000 });
  const vault = await openTestVault({}, { stores, ...options });
  open.push(vault);
  return vault;
}

const READS: readonly (readonly [name: string, input: Record<string, unknown>, answer: string])[] = [
  ['note_read', { path: 'Sea/Tide table.md', include: ['backlinks', 'tags', 'frontmatter'] }, 'Slack water'],
  ['note_read', { path: 'Tide table' }, 'Slack water'],
  ['note_outline', { path: 'Sea/Projects/Harbour.md' }, 'Harbour'],
  ['note_exists', { path: 'Sea/Tide table.md' }, 'true'],
  ['note_list', {}, 'Tide table.md'],
  ['note_related', { path: 'Sea/Tide table.md' }, 'Tide table'],
  ['vault_search', { query: 'crane' }, 'Harbour.md'],
  ['link_backlinks', { path: 'Sea/Tide table.md' }, 'Harbour.md'],
  ['link_forward', { path: 'Sea/Tide table.md' }, 'Harbour.md'],
  ['tag_list', {}, 'boats'],
  ['tag_notes', { tag: 'boats' }, 'Tide table.md'],
  ['task_list', {}, 'paint it'],
  ['folder_list', {}, 'Sea/Projects'],
];

describe.skipIf(!hasJoplin)('a vault whose Joplin goes away', () => {
  it('answers every reading from the index, after a restart of its own too, and writes nothing', async () => {
    await joplin.seed(FILES);
    const first = await served();
    await answerOf(first.session, 'note_patch', {
      path: 'Sea/Tide table.md',
      ops: [{ op: 'add_tag', tag: 'boats' }],
    });
    const before = await first.session.open('Sea/Tide table.md');
    await joplin.kill();
    const reads = async (vault: TestVault) => {
      for (const [name, input, answer] of READS) {
        const { output, summary } = await answerOf(vault.session, name, input);
        expect([name, JSON.stringify(output)]).toEqual([name, expect.stringContaining(answer)]);
        if (output.notice !== undefined || name !== 'note_exists')
          expect([name, summary]).toEqual([name, expect.stringMatching(/^store: away since \d{4}-/)]);
      }
      const { etag, facts, id } = await vault.session.open('Sea/Tide table.md');
      expect({ etag, facts, id }).toEqual({ etag: before.etag, facts: before.facts, id: before.id });
      for (const [name, input] of [
        ['note_write', { path: 'Sea/New.md', body: 'x' }],
        ['note_patch', { path: 'Sea/Tide table.md', ops: [{ op: 'append_body', markdown: 'x' }] }],
        ['note_move', { from: 'Sea/Tide table.md', to: 'Sea/T.md' }],
        ['note_delete', { path: 'Sea/Tide table.md' }],
      ] as const)
        await expect(answerOf(vault.session, name, input)).rejects.toMatchObject({
          code: 'unavailable',
          next: expect.stringContaining('Start Joplin'),
        });
      // A name that no note has may be one that came meanwhile.
      await expect(vault.session.open('Nowhere.md')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('store: away since'),
      });
    };
    await reads(first);
    const { folder, state } = first;
    await first.close();
    open.splice(open.indexOf(first), 1);
    const second = await served({ reopen: { folder, state }, wrapIndexed: (store) => store });
    await reads(second);
    await joplin.restart();
    await expect.poll(() => second.session.staleness(), { timeout: 20_000 }).toBeUndefined();
    const { summary } = await answerOf(second.session, 'note_read', { path: 'Sea/Tide table.md' });
    expect(summary).not.toContain('store:');
    await answerOf(second.session, 'note_patch', {
      path: 'Sea/Tide table.md',
      if_match: before.etag,
      ops: [{ op: 'append_body', markdown: 'Back.' }],
    });
    expect((await second.session.open('Sea/Tide table.md')).parsed.text).toMatch(/Back\.\n$/);
  }, 120_000);

  it('takes in the rest when it went away in the middle of the first index, without a note called unreadable', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`Many/${at}.md`, `Note ${at} of many.\n`]),
    );
    await joplin.seed(files);
    let reads = 0;
    const vault = await served({
      // As after another start: no text comes along with the listing.
      wrapIndexed: (store) =>
        changed(store, {
          async readMany(paths) {
            if (++reads === 2) await joplin.kill();
            return Promise.all(paths.map((path) => store.read(path)));
          },
        }),
    });
    await expect.poll(() => vault.session.staleness(), { timeout: 20_000 }).toMatch(/^store: away since/);
    const early = await vault.session.list({}, 'path', { limit: 1 });
    expect(early.total).toBeLessThan(150);
    await joplin.restart();
    await expect.poll(() => vault.session.staleness(), { timeout: 60_000 }).toBeUndefined();
    expect((await vault.session.list({}, 'path', { limit: 1 })).total).toBe(150);
    expect((await vault.session.status()).problems.items).toEqual([]);
    const found = await vault.session.search({ query: 'many', mode: 'lexical', filter: {}, limit: 1 });
    expect(found.total).toBe(150);
  }, 120_000);

  it('lists everything again when another profile answers in its place, however many events that has', async () => {
    await joplin.seed(FILES);
    const vault = await served();
    const ofBefore = await joplin.call<{ cursor: string }>('GET', 'events');
    await joplin.swap();
    const many = Object.fromEntries(
      Array.from({ length: Number(ofBefore.cursor) + 5 }, (_, at) => [
        `Elsewhere/${at}.md`,
        `Of another ${at}.`,
      ]),
    );
    await joplin.seed(many);
    // An event is written some time after what it tells of.
    const events = async () => Number((await joplin.call<{ cursor: string }>('GET', 'events')).cursor);
    await expect.poll(events, { timeout: 20_000 }).toBeGreaterThan(Number(ofBefore.cursor));
    const paths = async () =>
      (await vault.session.list({}, 'path', { limit: 500 })).items.map(({ path }) => path).sort();
    await expect.poll(paths, { timeout: 60_000 }).toEqual(Object.keys(many).sort());
  }, 180_000);

  it('lists everything again after a day, as events may have been deleted meanwhile', async () => {
    await joplin.seed(FILES);
    const { url, token } = joplin;
    const store = openJoplinStore({ url, token: () => token });
    try {
      const first = await store.changesSince?.(undefined);
      // No event tells of it.
      await joplin.change("DELETE FROM notes WHERE title = 'Harbour'");
      const changes = async () => (await store.changesSince?.(first?.cursor))?.changes;
      expect(await changes()).toEqual([]);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3600_000 });
      expect(await changes()).toEqual([{ kind: 'removed', path: 'Sea/Projects/Harbour.md' }]);
    } finally {
      vi.useRealTimers();
      await store.close();
    }
  }, 120_000);
});

/** The store with some of its methods replaced. */
function changed(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, key) {
      const value = methods[key as keyof Store] ?? (Reflect.get(target, key, target) as unknown);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
