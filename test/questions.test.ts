import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conformanceFixture } from './conformance/fixture.ts';
import { catalogueTool } from './conformance/fixture-tool.ts';
import { McpWire } from './support/mcp-wire.ts';
import { statelessRequest } from './support/protocol.ts';
import { bearer, openTestDoor, type TestDoor } from './support/test-door.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** Tools that ask their client something before they answer, and write to its log. */

const FIXTURE = conformanceFixture().catalogue;
const NAME = 'test_input_required_result_elicitation';
const STATE = 'test_input_required_result_request_state';
const TAMPERED = 'test_input_required_result_tampered_state';
const confirmed = { confirm: { action: 'accept', content: { ok: true } } };

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault({ 'A.md': '# A\n' });
});
afterAll(async () => {
  await vault.close();
  discard(vault);
});

async function connect(era: '2025-11-25' | '2026-07-28', capabilities = {}): Promise<McpWire> {
  return await McpWire.connect(vault.session, era, FIXTURE, capabilities);
}

const text = (result: Record<string, unknown>) => (result.content as { text?: string }[])[0]?.text;

describe('2026-07-28', () => {
  it('gives the questions as the result, and goes on when it is called with the answers', async () => {
    const wire = await connect('2026-07-28', { elicitation: {} });
    const { result } = await wire.request('tools/call', { name: NAME });
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { user_name: { method: 'elicitation/create' } },
    });
    const inputResponses = { user_name: { action: 'accept', content: { name: 'Ada' } } };
    const answered = await wire.request('tools/call', { name: NAME, inputResponses });
    expect(text(answered.result)).toBe('Hello, Ada!');
    const declined = await wire.request('tools/call', {
      name: NAME,
      inputResponses: { user_name: { action: 'decline' } },
    });
    expect(declined.result.resultType).toBe('input_required');
    await wire.close();
  });

  it('keeps state with the client, and takes back only what it gave for this very call', async () => {
    const wire = await connect('2026-07-28', { elicitation: {} });
    const given = { about: 'A.md', more: 'x' };
    const { result } = await wire.request('tools/call', { name: STATE, arguments: given });
    const requestState = String(result.requestState);
    const again = (name: string, state: string, args: object = given) =>
      wire.request('tools/call', {
        name,
        arguments: args,
        inputResponses: confirmed,
        requestState: state,
      });
    expect(text((await again(STATE, requestState)).result)).toBe('state-ok');
    const reordered = { more: 'x', about: 'A.md' };
    expect(text((await again(STATE, requestState, reordered)).result)).toBe('state-ok');
    const other = await again(STATE, requestState, { ...given, about: 'B.md' });
    expect(other.error?.code).toBe(-32602);
    const flipped = requestState.replace(/.(.{9})$/, (end) => `${end[0] === 'A' ? 'B' : 'A'}${end.slice(1)}`);
    for (const [name, state] of [
      [STATE, `${requestState}x`],
      [STATE, flipped],
      [STATE, ''],
      [TAMPERED, requestState],
    ] as const) {
      expect((await again(name, state)).error?.code).toBe(-32602);
    }
    await wire.close();
  });

  it('does not ask what the client cannot answer', async () => {
    const wire = await connect('2026-07-28');
    const { error } = await wire.request('tools/call', { name: NAME });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } });
    await wire.close();
  });

  it('writes to the log of the client only when the call says so', async () => {
    const wire = await connect('2026-07-28');
    const lines = () => wire.messages.filter(({ method }) => method === 'notifications/message');
    await wire.request('tools/call', { name: 'test_logging_tool' });
    expect(lines()).toEqual([]);
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    await wire.request('tools/call', { name: 'test_logging_tool', _meta });
    expect(lines()).toMatchObject([{ params: { level: 'info', logger: 'lectern', data: 'one line' } }]);
    await wire.close();
  });
});

describe('2025-11-25', () => {
  it('asks with a request of its own, and answers the call with the answer', async () => {
    const wire = await connect('2025-11-25', { elicitation: {} });
    const id = wire.send('tools/call', { name: STATE });
    const question = await wire.until(({ method }) => method === 'elicitation/create');
    expect(question.params).toMatchObject({ message: 'Please confirm' });
    wire.answer(question.id, confirmed.confirm);
    const { result } = await wire.until((message) => message.id === id && message.method === undefined);
    expect(text(result)).toBe('state-ok');
    await wire.close();
  });

  it('fails the call of a client that cannot be asked', async () => {
    const wire = await connect('2025-11-25');
    const { result } = await wire.request('tools/call', { name: NAME });
    expect(result.isError).toBe(true);
    await wire.close();
  });

  it('writes to the log of the client what is as grave as it wants', async () => {
    const wire = await connect('2025-11-25');
    const lines = () => wire.messages.filter(({ method }) => method === 'notifications/message');
    await wire.request('logging/setLevel', { level: 'warning' });
    await wire.request('tools/call', { name: 'test_logging_tool' });
    expect(lines()).toEqual([]);
    await wire.request('logging/setLevel', { level: 'debug' });
    await wire.request('tools/call', { name: 'test_logging_tool' });
    expect(lines()).toHaveLength(1);
    await wire.close();
  });

  it('tells the log of the client that a tool failed, not why', async () => {
    const broken = catalogueTool({
      name: 'test_broken',
      description: 'Has an error in it.',
      run: () => {
        throw new TypeError('something internal');
      },
    });
    const catalogue = { ...FIXTURE, tools: [broken] };
    const wire = await McpWire.connect(vault.session, '2025-11-25', catalogue);
    const { result } = await wire.request('tools/call', { name: 'test_broken' });
    expect(result.isError).toBe(true);
    expect(wire.messages).toContainEqual(
      expect.objectContaining({
        method: 'notifications/message',
        params: expect.objectContaining({ level: 'error', data: expect.stringContaining('test_broken') }),
      }),
    );
    expect(JSON.stringify(wire.messages)).not.toContain('something internal');
    await wire.close();
  });
});

describe('over HTTP', () => {
  let door: TestDoor;
  beforeAll(async () => {
    door = await openTestDoor({ 'A.md': '# A\n' }, conformanceFixture());
  });
  afterAll(async () => {
    await door.close();
  });

  async function call(token: string, params: Record<string, unknown>) {
    const { body, headers } = statelessRequest('tools/call', params, { elicitation: {} });
    const response = await door.post(body, { ...headers, ...bearer(token) });
    return (await response.json()) as {
      result: Record<string, unknown>;
      error?: { code: number };
    };
  }

  it('takes state back only from whom it was given to', async () => {
    const [mine, theirs] = [door.token('mine', 'vault:write'), door.token('theirs', 'vault:write')];
    const { result } = await call(mine, { name: STATE });
    const second = { name: STATE, inputResponses: confirmed, requestState: result.requestState };
    expect((await call(theirs, second)).error?.code).toBe(-32602);
    expect(text((await call(mine, second)).result)).toBe('state-ok');
  });

  it('does not audit a call that asks back as one that failed', async () => {
    const token = door.token('audited', 'vault:write');
    expect((await call(token, { name: NAME })).result.resultType).toBe('input_required');
    expect((await call(token, { name: 'test_error_handling' })).result.isError).toBe(true);
    const records = (await door.audited()).filter(({ who }) => who === 'audited');
    expect(records).toMatchObject([{ tool: 'test_error_handling', outcome: 'error' }]);
  });

  it('is an error in REST, where there is nobody to ask', async () => {
    const response = await fetch(`${door.door.url}/v1/conformance/${NAME}`, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json', ...bearer(door.token('rest', 'vault:write')) },
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: 'unavailable' } });
  });
});
