import { expect, test } from 'vitest';
import { healthRoutes, type Readiness } from './health.ts';

async function ask(path: string, state: Readiness, isStopping = false) {
  const response = await healthRoutes(
    async () => state,
    () => isStopping,
  ).request(path);
  return { status: response.status, body: (await response.json()) as unknown };
}

const READY: Readiness = { store: 'ok', index: 'ready' };

test('a server that can serve a vault is ready, also while its index is built', async () => {
  for (const state of [
    READY,
    { store: 'partial', index: 'ready' },
    { store: 'ok', index: 'building' },
  ] as const)
    expect(await ask('/readyz', state)).toEqual({ status: 200, body: { ready: true, ...state } });
});

test('one without a vault, and one whose index failed, is not', async () => {
  for (const state of [
    { store: 'unreachable', index: 'unknown' },
    { store: 'ok', index: 'failed' },
  ] as const)
    expect(await ask('/readyz', state)).toEqual({ status: 503, body: { ready: false, ...state } });
});

test('one that is stopping is alive, and not ready for more', async () => {
  expect(await ask('/readyz', READY, true)).toEqual({ status: 503, body: { ready: false, stopping: true } });
  expect(await ask('/healthz', READY, true)).toEqual({ status: 200, body: { ok: true } });
});
