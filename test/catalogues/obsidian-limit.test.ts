import { expect, it, onTestFinished } from 'vitest';
import { obsidianIdentity } from '../../src/catalogues/obsidian/identity.ts';
import type { Store } from '../../src/stores/store.ts';
import { Gate, overriding } from '../support/overriding.ts';
import { openObsidianWire } from './obsidian-wire.ts';

/** The 30 s of the contract, played with a shorter limit at the door: −32006, and nothing half done. */

const FILES = { 'A.md': 'a\n', 'One.md': '[[A]]\n', 'Two.md': 'see [[A]]\n' };
const TIMEOUT = { code: -32_006, data: { errorCode: 'TIMEOUT' } };
/** Long enough to begin a write on a busy machine. */
const LIMIT_MS = 2000;

/** A vault whose store waits at a gate before it reads, and at another before it moves. */
async function gatedWire(callLimitMs: number) {
  const reading = new Gate();
  const moving = new Gate();
  const wrap = (store: Store): Store =>
    overriding(store, {
      read: async (path) => {
        await reading.pass();
        return await store.read(path);
      },
      move: async (...given) => {
        await moving.pass();
        return await store.move(...given);
      },
    });
  const wire = await openObsidianWire(FILES, { wrap, callLimitMs });
  onTestFinished(async () => {
    reading.open();
    moving.open();
    await wire.close();
  });
  const history = async () => (await wire.vault.session.history({ limit: 10 })).items.length;
  return { wire, reading, moving, history };
}

it('is 30 s where nobody says otherwise', () => {
  expect(obsidianIdentity.protocol.callLimitMs).toBe(30_000);
});

it.each([
  ['obsidian_read_note', { path: 'A.md' }],
  ['obsidian_append_note', { path: 'A.md', content: 'x' }],
  ['obsidian_set_property', { path: 'A.md', name: 'n', value: 1 }],
  ['obsidian_move_note', { path: 'A.md', to: 'Box/B.md' }],
  ['obsidian_rename_note', { path: 'A.md', name: 'B' }],
  ['obsidian_search_with_context', { query: 'see' }],
])('%s that is not done in time changes nothing, then or later', async (name, given) => {
  const { wire, reading, history } = await gatedWire(100);
  reading.shut();
  expect(await wire.call(name, given)).toMatchObject(TIMEOUT);
  reading.open();
  // What comes after it would find what it had left behind.
  expect(await wire.call('obsidian_read_note', { path: 'A.md' })).toEqual({ path: 'A.md', content: 'a\n' });
  await wire.vault.vault.indexed();
  expect(wire.vault.files()).toEqual(FILES);
  expect(await history()).toBe(0);
});

const MOVED = { 'Box/B.md': 'a\n', 'One.md': '[[B]]\n', 'Two.md': 'see [[B]]\n' };

it('a move that had begun when its time was up is carried out as a whole and answered', async () => {
  const { wire, moving } = await gatedWire(LIMIT_MS);
  moving.shut();
  const send = (id: number, name: string, given: object) =>
    wire.line(
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }),
    );
  send(1, 'obsidian_move_note', { path: 'A.md', to: 'Box/B.md' });
  await moving.reached;
  // A call that came later is told first that its time is up.
  send(2, 'obsidian_append_note', { path: 'Two.md', content: 'x' });
  expect(JSON.parse(await wire.next())).toMatchObject({ id: 2, error: TIMEOUT });
  moving.open();
  const { id, result } = JSON.parse(await wire.next());
  expect([id, JSON.parse(result.content[0].text)]).toMatchObject([
    1,
    { success: true, data: { to: 'Box/B.md', linksUpdated: 2 } },
  ]);
  expect(wire.vault.files()).toEqual(MOVED);
});

it('one that takes longer still is told to be perhaps carried out, and is, as a whole', async () => {
  const { wire, moving, history } = await gatedWire(LIMIT_MS);
  moving.shut();
  const moved = wire.call('obsidian_move_note', { path: 'A.md', to: 'Box/B.md' });
  await moving.reached;
  expect(await moved).toMatchObject({
    code: -32_006,
    data: { errorCode: 'TIMEOUT', nextStep: expect.stringContaining('may still be carried out') },
  });
  moving.open();
  await expect.poll(() => wire.vault.files(), { timeout: 10_000 }).toEqual(MOVED);
  expect(await history()).toBe(1);
});
