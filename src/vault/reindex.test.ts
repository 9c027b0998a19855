import { afterAll, beforeAll, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import type { VaultChange } from './events.ts';
import { followIndex } from './reindex.ts';

let open: TestVault;

beforeAll(async () => {
  open = await openTestVault(
    Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`n${n}.md`, `#t${n % 7}\n`])),
  );
});

afterAll(async () => {
  await open.close();
  discard(open);
});

it('reads every file again, says how far it is, and ends with the same answers', async () => {
  const before = await open.session.tags({ limit: 100 });
  const heard: VaultChange[] = [];
  const stop = open.session.watch((changes) => void heard.push(...changes));
  const steps: [number, number][] = [];
  await open.session.reindex((done, total) => steps.push([done, total]), new AbortController().signal);
  stop();
  expect(heard).toHaveLength(300);
  expect(steps.at(-1)).toEqual([300, 300]);
  expect(await open.session.tags({ limit: 100 })).toEqual(before);
  expect(open.session.staleness()).toBeUndefined();
});

it('ends with the caller’s patience or the indexer’s failure', async () => {
  const state = { state: 'building' as const, done: 1, total: 2, message: undefined };
  const abort = new AbortController();
  const waiting = followIndex(
    () => state,
    () => {},
    abort.signal,
  );
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  const failed = followIndex(
    () => ({ ...state, state: 'failed', message: 'The disk is full.' }),
    () => {},
    new AbortController().signal,
  );
  await expect(failed).rejects.toMatchObject({ code: 'unavailable', message: 'The disk is full.' });
});
