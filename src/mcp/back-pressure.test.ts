import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { MOST_WAITING } from './back-pressure.ts';
import { StdioTransport } from './stdio-transport.ts';

const line = (id: number, size: number) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { text: 'x'.repeat(size) } })}\n`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A transport whose client reads only when the test says so. */
async function open() {
  const input = new PassThrough();
  const unread: (() => void)[] = [];
  let sent = 0;
  const transport = new StdioTransport({
    input,
    write: (chunk, done) => {
      sent += chunk.length;
      unread.push(() => done());
    },
  });
  const heard: number[] = [];
  transport.onmessage = (message) => {
    if ('id' in message) heard.push(Number(message.id));
  };
  await transport.start();
  const readAll = async () => {
    for (let done = unread.shift(); done !== undefined; done = unread.shift()) {
      done();
      await turn();
    }
  };
  return { input, transport, heard, readAll, sent: () => sent };
}

it('a client that does not read is not listened to, and nothing is lost when it does', async () => {
  const { input, transport, heard, readAll, sent } = await open();
  const answer = 'y'.repeat(1024 * 1024);
  transport.onmessage = (message) => {
    if (!('id' in message) || message.id === undefined) return;
    heard.push(Number(message.id));
    void transport.send({ jsonrpc: '2.0', id: message.id, result: { answer } });
  };
  for (let id = 0; id < 300; id += 1) {
    input.write(line(id, 10));
    await turn();
  }
  expect(heard.length).toBeLessThan(80);
  expect(sent()).toBeLessThan(MOST_WAITING + 16 * answer.length);
  while (heard.length < 300 || !(await transport.idle(0))) {
    await readAll();
    await turn();
  }
  expect(heard).toEqual(Array.from({ length: 300 }, (_, id) => id));
});

it('what is asked and not done yet waits outside', async () => {
  const { input, transport, heard, readAll } = await open();
  const size = 4 * 1024 * 1024;
  for (let id = 0; id < 40; id += 1) {
    input.write(line(id, size));
    await turn();
  }
  const taken = heard.length;
  expect(taken).toBeLessThan(20);
  for (let id = 0; id < taken; id += 1) void transport.send({ jsonrpc: '2.0', id, result: {} });
  await readAll();
  while (heard.length === taken) await turn();
});

it('what is told unasked ends the connection of a client that never reads', async () => {
  const { transport } = await open();
  const told = {
    jsonrpc: '2.0' as const,
    method: 'notifications/message',
    params: { data: 'z'.repeat(1024 * 1024) },
  };
  const failed = new Promise((resolve) => {
    transport.onerror = resolve;
  });
  for (let count = 0; count < 80; count += 1) transport.send(told).catch(() => {});
  expect(await failed).toMatchObject({ message: expect.stringContaining('does not read') });
  await transport.ended;
});
