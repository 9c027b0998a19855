import { describe, expect, test } from 'vitest';
import { etagOf } from '../src/notes/etag.ts';
import { openSilverBulletStore } from '../src/stores/silverbullet/silverbullet-store.ts';
import type { Store } from '../src/stores/store.ts';
import { describeStoreContract } from '../src/stores/store-contract.ts';
import {
  type Faults,
  type Generation,
  type Space,
  type SpaceOptions,
  startSpace,
} from './silverbullet/server.ts';

/** The store contract on each generation of SilverBullet's server, and what servers do when they do not do it right. */

const GENERATIONS: readonly Generation[] = ['deno', 'go', 'rust'];
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

for (const generation of GENERATIONS)
  describeStoreContract(`SilverBullet (${generation})`, {
    without: ['settings', 'bare names', ...(generation === 'deno' ? (['times'] as const) : [])],
    open: async (files, options) => {
      const space = await startSpace({ generation, files });
      const open = () =>
        openSilverBulletStore({ url: space.url, secret: () => undefined, listMs: 100, ...options });
      const [store, outside] = [open(), open()];
      return {
        store,
        outside,
        async dispose() {
          await store.close();
          await outside.close();
          await space.close();
        },
      };
    },
  });

async function opened(
  options: Partial<SpaceOptions> = {},
  secret?: string | (() => string | undefined),
  timeoutMs = 20_000,
): Promise<{ space: Space; store: Store; end(): Promise<void> }> {
  const space = await startSpace({ generation: 'go', files: { 'a.md': 'A' }, ...options });
  const store = openSilverBulletStore({
    url: space.url,
    secret: () => (typeof secret === 'function' ? secret() : secret),
    timeoutMs,
  });
  return {
    space,
    store,
    async end() {
      await store.close();
      await space.close();
    },
  };
}

const isListing = (request: string) => request === 'GET /.fs';
const etag = (content: string) => ({ expectedEtag: etagOf(bytes(content)) });

test.each(GENERATIONS)(
  'a token or a login opens a %s server, and a session that ended is begun again',
  async (generation) => {
    const options = { generation, user: 'me:secret', token: 'T0ken', prefix: '/notes' };
    const byToken = await opened(options, 'T0ken');
    expect(text((await byToken.store.read('a.md')).bytes)).toBe('A');
    await byToken.end();
    const byLogin = await opened(options, 'me:secret');
    expect((await byLogin.store.list()).entries.map(({ path }) => path)).toEqual(['a.md']);
    byLogin.space.endSessions();
    await byLogin.store.replace('a.md', bytes('B'), { expectedEtag: etagOf(bytes('A')) });
    expect(byLogin.space.files.get('a.md')?.bytes.toString()).toBe('B');
    await byLogin.end();
    for (const wrong of ['me:wrong', 'wrong', undefined]) {
      const refused = await opened(options, wrong);
      const error = await refused.store.read('a.md').catch((found: unknown) => found);
      expect(error).toMatchObject({ code: 'unavailable', message: 'SilverBullet does not let Lectern in.' });
      if (wrong)
        expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(
          wrong.split(':')[1] ?? wrong,
        );
      await refused.end();
    }
  },
);

describe.each(GENERATIONS)('a %s server', (generation) => {
  const begin = (options: Partial<SpaceOptions> = {}, secret?: string | (() => string | undefined)) =>
    opened({ generation, ...options }, secret);

  test('is there, whether it lets a ping in or not', async () => {
    const { store, end } = await begin({ user: 'me:secret', token: 'T0ken' }, 'wrong');
    await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await store.awaySince?.()).toBeUndefined();
    await end();
    await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await store.awaySince?.()).toBeLessThanOrEqual(Date.now());
  });

  test('is asked so that it does not lead to the page of the app, and follows no redirect: another address sees no token', async () => {
    const { space, store, end } = await begin({ prefix: '/notes' });
    expect((await store.list()).entries.map(({ path }) => path)).toEqual(['a.md']);
    const before = space.requests.length;
    const lost = openSilverBulletStore({
      url: space.url.replace('/notes', '/elsewhere'),
      secret: () => 'T0ken',
    });
    await expect(lost.read('a.md')).rejects.toMatchObject({
      code: 'unavailable',
      next: expect.stringContaining('address'),
    });
    expect(space.requests.slice(before).filter((request) => !request.includes('elsewhere'))).toEqual([]);
    await end();
  });

  test('lists files but for its plugs, and those with a dot before or without one in their name', async () => {
    const files = { 'a.md': 'A', 'dir/b.png': 'B', '.hidden.md': 'h', 'dir/.git/c.md': 'c', README: 'r' };
    const { store, end } = await begin({ files });
    const { entries } = await store.list();
    expect(entries.map(({ path, size, kind }) => [path, size, kind]).sort()).toEqual([
      ['a.md', 1, 'note'],
      ['dir/b.png', 1, 'attachment'],
    ]);
    expect(entries.every(({ mtimeMs, birthtimeMs }) => mtimeMs > 1e12 && birthtimeMs > 1e12)).toBe(true);
    await end();
  });

  test('gives the bytes as they are, packed or not, with their times', async () => {
    const content = `\ufeffünïcode 🎉\r\n${'long '.repeat(5_000)}`;
    const { space, store, end } = await begin({ files: { 'dir/ä b#c.md': content } });
    const { entry, bytes: read } = await store.read('dir/ä b#c.md');
    expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(read)).toBe(content);
    expect(entry).toEqual(await store.stat('dir/ä b#c.md'));
    expect([entry.size, entry.mtimeMs]).toEqual([
      Buffer.byteLength(content),
      space.files.get('dir/ä b#c.md')?.modified,
    ]);
    await expect(store.read('none.md')).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.stat('none.md')).toBeUndefined();
    await end();
  });

  test('is not asked to write what it would refuse or not list', async () => {
    const { space, store, end } = await begin();
    for (const path of ['README', 'dir/.hidden.md', '../up.md', '_plug/x.md', '_trash/lectern/x.md'])
      await expect(store.create(path, bytes('x'))).rejects.toMatchObject({ code: 'invalid_path' });
    expect(space.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
    await end();
  });

  test('keeps the time of a note that is moved, where it can', async () => {
    const { space, store, end } = await begin();
    const before = space.files.get('a.md')?.modified;
    await store.move('a.md', 'dir/moved.md');
    const after = space.files.get('dir/moved.md')?.modified;
    expect([...space.files.keys()]).toEqual(['dir/moved.md']);
    if (generation === 'deno') expect(after).toBeGreaterThan(before ?? 0);
    else expect(after).toBe(before);
    await end();
  });

  test('has removed what somebody else removed a moment before, whatever it says to that', async () => {
    const { space, store, end } = await begin();
    space.faults = { forestalled: true };
    await store.remove('a.md', etag('A'));
    expect([...space.files.keys()]).toEqual([]);
    expect((await store.list()).entries).toEqual([]);
    await end();
  });

  test('refuses a write to a read-only space as that', async () => {
    const { space, store, end } = await begin();
    space.faults = { readOnly: true };
    const readOnly = { code: 'read_only' };
    await expect(store.create('new.md', bytes('x'))).rejects.toMatchObject(readOnly);
    await expect(store.replace('a.md', bytes('x'), etag('A'))).rejects.toMatchObject(readOnly);
    await expect(store.move('a.md', 'b.md')).rejects.toMatchObject(readOnly);
    await expect(store.trash('a.md')).rejects.toMatchObject(readOnly);
    await expect(store.remove('a.md', etag('A'))).rejects.toMatchObject(readOnly);
    expect([...space.files].map(([path, { bytes: data }]) => [path, data.toString()])).toEqual([
      ['a.md', 'A'],
    ]);
    await end();
  });

  test('is asked again with a token that was made anew, and shows neither', async () => {
    const secrets = ['old-token', 'T0ken'];
    let at = 1;
    const { space, store, end } = await begin({ user: 'me:secret', token: 'T0ken' }, () => secrets[at]);
    await store.replace('a.md', bytes('B'), etag('A'));
    at = 0;
    const error = await store.replace('a.md', bytes('C'), etag('B')).catch((found: unknown) => found);
    expect(error).toMatchObject({ code: 'unavailable', message: 'SilverBullet does not let Lectern in.' });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('old-token');
    expect(space.files.get('a.md')?.bytes.toString()).toBe('B');
    at = 1;
    await store.replace('a.md', bytes('C'), etag('B'));
    expect(space.files.get('a.md')?.bytes.toString()).toBe('C');
    await end();
  });

  test('is read back when the answer to a write was lost: once is enough', async () => {
    const { space, store, end } = await begin();
    space.faults = { cut: 'after' };
    await store.replace('a.md', bytes('B'), etag('A'));
    await store.create('b.md', bytes('new'));
    expect(space.requests.filter((request) => request.startsWith('PUT'))).toEqual([
      'PUT /.fs/a.md',
      'PUT /.fs/b.md',
    ]);
    await store.remove('b.md', etag('new'));
    expect([...space.files.keys()]).toEqual(['a.md']);
    await store.move('a.md', 'c.md');
    expect([...space.files].map(([path, { bytes: data }]) => [path, data.toString()])).toEqual([
      ['c.md', 'B'],
    ]);
    await end();
  });

  test('is not written to again when a write did not reach it', async () => {
    const { space, store, end } = await begin();
    space.faults = { cut: 'before' };
    await expect(store.replace('a.md', bytes('B'), etag('A'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(space.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1);
    expect(space.files.get('a.md')?.bytes.toString()).toBe('A');
    await end();
  });

  test('has a file made whole that a broken write left in half', async () => {
    const { space, store, end } = await begin();
    space.faults = { cut: 'torn' };
    await store.replace('a.md', bytes('a longer text'), etag('A'));
    expect(space.files.get('a.md')?.bytes.toString()).toBe('a longer text');
    await end();
  });

  test('is not believed half an answer', async () => {
    const { space, store, end } = await begin({ files: { 'a.md': 'A text of some length' } });
    space.faults = { halfAnswers: true };
    await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.list()).rejects.toMatchObject({ code: 'unavailable' });
    await end();
  });

  test('loses nothing by a listing that is older than a write', async () => {
    const { space, store, end } = await begin();
    await store.list();
    space.faults = { staleListing: true };
    await store.list();
    await store.create('b.md', bytes('B'));
    expect((await store.list()).entries.map(({ path }) => path).sort()).toEqual(['a.md', 'b.md']);
    await end();
  });

  test('may have a clock that is off, or stands still', async () => {
    const { space, store, end } = await begin();
    space.faults = { skew: -86_400_000 };
    const entry = await store.replace('a.md', bytes('B'), etag('A'));
    expect(entry.version).toBe((await store.stat('a.md'))?.version);
    space.faults = { skew: 86_400_000 };
    space.write('a.md', 'C');
    expect((await store.stat('a.md'))?.version).not.toBe(entry.version);
    // Of one time and one length: only the bytes tell them apart, and they are compared.
    space.faults = { still: true };
    space.write('a.md', 'D');
    await expect(store.replace('a.md', bytes('E'), etag('C'))).rejects.toMatchObject({ code: 'conflict' });
    expect(space.files.get('a.md')?.bytes.toString()).toBe('D');
    await end();
  });

  test('is not asked for its listing with each of many writes', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`Many/${at}.md`, `${at}`]));
    const { space, store, end } = await begin({ files });
    await store.list();
    const before = space.requests.length;
    const started = Date.now();
    for (let at = 0; at < 20; at++) {
      await store.create(`New/${at}.md`, bytes(`${at}`));
      await store.move(`Many/${at}.md`, `Moved/${at}.md`);
      await store.trash(`Many/${at + 100}.md`);
      await expect(store.read(`None/${at}.md`)).rejects.toMatchObject({ code: 'not_found' });
    }
    // Without a stream of changes what is known is made anew every two seconds.
    const most = Math.ceil((Date.now() - started) / 2_000);
    expect(space.requests.slice(before).filter(isListing).length).toBeLessThanOrEqual(most);
    expect((await store.list()).entries).toHaveLength(300);
    await end();
  });

  test('has no file overwritten that came since it was listed', async () => {
    const { space, store, end } = await begin({ files: { 'a.md': 'A', 'b.md': 'B' } });
    await store.list();
    space.write('new.md', 'theirs');
    await expect(store.create('new.md', bytes('mine'))).rejects.toMatchObject({ code: 'exists' });
    await expect(store.move('a.md', 'new.md')).rejects.toMatchObject({ code: 'exists' });
    expect(space.files.get('new.md')?.bytes.toString()).toBe('theirs');
    space.remove('b.md');
    await store.create('b.md', bytes('mine'));
    expect(space.files.get('b.md')?.bytes.toString()).toBe('mine');
    await end();
  });
});

// Each waits until an answer is given up: all of them at once.
const FAULTS: readonly Faults[] = [{ slow: 6_000 }, { status: 502 }, { dead: 'hangs' }, { dead: 'resets' }];
test.concurrent.each(GENERATIONS.flatMap((generation) => FAULTS.map((faults) => ({ generation, faults }))))(
  'a server is away by $generation $faults, or when it is gone, and served again when it is back',
  async ({ generation, faults }) => {
    const { space, store, end } = await opened({ generation }, undefined, 2_000);
    await store.list();
    space.faults = faults;
    await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.replace('a.md', bytes('B'), etag('A'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    space.faults = {};
    expect(text((await store.read('a.md')).bytes)).toBe('A');
    expect(await store.awaySince?.()).toBeUndefined();
    await end();
    await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await store.awaySince?.()).toBeLessThanOrEqual(Date.now());
  },
);

test('what happens on a server with a stream of changes is known at once, without listing again', async () => {
  const { space, store, end } = await opened({ generation: 'rust' });
  let cursor = (await store.changesSince?.(undefined))?.cursor;
  const next = async () => {
    const found = await store.changesSince?.(cursor);
    cursor = found?.cursor;
    return found?.changes ?? [];
  };
  await next();
  await expect.poll(() => space.requests.filter((request) => request === 'GET /.events').length).toBe(1);
  await expect.poll(() => space.requests.filter((request) => request === 'GET /.fs').length).toBe(2);
  const before = space.requests.length;
  space.write('b.md', 'B');
  await expect.poll(next).toEqual([{ kind: 'changed', path: 'b.md' }]);
  space.remove('a.md');
  await expect.poll(next).toEqual([{ kind: 'removed', path: 'a.md' }]);
  expect(space.requests.slice(before).filter((request) => request === 'GET /.fs')).toEqual([]);
  await end();
});
