import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CatalogueTool } from '../src/catalogues/catalogue.ts';
import { indxCatalogue } from '../src/catalogues/indx/catalogue.ts';
import { JsonRpcError } from '../src/catalogues/json-rpc-error.ts';
import { CATALOGUES } from '../src/catalogues/list.ts';
import { mounted } from '../src/catalogues/mounted.ts';
import { PlainServer } from '../src/mcp/plain-server.ts';
import { serveOverStdio } from '../src/mcp/stdio.ts';
import { offered } from '../src/operations/offer.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { cards } from './catalogues/cards.ts';
import { bearer, callTool, nativeEntry, openTestDoor, type TestDoor } from './support/test-door.ts';

/** A whole dialect goes through the door: one folder and one entry in the list. */

const FILES = { 'A.md': 'one\n', 'B.md': 'two, see [[A]]\n', 'Box/C.md': 'three\n' };

let door: TestDoor;
let reader: string;
let writer: string;
let isOn = true;

beforeAll(async () => {
  door = await openTestDoor(FILES, {
    door: {
      served: {
        all: OPERATIONS,
        offer: { operations: OPERATIONS, tools: { on: ['cards/change_card'], off: [] } },
        vaults: [{ name: 'test', readOnly: false }],
      },
      catalogues: { all: [nativeEntry(indxCatalogue), cards], main: 'indx', isOn: () => isOn },
    },
  });
  reader = door.token('reader', 'vault:read');
  writer = door.token('writer', 'vault:write');
});

afterAll(() => door.close());

type Answer = Record<string, unknown> & { readonly result: { readonly tools: { readonly name: string }[] } };

async function send(body: unknown, token = writer, init: RequestInit = {}): Promise<Response> {
  return await fetch(`${door.mcpUrl}/cards?key=${token}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}

async function ask(method: string, params?: object, token = writer): Promise<Answer> {
  const response = await send({ jsonrpc: '2.0', id: 1, method, params }, token);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

describe('a catalogue with a dispatcher of its own, over HTTP', () => {
  it('answers the handshake as its system does, whatever is asked for', async () => {
    for (const params of [undefined, {}, { protocolVersion: '2026-07-28' }]) {
      expect(await ask('initialize', params)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2025-03-26',
          capabilities: { tools: {} },
          serverInfo: { name: 'card-box', version: '7.0' },
        },
      });
    }
    expect(await ask('ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  it('lists tools as they are written down, and to each caller those whose operations it is offered', async () => {
    expect((await ask('tools/list', {}, reader)).result.tools).toEqual([
      { name: 'show_cards', description: 'Shows cards.', inputSchema: { type: 'object', properties: {} } },
    ]);
    expect((await ask('tools/list')).result.tools.map(({ name }) => name)).toEqual([
      'show_cards',
      'change_card',
    ]);
  });

  it('answers with several blocks, and with isError only where there is an error', async () => {
    const params = { name: 'show_cards', arguments: { limit: 1000, unheard_of: true } };
    const { result } = await ask('tools/call', params, reader);
    expect(result).toEqual({
      content: [
        { type: 'text', text: '{"total":3}' },
        { type: 'text', text: '1 A.md\n2 B.md\n3 Box/C.md' },
      ],
    });
  });

  it('runs several operations in one call, each journaled, with links kept', async () => {
    const { result } = await ask('tools/call', {
      name: 'change_card',
      arguments: { card: 1, add: 'more', box: 'Box' },
    });
    expect(result).toEqual({ content: [{ type: 'text', text: 'Card 1 has 9 bytes' }] });
    expect(door.vault.files()).toMatchObject({ 'Box/A.md': 'one\nmore\n', 'Box/C.md': 'three\n' });
    const history = await door.vault.session.history({ limit: 10 });
    expect(
      history.items.map(({ door: through, tool, actor, summary }) => [through, tool, actor, summary]),
    ).toEqual([
      ['mcp', 'cards/change_card', 'writer', expect.stringContaining('move')],
      ['mcp', 'cards/change_card', 'writer', 'append_body in A.md'],
    ]);
  });

  it('fails in its own words: JSON-RPC codes with data, and results', async () => {
    const call = (name: string, given?: object, token = writer) =>
      ask('tools/call', { name, arguments: given }, token);
    expect(await call('change_card', { card: 99, add: '', box: '' })).toMatchObject({
      error: { code: -32_011, message: 'No card 99', data: { card: 99 } },
    });
    expect(await call('change_card')).toMatchObject({
      error: { code: -32_010, message: 'A card is missing', data: { card: null } },
    });
    const unknown = { content: [{ type: 'text', text: 'No such thing as change_card' }], isError: true };
    expect((await call('change_card', {}, reader)).result).toEqual(unknown);
    expect(await door.audited()).toContainEqual(
      expect.objectContaining({ event: 'refused', code: 'not_offered', tool: 'cards/change_card' }),
    );
    expect((await call('change_card', { card: 1, add: 'x', box: '../..' })).result).toEqual({
      content: [{ type: 'text', text: 'change_card failed: invalid_path' }],
      isError: true,
    });
    expect(await ask('resources/list')).toMatchObject({
      error: { code: -32_601, message: 'What is resources/list?' },
    });
    expect(await ask('tools/call', {})).toMatchObject({ error: { code: -32_602 } });
  });

  it('takes batches, notifications and id: null', async () => {
    const ping = (id: unknown) => ({ jsonrpc: '2.0', method: 'ping', ...(id !== undefined && { id }) });
    const batch = await send([ping(1), ping(undefined), ping(null), { id: 4 }, 5]);
    expect(await batch.json()).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: null, result: {} },
      { jsonrpc: '2.0', id: 4, error: { code: -32_600, message: 'Invalid Request' } },
      { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'Invalid Request' } },
    ]);
    const long = await send(Array.from({ length: 101 }, () => ping(1)));
    expect(await long.json()).toMatchObject({ id: null, error: { code: -32_600 } });
    for (const silent of [ping(undefined), [ping(undefined)], [], { jsonrpc: '1.0' }]) {
      const response = await send(silent);
      expect([response.status, await response.text()]).toEqual([202, '']);
    }
  });

  it('refuses what is no call', async () => {
    const status = async (sent: Promise<Response>) => (await sent).status;
    expect(await status(send('{'))).toBe(400);
    expect(await status(send('"x"'.repeat(3_000_000)))).toBe(413);
    expect(await status(send(undefined, writer, { method: 'GET', body: null }))).toBe(405);
    expect(await status(send({}, 'wrong'))).toBe(401);
    expect(await status(fetch(`${door.mcpUrl}/nothing`, { headers: bearer(writer) }))).toBe(404);
    expect(await status(fetch(`${door.mcpUrl}/cards`, { method: 'POST', body: '{}' }))).toBe(401);
  });

  it('is away while the owner keeps it off, in its own words', async () => {
    isOn = false;
    const response = await send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    isOn = true;
    expect([response.status, await response.text()]).toEqual([403, 'The box is shut']);
  });

  it('is what a token for it alone speaks, at the address of the others too', async () => {
    const only = door.token('box', 'vault:read', 'catalogue:cards');
    const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize' };
    const answers = await Promise.all([door.post(initialize, bearer(only)), send(initialize, only)]);
    for (const answer of answers)
      expect(await answer.json()).toMatchObject({ result: { serverInfo: { name: 'card-box' } } });
    const native = `${door.mcpUrl}/indx`;
    const status = async (token: string) =>
      (await fetch(native, { method: 'POST', headers: bearer(token), body: '{}' })).status;
    expect([await status(only), await status(reader)]).toEqual([404, 415]);
  });

  it('leaves Lectern’s own tools and REST as they are beside it', async () => {
    const { result } = await callTool(door, writer, 'note_exists', { path: 'B.md' });
    expect(result?.structuredContent).toEqual({ exists: true, path: 'B.md', kind: 'note' });
    const rest = await fetch(`${door.door.url}/v1/notes/B.md`, { headers: bearer(writer) });
    expect(rest.status).toBe(200);
    // A token in the query is for those whose clients know no other way.
    expect((await fetch(`${door.door.url}/v1/notes/B.md?key=${writer}`)).status).toBe(401);
    expect((await fetch(`${door.mcpUrl}?key=${writer}`, { method: 'POST', body: '{}' })).status).toBe(401);
  });
});

it('answers over standard input and output, one message a line, until exit', async () => {
  const input = new PassThrough();
  const lines: unknown[] = [];
  const offer = { operations: offered(OPERATIONS, { scopes: ['vault:read'], allow: [], deny: [] }) };
  const served = serveOverStdio({
    identity: await cards.identity(),
    version: '1',
    catalogue: async () => mounted(await cards.load(), offer),
    vault: async () => door.vault.session,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    input,
    write: (chunk, done) => {
      lines.push(JSON.parse(chunk));
      done();
    },
  });
  const say = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  say({ id: 1, method: 'initialize', params: { protocolVersion: '1999-01-01' } });
  say({ method: 'notifications/initialized' });
  say({ id: 'a', method: 'tools/call', params: { name: 'show_cards' } });
  say({ id: 2, method: 'tools/list' });
  say({ method: 'exit' });
  await served.finished;
  expect(lines).toHaveLength(3);
  expect(lines).toContainEqual({
    jsonrpc: '2.0',
    id: 1,
    result: expect.objectContaining({ protocolVersion: '2025-03-26' }),
  });
  expect(lines).toContainEqual(expect.objectContaining({ id: 'a', result: expect.objectContaining({}) }));
  expect(lines).toContainEqual(expect.objectContaining({ id: 2 }));
});

it('gives up a call when its system would, and answers as it does', async () => {
  const { protocol, ...identity } = await cards.identity();
  let aborted = false;
  const hanging: CatalogueTool = {
    name: 'hang',
    listing: { inputSchema: { type: 'object' } },
    operations: [],
    call: (_given, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          reject(signal.reason);
        });
      }),
  };
  const server = new PlainServer({
    identity: { ...identity, protocol: { ...protocol, callLimitMs: 20 } },
    version: '1',
    catalogue: async () => ({
      ...(await cards.load()),
      tools: [hanging],
      failure: ({ code }, { tool }) => {
        throw new JsonRpcError(-32_006, `${tool.name}: ${code}`, { errorCode: 'TIMEOUT' });
      },
    }),
    vault: async () => door.vault.session,
    callLimitMs: 60_000,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  const call = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'hang' } };
  expect(await server.answer(call, new AbortController().signal)).toEqual({
    jsonrpc: '2.0',
    id: 9,
    error: { code: -32_006, message: 'hang: timeout', data: { errorCode: 'TIMEOUT' } },
  });
  expect(aborted).toBe(true);
  const cancelled = server.answer({ ...call, id: 10 }, new AbortController().signal);
  await server.answer(
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 10 } },
    new AbortController().signal,
  );
  expect(await cancelled).toBeUndefined();
});

it('lists catalogues under names that paths and flags can carry', () => {
  const names = [...CATALOGUES, cards].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]{1,30}$/);
});
