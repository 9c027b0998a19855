import { expect, test } from 'vitest';
import { etagOf } from '../src/notes/etag.ts';
import { openSilverBulletStore } from '../src/stores/silverbullet/silverbullet-store.ts';
import type { Store } from '../src/stores/store.ts';
import { describeStoreContract } from '../src/stores/store-contract.ts';
import { type Generation, type Space, type SpaceOptions, startSpace } from './silverbullet/server.ts';

/** The store contract on each generation of SilverBullet's server, and what servers do when they do not do it right. */

const GENERATIONS: readonly Generation[] = ['deno', 'go', 'rust'];
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (data: Uint8Array) => new TextDecoder().decode(data);

for (const generation of GENERATIONS)
  describeStoreContract(`SilverBullet (${generation})`, {
    without: ['settings', 'bare names', ...(generation === 'deno' ? (['times'] as const) : [])],
    open: async (files, options) => {
      const space = await startSpace({ generation, files });
      const open = () => openSilverBulletStore({ url: space.url, secret: () => undefined, ...options });
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
  secret?: string,
): Promise<{ space: Space; store: Store; end(): Promise<void> }> {
  const space = await startSpace({ generation: 'go', files: { 'a.md': 'A' }, ...options });
  const store = openSilverBulletStore({ url: space.url, secret: () => secret, timeoutMs: 1_000 });
  return {
    space,
    store,
    async end() {
      await store.close();
      await space.close();
    },
  };
}

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

test.each(GENERATIONS)('a write to a read-only %s space is refused as that', async (generation) => {
  const { space, store, end } = await opened({ generation });
  space.faults = { readOnly: true };
  await expect(store.create('new.md', bytes('x'))).rejects.toMatchObject({ code: 'read_only' });
  await expect(store.replace('a.md', bytes('x'), { expectedEtag: etagOf(bytes('A')) })).rejects.toMatchObject(
    { code: 'read_only' },
  );
  await expect(store.trash('a.md')).rejects.toMatchObject({ code: 'read_only' });
  expect(space.files.get('a.md')?.bytes.toString()).toBe('A');
  await end();
});

test('a redirect is not followed: another address sees no token', async () => {
  const { space, end } = await opened({ prefix: '/notes' });
  const lost = openSilverBulletStore({
    url: space.url.replace('/notes', '/elsewhere'),
    secret: () => 'T0ken',
  });
  await expect(lost.read('a.md')).rejects.toMatchObject({
    code: 'unavailable',
    next: expect.stringContaining('address'),
  });
  expect(space.requests.filter((request) => !request.includes('elsewhere'))).toEqual([]);
  await end();
});

test('a write whose answer was lost is read back: once is enough', async () => {
  const { space, store, end } = await opened();
  space.faults = { cut: 'after' };
  await store.replace('a.md', bytes('B'), { expectedEtag: etagOf(bytes('A')) });
  await store.create('b.md', bytes('new'));
  expect(space.requests.filter((request) => request.startsWith('PUT'))).toEqual([
    'PUT /.fs/a.md',
    'PUT /.fs/b.md',
  ]);
  await store.remove('b.md', { expectedEtag: etagOf(bytes('new')) });
  expect([...space.files.keys()]).toEqual(['a.md']);
  await end();
});

test('a write that did not reach the server is not repeated, and said', async () => {
  const { space, store, end } = await opened();
  space.faults = { cut: 'before' };
  await expect(store.replace('a.md', bytes('B'), { expectedEtag: etagOf(bytes('A')) })).rejects.toMatchObject(
    { code: 'unavailable' },
  );
  expect(space.requests.filter((request) => request.startsWith('PUT'))).toHaveLength(1);
  expect(space.files.get('a.md')?.bytes.toString()).toBe('A');
  await end();
});

test('a file that a broken write left in half is made whole', async () => {
  const { space, store, end } = await opened();
  space.faults = { cut: 'torn' };
  await store.replace('a.md', bytes('a longer text'), { expectedEtag: etagOf(bytes('A')) });
  expect(space.files.get('a.md')?.bytes.toString()).toBe('a longer text');
  await end();
});

test('half an answer is no file and no listing', async () => {
  const { space, store, end } = await opened({ files: { 'a.md': 'A text of some length' } });
  space.faults = { halfAnswers: true };
  await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
  await expect(store.list()).rejects.toMatchObject({ code: 'unavailable' });
  await end();
});

test('a listing that is older than a write loses nothing', async () => {
  const { space, store, end } = await opened();
  await store.list();
  space.faults = { staleListing: true };
  await store.list();
  await store.create('b.md', bytes('B'));
  expect((await store.list()).entries.map(({ path }) => path).sort()).toEqual(['a.md', 'b.md']);
  await end();
});

test('a server that is slow, fails or is gone is away, and is served again when it is back', async () => {
  const { space, store, end } = await opened();
  await store.list();
  for (const faults of [{ slow: 3_000 }, { status: 502 }]) {
    space.faults = faults;
    await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
    space.faults = {};
    expect(text((await store.read('a.md')).bytes)).toBe('A');
  }
  await end();
  await expect(store.read('a.md')).rejects.toMatchObject({ code: 'unavailable' });
  expect(await store.awaySince?.()).toBeLessThanOrEqual(Date.now());
});

test('a clock that is off changes nothing', async () => {
  const { space, store, end } = await opened();
  space.faults = { skew: -86_400_000 };
  const entry = await store.replace('a.md', bytes('B'), { expectedEtag: etagOf(bytes('A')) });
  expect(entry.version).toBe((await store.stat('a.md'))?.version);
  space.faults = { skew: 86_400_000 };
  space.write('a.md', 'C');
  expect((await store.stat('a.md'))?.version).not.toBe(entry.version);
  await end();
});

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
