import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeMessage } from '../src/mcp/json-rpc.ts';
import { HARBOUR_NOTES, openSession } from './support/door-setup.ts';
import { looseCall, looseMessage } from './support/malformed-messages.ts';
import { ProcessWire } from './support/process-wire.ts';
import { ERAS, statelessRequest } from './support/protocol.ts';
import { bearer, openTestDoor, type TestDoor } from './support/test-door.ts';

/** Whatever a client sends: each message with an id is answered once, and the connection goes on. */

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-malformed-'));
  writeFileSync(join(home, 'A.md'), 'alpha\n');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const answerTo = (wire: ProcessWire, id: string) =>
  wire.until(() => wire.messages.find((message) => message.id === id));

describe.each(ERAS)('over stdio in %s', (era) => {
  it('answers every message that has an id, and waits for none at the end', async () => {
    const wire = await new ProcessWire(['--vault', home], home, era).open();
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(looseMessage, { maxLength: 4 }), looseCall, async (noise, call) => {
        for (const message of noise) wire.write(message);
        const id = `call ${sent++}`;
        wire.write({ ...call, id });
        await answerTo(wire, id);
        // Under an id of its own kind: the noise has numbers.
        const { params } = statelessRequest('tools/list').body;
        wire.write({
          jsonrpc: '2.0',
          id: `list ${sent}`,
          method: 'tools/list',
          ...(era === '2026-07-28' && { params }),
        });
        expect((await answerTo(wire, `list ${sent}`)).error).toBeUndefined();
        expect(wire.messages.filter((message) => message.id === id)).toHaveLength(1);
        if (decodeMessage(JSON.parse(JSON.stringify({ ...call, id }))).kind === 'error')
          expect(wire.messages.find((message) => message.id === id)?.error?.code).toBe(-32600);
      }),
      { numRuns: 200 },
    );
    wire.child.stdin?.end();
    expect(await wire.exited).toBe(0);
    expect(wire.stderr).not.toContain('unanswered');
  });

  it('goes on after a malformed message before anything else', async () => {
    const wire = new ProcessWire(['--vault', home], home, era);
    wire.write({ jsonrpc: '2.0', id: 'first', method: 'initialize', params: [] });
    wire.write({ jsonrpc: '2.0', id: 'second', method: 'server/discover', params: {}, x: 1 });
    for (const id of ['first', 'second']) expect((await answerTo(wire, id)).error?.code).toBe(-32600);
    await wire.open();
    expect((await wire.request('tools/list')).result).toBeDefined();
    wire.child.stdin?.end();
    expect(await wire.exited).toBe(0);
  });
});

describe('over HTTP', () => {
  let served: TestDoor;
  let session: Record<string, string>;

  beforeAll(async () => {
    served = await openTestDoor(HARBOUR_NOTES, { settings: { ratePerMinute: 0 } });
    session = await openSession(served, served.token('malformed', 'vault:read'));
    return () => served.close();
  });

  const { headers: stateless } = statelessRequest('tools/list');

  /** The messages of an answer, JSON or events. */
  async function messagesOf(response: Response): Promise<{ id?: unknown; error?: { code: number } }[]> {
    const text = await response.text();
    if (response.headers.get('content-type')?.startsWith('text/event-stream'))
      return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
    return text === '' ? [] : [JSON.parse(text)].flat();
  }

  it.each(['in a session', 'without one', 'in the stateless era'])(
    'answers every message %s',
    async (how) => {
      const headers =
        how === 'in a session'
          ? session
          : { ...bearer(served.token(how, 'vault:read')), ...(how === 'in the stateless era' && stateless) };
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(looseCall, async (call) => {
          const message = { ...call, id: `call ${sent++}` };
          const answers = await messagesOf(await served.post(message, headers));
          const decoded = decodeMessage(JSON.parse(JSON.stringify(message)));
          expect(answers.filter(({ id }) => id !== undefined)).toHaveLength(1);
          if (decoded.kind === 'error')
            expect(answers).toEqual([
              expect.objectContaining({ id: message.id, error: expect.objectContaining({ code: -32600 }) }),
            ]);
        }),
        { numRuns: 100 },
      );
      const ping = { jsonrpc: '2.0', id: 'ping', method: 'ping' };
      expect(await messagesOf(await served.post(ping, session))).toEqual([
        { jsonrpc: '2.0', id: 'ping', result: {} },
      ]);
    },
  );

  it('answers each id of a batch with a malformed message, and does nothing of it', async () => {
    const call = { jsonrpc: '2.0', id: 'ok', method: 'ping' };
    const bad = { jsonrpc: '2.0', id: 'bad', method: 'ping', params: [] };
    const response = await served.post([call, bad, { jsonrpc: '2.0', method: 'x' }], session);
    expect(response.status).toBe(400);
    const answers = await messagesOf(response);
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ['bad', -32600],
      ['ok', -32600],
    ]);
    const twice = await messagesOf(await served.post([call, call], session));
    expect(twice.map(({ id, error }) => [id, error?.code])).toEqual([['ok', -32600]]);
    expect((await messagesOf(await served.post([], session)))[0]?.error?.code).toBe(-32600);
  });

  it('does not guess at a body that is not UTF-8', async () => {
    const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"na\u00efve"}', 'latin1');
    const headers = {
      ...session,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    };
    const response = await fetch(served.mcpUrl, { method: 'POST', body, headers });
    expect(response.status).toBe(400);
    expect((await messagesOf(response))[0]?.error?.code).toBe(-32700);
  });

  it('says which parameter of initialize is missing', async () => {
    const params = { capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const hello = { jsonrpc: '2.0', id: 7, method: 'initialize', params };
    const [answer] = await messagesOf(await served.post(hello, bearer(served.token('hello', 'vault:read'))));
    expect(answer).toMatchObject({
      id: 7,
      error: { code: -32602, message: expect.stringContaining('protocolVersion') },
    });
  });
});
