import { Hono } from 'hono';
import type { IndexState } from '../vault/session.ts';

export interface Readiness {
  /** `partial`: of several vaults, at least one cannot be reached. */
  readonly store: 'ok' | 'partial' | 'unreachable';
  readonly index: IndexState['state'] | 'unknown';
}

/** Time limit of a check on a drive that does not answer, ms. */
const CHECK_LIMIT_MS = 5000;

/**
 * Health for monitoring. It reveals nothing about notes, so it needs no authentication. A vault that is still
 * being indexed is ready: answers are correct for what is indexed.
 *
 * @param isStopping whether the server accepts no more requests; a load balancer must then use another one
 */
export function healthRoutes(check: () => Promise<Readiness>, isStopping: () => boolean): Hono {
  const routes = new Hono();
  routes.get('/healthz', (c) => c.json({ ok: true }));
  routes.get('/health', (c) => c.json({ status: 'ok' }));
  routes.get('/readyz', async (c) => {
    if (isStopping()) return c.json({ ready: false, stopping: true }, 503);
    const state = await withinLimit(check());
    const ready = state.store !== 'unreachable' && state.index !== 'failed';
    return c.json({ ready, ...state }, ready ? 200 : 503);
  });
  return routes;
}

async function withinLimit(check: Promise<Readiness>): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve({ store: 'unreachable', index: 'unknown' }), CHECK_LIMIT_MS);
  });
  try {
    return await Promise.race([check, limit]);
  } finally {
    clearTimeout(timer);
  }
}
