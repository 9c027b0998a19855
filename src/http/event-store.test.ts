import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { SessionEvents } from './event-store.ts';

const message = (id: number, size = 0) =>
  ({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(size) } }) as JSONRPCMessage;

async function replayed(events: SessionEvents, after: string): Promise<unknown[]> {
  const sent: unknown[] = [];
  await events.replayEventsAfter(after, {
    send: async (_id, sentMessage) => {
      sent.push('id' in sentMessage ? sentMessage.id : undefined);
    },
  });
  return sent;
}

describe('SessionEvents', () => {
  it('replays what followed on the same stream, and nothing of others', async () => {
    const events = new SessionEvents();
    const first = await events.storeEvent('a', {} as JSONRPCMessage);
    await events.storeEvent('b', message(1));
    await events.storeEvent('a', message(2));
    await events.storeEvent('a', message(3));
    expect(await events.getStreamIdForEventId(first)).toBe('a');
    expect(await replayed(events, first)).toEqual([2, 3]);
    expect(await replayed(events, '3')).toEqual([3]);
  });

  it('forgets the oldest when there is too much, never the newest', async () => {
    const events = new SessionEvents();
    const first = await events.storeEvent('a', message(1, 200_000));
    await events.storeEvent('a', message(2, 200_000));
    expect(await events.getStreamIdForEventId(first)).toBeUndefined();
    await expect(replayed(events, first)).rejects.toThrow();
    const huge = await events.storeEvent('a', message(3, 2_000_000));
    expect(await events.getStreamIdForEventId(huge)).toBe('a');
  });
});
