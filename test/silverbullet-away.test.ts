import { afterEach, describe, expect, it } from 'vitest';
import { openSilverBulletStore } from '../src/stores/silverbullet/silverbullet-store.ts';
import type { Store } from '../src/stores/store.ts';
import { type Faults, type Generation, type Space, startSpace } from './silverbullet/server.ts';
import { answerOf } from './support/run-operation.ts';
import { discard, openTestVault, type TestVault, type TestVaultOptions } from './support/test-vault.ts';

/** A vault on a SilverBullet server that ends its connections, or takes them and says nothing, and comes back. */

const FILES = {
  'Projects/Harbour.md': '# Harbour\n\nThe crane waits for [[Tide table]].\n\n- [ ] paint it\n',
  'Tide table.md': '# Tides\n\nSlack water, see [[Projects/Harbour]]. #reference\n',
};

const open: TestVault[] = [];
const spaces: Space[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
  for (const space of spaces.splice(0)) await space.close();
});

async function spaceOf(
  generation: Generation,
  files: Readonly<Record<string, string>> = FILES,
): Promise<Space> {
  const space = await startSpace({ generation, files });
  spaces.push(space);
  return space;
}

async function served({ url }: Space, options: TestVaultOptions = {}): Promise<TestVault> {
  const stores = async () =>
    openSilverBulletStore({ url, secret: () => undefined, listMs: 100, timeoutMs: 500 });
  const vault = await openTestVault({}, { stores, ...options });
  open.push(vault);
  return vault;
}

const READS: readonly (readonly [name: string, input: Record<string, unknown>, answer: string])[] = [
  ['note_read', { path: 'Tide table.md', include: ['backlinks', 'tags', 'frontmatter'] }, 'Slack water'],
  ['note_outline', { path: 'Projects/Harbour.md' }, 'Harbour'],
  ['note_exists', { path: 'Tide table.md' }, 'true'],
  ['note_list', {}, 'Tide table.md'],
  ['note_related', { path: 'Tide table.md' }, 'Tide table'],
  ['vault_search', { query: 'crane' }, 'Harbour.md'],
  ['link_backlinks', { path: 'Tide table.md' }, 'Harbour.md'],
  ['link_forward', { path: 'Tide table.md' }, 'Harbour.md'],
  ['tag_notes', { tag: 'reference' }, 'Tide table.md'],
  ['task_list', {}, 'paint it'],
  ['folder_list', {}, 'Projects'],
];

const WRITES = [
  ['note_write', { path: 'New.md', body: 'x' }],
  ['note_patch', { path: 'Tide table.md', ops: [{ op: 'append_body', markdown: 'x' }] }],
  ['note_move', { from: 'Tide table.md', to: 'T.md' }],
  ['note_delete', { path: 'Tide table.md' }],
] as const;

const isAway = /^store: away since \d{4}-/;

async function expectAway({ session }: TestVault): Promise<void> {
  for (const [name, input, answer] of READS) {
    const { output, summary } = await answerOf(session, name, input);
    expect([name, JSON.stringify(output)]).toEqual([name, expect.stringContaining(answer)]);
    if (output.notice !== undefined || name !== 'note_exists')
      expect([name, summary]).toEqual([name, expect.stringMatching(isAway)]);
  }
  for (const [name, input] of WRITES)
    await expect(answerOf(session, name, input)).rejects.toMatchObject({ code: 'unavailable' });
  // A note of that name may have come meanwhile.
  await expect(session.open('Nowhere.md')).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('store: away since'),
  });
}

const AWAY: readonly (readonly [Generation, NonNullable<Faults['dead']>])[] = [
  ['deno', 'resets'],
  ['go', 'hangs'],
  ['rust', 'resets'],
];

describe('a vault whose SilverBullet goes away', () => {
  it.each(AWAY)(
    'is read from the index (%s, %s), after a restart of its own too, and not written',
    async (generation, dead) => {
      const space = await spaceOf(generation);
      const first = await served(space);
      const before = await first.session.open('Tide table.md');
      space.faults.dead = dead;
      await expectAway(first);
      expect((await first.session.open('Tide table.md')).etag).toBe(before.etag);
      const { folder, state } = first;
      await first.close();
      open.splice(open.indexOf(first), 1);
      const second = await served(space, { reopen: { folder, state }, wrapIndexed: (store) => store });
      await expectAway(second);
      const written = space.requests.filter((request) => /^(PUT|DELETE) /.test(request));
      expect(written).toEqual([]);

      space.faults.dead = undefined;
      await expect.poll(() => second.session.staleness(), { timeout: 20_000 }).toBeUndefined();
      const { summary } = await answerOf(second.session, 'note_read', { path: 'Tide table.md' });
      expect(summary).not.toContain('store:');
      await answerOf(second.session, 'note_patch', {
        path: 'Tide table.md',
        if_match: before.etag,
        ops: [{ op: 'append_body', markdown: 'Back.' }],
      });
      expect(String(space.files.get('Tide table.md')?.bytes)).toMatch(/Back\.\n$/);
    },
    120_000,
  );

  it('finds what was written meanwhile, and forgets what was removed', async () => {
    const space = await spaceOf('go');
    const vault = await served(space);
    space.faults.dead = 'resets';
    await expectAway(vault);
    space.write('Meanwhile.md', 'A walrus.\n');
    space.remove('Projects/Harbour.md');
    space.faults.dead = undefined;
    const found = async (query: string) =>
      (await vault.session.search({ query, mode: 'lexical', filter: {}, limit: 5 })).total;
    await expect.poll(() => found('walrus'), { timeout: 20_000 }).toBe(1);
    await expect.poll(() => found('crane'), { timeout: 20_000 }).toBe(0);
  }, 60_000);

  it('takes in the rest when it went away in the middle of the first index, and calls no note unreadable', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`Many/${at}.md`, `Note ${at} of many.\n`]),
    );
    const space = await spaceOf('rust', files);
    let reads = 0;
    const vault = await served(space, {
      wrapIndexed: (store) =>
        counted(store, () => {
          if (++reads === 3) space.faults.dead = 'resets';
        }),
    });
    await expect.poll(() => vault.session.staleness(), { timeout: 20_000 }).toMatch(isAway);
    expect((await vault.session.list({}, 'path', { limit: 1 })).total).toBeLessThan(150);
    space.faults.dead = undefined;
    await expect.poll(() => vault.session.staleness(), { timeout: 60_000 }).toBeUndefined();
    expect((await vault.session.list({}, 'path', { limit: 1 })).total).toBe(150);
    expect((await vault.session.status()).problems.items).toEqual([]);
  }, 120_000);
});

/** The store, which calls `step` before it reads files. */
function counted(store: Store, step: () => void): Store {
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        if (key === 'readMany') step();
        return value.apply(target, given);
      };
    },
  });
}
