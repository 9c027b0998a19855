import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStore } from '../../../test/doubles/memory-store.ts';
import { LecternError } from '../../errors.ts';
import { openIndexReader } from '../../index/sqlite/read/reader.ts';
import { writerPort } from '../../index/sqlite/write/port.ts';
import { preparedInput, transferables } from '../../index/sqlite/write/rows.ts';
import { openIndexWriter } from '../../index/sqlite/write/writer.ts';
import type { Store } from '../../stores/store.ts';
import { digest } from './digest.ts';
import { type DigestThread, digestThread, serveDigests } from './digest-thread.ts';
import { Indexer } from './indexer.ts';

let folder: string;
let running: Indexer | undefined;
const threads: { closed: boolean; digested: number }[] = [];
const errors: unknown[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-digests-'));
  threads.length = 0;
  errors.length = 0;
});

afterEach(async () => {
  await running?.close();
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** Both ends in this thread, with a real channel between them: what passes is copied and handed over as between threads. */
function thread(store: Store, diesAfter = Number.POSITIVE_INFINITY): DigestThread {
  const { port1: near, port2: far } = new MessageChannel();
  const facts = { closed: false, digested: 0 };
  threads.push(facts);
  serveDigests(
    {
      onRequest: (listener) => far.on('message', listener),
      post: (reply, transfer) => {
        if ('result' in reply && Array.isArray(reply.result)) facts.digested += reply.result.length;
        far.postMessage(reply, transfer as ArrayBuffer[]);
      },
    },
    store,
    (entry, bytes) => {
      const { input, problem } = digest(entry, bytes, 'obsidian');
      return { input: preparedInput(input, 'obsidian'), problem };
    },
    transferables,
  );
  return digestThread({
    post: (request) => near.postMessage(request),
    onReply: (listener) => near.on('message', listener),
    onExit(listener) {
      near.on('message', () => {
        if (facts.digested > diesAfter) listener(new Error('out of memory'));
      });
    },
    async terminate() {
      facts.closed = true;
      near.close();
    },
  });
}

async function indexed(store: Store, startDigestThread?: () => DigestThread): Promise<Indexer> {
  running = new Indexer({
    store,
    writer: writerPort(openIndexWriter(join(folder, 'index.db'), { dialect: 'obsidian' })),
    digest: (entry, bytes) => digest(entry, bytes, 'obsidian'),
    ...(startDigestThread && { startDigestThread }),
    onState: () => {},
    onChanges: () => {},
    onProblems: () => {},
    onError: (error) => errors.push(error),
  });
  await running.start();
  await running.sync();
  return running;
}

function vault(notes: number): Store {
  const files: Record<string, string> = { 'picture.png': 'p', 'board.canvas': '{"nodes":[]}' };
  for (let at = 0; at < notes; at += 1)
    files[`n${at}.md`] = `# Note ${at}\n\n#tag [[n${(at + 1) % notes}]] wörd${at} don't`;
  return openMemoryStore({ files });
}

const search = (text: string) => ({
  required: [{ text, phrase: false, prefix: false }],
  optional: [],
  excluded: [],
});

async function complete(notes: number): Promise<void> {
  const reader = openIndexReader(join(folder, 'index.db'));
  try {
    expect(await reader.counts()).toMatchObject({ notes, files: notes + 2, links: notes, unresolved: 0 });
    expect((await reader.text('n7.md'))?.text).toContain("[[n8]] wörd7 don't");
    for (const word of ['word7', 'wörd7']) {
      const { items } = await reader.lexical(search(word), { limit: 5 });
      expect(items.map(({ path }) => path)).toEqual(['n7.md']);
    }
    expect((await reader.backlinks('n8.md', { limit: 5 })).items.map(({ source }) => source)).toEqual([
      'n7.md',
    ]);
  } finally {
    await reader.close();
  }
}

test('many files are digested in a thread, which is ended when they are indexed', async () => {
  const store = vault(1500);
  await indexed(store, () => thread(store));
  expect(errors).toEqual([]);
  expect(threads).toEqual([{ closed: true, digested: 1502 }]);
  await complete(1500);
});

test('a single note starts no thread', async () => {
  const store = vault(20);
  const indexer = await indexed(store, () => thread(store));
  await store.create('new.md', new TextEncoder().encode('fresh'));
  await indexer.index(['new.md']);
  expect(threads).toEqual([]);
});

test('when the thread dies the rest is digested here, and nothing is missing', async () => {
  const store = vault(1500);
  await indexed(store, () => thread(store, 300));
  expect(errors).toEqual([new Error('out of memory')]);
  expect(threads[0]?.closed).toBe(true);
  await complete(1500);
});

test('a thread that cannot be started ends nothing: the files are digested here', async () => {
  await indexed(vault(1500), () => {
    throw new Error('no more threads');
  });
  expect(errors).toEqual([new Error('no more threads')]);
  await complete(1500);
});

test('a batch that fails in the thread says why here, and is digested here', async () => {
  const store = vault(1500);
  const failing: Store = Object.create(store, {
    readMany: {
      get: () => {
        throw new LecternError('unavailable', 'The drive is away.', {
          details: { drive: 'D' },
          next: 'Plug it in.',
        });
      },
    },
  });
  await indexed(store, () => thread(failing));
  expect(errors).toEqual([
    expect.objectContaining({ code: 'unavailable', details: { drive: 'D' }, next: 'Plug it in.' }),
  ]);
  await complete(1500);
});

test('a build that is closed in the middle leaves what waits, and the next start finishes it', async () => {
  const store = vault(6000);
  const kept: Store = { ...store, list: (...args) => store.list(...args), close: async () => {} };
  const writer = openIndexWriter(join(folder, 'index.db'), { dialect: 'obsidian' });
  let finished = 0;
  let taken = () => {};
  const begun = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const indexer = new Indexer({
    store: kept,
    writer: Object.assign(Object.create(writer), {
      apply: (...args: Parameters<typeof writer.apply>) => {
        writer.apply(...args);
        taken();
      },
      beginBulk: () => writer.beginBulk(),
      endBulk: () => finished++,
      epoch: () => writer.epoch(),
      known: () => writer.known(),
      problems: () => writer.problems(),
      isComplete: () => writer.isComplete(),
      close: () => writer.close(),
    }),
    digest: (entry, bytes) => digest(entry, bytes, 'obsidian'),
    startDigestThread: () => thread(kept),
    onState: () => {},
    onChanges: () => {},
    onProblems: () => {},
    onError: (error) => errors.push(error),
  });
  await indexer.start();
  await begun;
  await indexer.close();
  expect(errors).toEqual([]);
  expect(finished).toBe(0);
  expect(threads[0]?.closed).toBe(true);
  expect(threads[0]?.digested).toBeLessThan(3000);
  await indexed(store, () => thread(store));
  await complete(6000);
});

test('files that cannot be read or go away meanwhile do not hold up the others', async () => {
  const store = vault(1200);
  const broken: Store = {
    ...store,
    list: (...args) => store.list(...args),
    read: async (path) => {
      if (path === 'n3.md') throw new Error('a bad sector');
      if (path === 'n4.md') await store.trash('n4.md');
      return store.read(path);
    },
  };
  await indexed(broken, () => thread(broken));
  expect(errors).toEqual([]);
  const reader = openIndexReader(join(folder, 'index.db'));
  expect(await reader.file('n3.md')).toMatchObject({ etag: undefined });
  expect(await reader.file('n4.md')).toBeUndefined();
  expect((await reader.counts()).files).toBe(1201);
  await reader.close();
});
