import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { LecternError } from './errors.ts';
import {
  type CallHandlers,
  type CallMessage,
  type CallReply,
  HandedOver,
  serveCalls,
  ThreadCalls,
  type ThreadPort,
} from './thread-calls.ts';

interface Calls {
  double(n: number): number;
  fail(how: 'known' | 'unknown' | 'uncloneable'): never;
  wait(what: string): Promise<string>;
  bytes(length: number): Uint8Array;
}

let channel: MessageChannel | undefined;
afterEach(() => channel?.port1.close());

/** Both sides in one thread, with a real channel between them. */
function connected(handlers: Partial<CallHandlers<Calls>> = {}) {
  const { port1, port2 } = new MessageChannel();
  channel = { port1, port2 } as MessageChannel;
  const stopped: string[] = [];
  let tell: (event: string) => void = () => {};
  const served: CallHandlers<Calls> = {
    double: (n) => n * 2,
    fail: (how) => {
      if (how === 'unknown') throw new TypeError('no such thing');
      throw new LecternError('too_large', 'Too much.', {
        details: how === 'known' ? { limit: 7 } : { limit: () => 7 },
        next: 'Ask for less.',
      });
    },
    wait: (what, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          stopped.push(what);
          resolve('stopped');
        });
      }),
    bytes: (length) => {
      const made = new Uint8Array(length);
      return new HandedOver(made, [made.buffer]);
    },
    ...handlers,
  };
  tell = serveCalls<Calls, string>(
    {
      onRequest: (listener) => port2.on('message', (message: CallMessage) => listener(message)),
      post: (reply, transfer) => port2.postMessage(reply, transfer as ArrayBuffer[]),
    },
    served,
  );
  const events: string[] = [];
  const alive: boolean[] = [];
  const port = portOf(port1, (yes) => alive.push(yes));
  const calls = new ThreadCalls<Calls, string>(port, { onEvent: (event) => void events.push(event) });
  return { calls, stopped, events, alive, tell, die: port.die };
}

function portOf(
  port: MessagePort,
  keepAlive: (yes: boolean) => void,
): ThreadPort<CallMessage, CallReply<string>> & { die(): void } {
  let exit: (error: Error) => void = () => {};
  return {
    post: (message) => port.postMessage(message),
    onReply: (listener) => void port.on('message', listener),
    onExit: (listener) => {
      exit = listener;
    },
    keepAlive,
    terminate: async () => port.close(),
    die: () => exit(new Error('exit code 1')),
  };
}

describe('ThreadCalls', () => {
  it('brings each answer to its own call, whatever order they come in', async () => {
    const gates: (() => void)[] = [];
    const { calls } = connected({
      double: (n) => new Promise((resolve) => gates.push(() => resolve(n * 2))),
    });
    const asked = [1, 2, 3].map((n) => calls.ask('double', n));
    await expect.poll(() => gates.length).toBe(3);
    for (const open of gates.reverse()) open();
    expect(await Promise.all(asked)).toEqual([2, 4, 6]);
  });

  it('keeps code, details and next step of an error, and the message of one nobody expected', async () => {
    const { calls } = connected();
    await expect(calls.ask('fail', 'known')).rejects.toMatchObject({
      name: 'LecternError',
      code: 'too_large',
      message: 'Too much.',
      details: { limit: 7 },
      next: 'Ask for less.',
    });
    const unknown = await calls.ask('fail', 'unknown').catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(Error);
    expect(unknown).not.toBeInstanceOf(LecternError);
    expect(unknown).toMatchObject({ message: 'TypeError: no such thing' });
    await expect(calls.ask('fail', 'uncloneable')).rejects.toMatchObject({ code: 'too_large', details: {} });
  });

  it('ends a cancelled call at once and tells the thread', async () => {
    const { calls, stopped } = connected();
    const controller = new AbortController();
    const waiting = calls.ask('wait', 'a', controller.signal);
    controller.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    await expect.poll(() => stopped).toEqual(['a']);
    await expect(calls.ask('double', 1, controller.signal)).rejects.toThrow('no longer wanted');
    expect(await calls.ask('double', 4)).toBe(8);
  });

  it('fails what waits when the thread dies, and what is asked afterwards', async () => {
    const { calls, die } = connected();
    const waiting = calls.ask('wait', 'a');
    die();
    await expect(waiting).rejects.toThrow('exit code 1');
    await expect(calls.ask('double', 1)).rejects.toThrow('exit code 1');
  });

  it('hands memory over, passes events on and holds the process while something is asked', async () => {
    const { calls, events, alive, tell } = connected();
    tell('hello');
    expect(await calls.ask('bytes', 3)).toEqual(new Uint8Array(3));
    expect(events).toEqual(['hello']);
    expect(calls.isIdle).toBe(true);
    expect(alive).toEqual([true, false]);
  });
});
