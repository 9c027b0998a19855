import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openMemoryStore } from '../../../test/doubles/memory-store.ts';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { LecternError } from '../../errors.ts';
import { writerPort } from '../../index/sqlite/write/port.ts';
import { openIndexWriter } from '../../index/sqlite/write/writer.ts';
import type { Store } from '../../stores/store.ts';
import type { CallMessage, CallReply } from '../../thread-calls.ts';
import { ChangeFeed } from '../events.ts';
import { IndexerClient } from './client.ts';
import type { IndexerEvent } from './protocol.ts';
import { serveIndexer } from './serve.ts';

const open: TestVault[] = [];
let folder: string | undefined;
afterEach(async () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

test('an error of the indexer keeps its code, details and next step on its way to whoever waits', async () => {
  let isAway = false;
  const away = new LecternError('unavailable', 'The drive is away.', {
    details: { drive: 'D' },
    next: 'Plug it in.',
  });
  const wrapIndexed = (store: Store): Store =>
    new Proxy(store, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (isAway && (key === 'list' || key === 'touchedSince')) throw away;
          return value.apply(target, given);
        };
      },
    });
  const vault = await openTestVault({ 'a.md': '# A\n', 'b.md': '[[a#A]]\n' }, { wrapIndexed });
  open.push(vault);
  await vault.vault.indexed();
  isAway = true;
  const { session } = vault;
  await expect(
    session.patch('a.md', [{ op: 'rename_heading', from: 'A', to: 'B' }], { tool: 'test' }),
  ).rejects.toMatchObject({ code: 'unavailable', details: { drive: 'D' }, next: 'Plug it in.' });
  isAway = false;
  await session.patch('a.md', [{ op: 'rename_heading', from: 'A', to: 'B' }], { tool: 'test' });
  expect(vault.file('b.md')).toBe('[[a#B]]\n');
});

/** Both sides in this thread; the messages are copied on their way. */
function connected(helpers: Parameters<typeof serveIndexer>[4]) {
  let toClient: (message: CallReply<IndexerEvent>) => void = () => {};
  let toServer: (message: CallMessage) => void = () => {};
  let exit: (error: Error) => void = () => {};
  const logged: string[] = [];
  const client = new IndexerClient(
    {
      post: (message) => void setImmediate(() => toServer(structuredClone(message))),
      onReply: (listener) => {
        toClient = listener;
      },
      onExit: (listener) => {
        exit = listener;
      },
      terminate: async () => {},
    },
    new ChangeFeed(() => {}),
    (_, message) => logged.push(message),
  );
  folder = mkdtempSync(join(tmpdir(), 'lectern-indexer-'));
  void serveIndexer(
    {
      onRequest: (listener) => {
        toServer = listener;
      },
      post: (message) => void setImmediate(() => toClient(structuredClone(message))),
    },
    openMemoryStore({ files: {} }),
    writerPort(openIndexWriter(join(folder, 'index.db'), { dialect: 'obsidian' })),
    'obsidian',
    helpers,
  );
  return { client, logged, die: () => exit(new Error('exit code 1')) };
}

test('a job that cannot be started beside the indexer is told of and ends nothing', async () => {
  const { client, logged } = connected({
    startEmbedding: () => {
      throw new Error('no model');
    },
  });
  await client.ready();
  await client.sync();
  expect(logged).toContain('no model');
  await client.close();
});

test('whoever asks an indexer that has stopped is told so at once, as is whoever waits', async () => {
  const { client, logged, die } = connected({});
  await client.ready();
  const waiting = client.sync();
  die();
  for (const asked of [waiting, client.sync(), client.index(['a.md'])])
    await expect(asked).rejects.toMatchObject({
      code: 'unavailable',
      next: expect.stringContaining('Restart the server'),
    });
  expect(client.state.state).toBe('failed');
  expect(logged).toEqual(['The indexer stopped: exit code 1']);
});
