import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Presence } from './presence.ts';

const START = 1_700_000_000_000;
beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that answers a ping after so many ms, or says after so many that it does not. */
function server(ms: number, isThere: () => boolean) {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return isThere();
  };
  return { ask, asked: () => asked };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(ms);
  return await work;
}

describe('Presence', () => {
  it('asks nobody who has just answered', async () => {
    const presence = new Presence();
    const { ask, asked } = server(10, () => true);
    presence.heard();
    expect(await presence.awaySince(ask)).toBeUndefined();
    expect(asked()).toBe(0);
    vi.setSystemTime(START + 10_000);
    expect(await within(10, presence.awaySince(ask))).toBeUndefined();
    expect(asked()).toBe(1);
  });

  it('asks once for all who want to know at the same time', async () => {
    const presence = new Presence();
    const { ask, asked } = server(10, () => false);
    const answers = await within(10, Promise.all([1, 2, 3].map(() => presence.awaySince(ask))));
    expect(new Set(answers)).toEqual(new Set([START + 10]));
    expect(asked()).toBe(1);
  });

  it('leaves one alone that says nothing, for twice as long as it was waited for', async () => {
    const presence = new Presence();
    const { ask, asked } = server(1000, () => false);
    const since = await within(1000, presence.awaySince(ask));
    expect(since).toBe(START + 1000);
    vi.setSystemTime(START + 2999);
    expect(await presence.awaySince(ask)).toBe(since);
    expect(asked()).toBe(1);
    vi.setSystemTime(START + 3000);
    expect(await within(1000, presence.awaySince(ask))).toBe(since);
    expect(asked()).toBe(2);
  });

  it('asks one again at once that refuses at once, and whatever was heard counts', async () => {
    const presence = new Presence();
    const { ask, asked } = server(0, () => false);
    await within(0, presence.awaySince(ask));
    await within(0, presence.awaySince(ask));
    expect(asked()).toBe(2);
    presence.heard();
    expect(await presence.awaySince(ask)).toBeUndefined();
  });
});
