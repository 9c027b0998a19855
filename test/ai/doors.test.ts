import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAssistants, openAssistants } from '../../src/app/open-assistants.ts';
import { fromOperation } from '../../src/catalogues/from-operation.ts';
import { indxCatalogue } from '../../src/catalogues/indx/catalogue.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { restApp } from '../../src/http/rest/app.ts';
import type { AuditLog, AuditRecord } from '../../src/journal/audit.ts';
import type { Assistants } from '../../src/operations/call/assistants.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { McpWire } from '../support/mcp-wire.ts';
import { ERAS } from '../support/protocol.ts';
import { discard, openTestVault, type TestVault } from '../support/test-vault.ts';
import { aiEcho } from './echo-operation.ts';
import { openTestProvider, type TestProvider } from './provider.ts';

/** A model behind every door: what is sent and spent, told and kept, and how it ends. */

const PROVIDERS = ['openai-compatible', 'openai', 'anthropic', 'google'] as const;
const KEY = 'sk-very-secret-key';
const CATALOGUE = { ...indxCatalogue, tools: [...indxCatalogue.tools, fromOperation(aiEcho)] };
const OFFER = { operations: [...OPERATIONS, aiEcho] };
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let provider: TestProvider;
let vault: TestVault;
let folder: string;
const audited: AuditRecord[] = [];
const audit: AuditLog = { append: (record) => void audited.push(record), flush: async () => {} };
let states = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-ai-doors-'));
  provider = await openTestProvider();
  vault = await openTestVault(
    { 'Crane.md': '# Crane\n\nThe crane waits for the tide.\n', 'Other.md': '# Other\n' },
    { audit },
  );
});
beforeEach(() => {
  provider.requests.length = 0;
  audited.length = 0;
  provider.answer({ pieces: ['A ', 'crane.'], usage: { input: 50, output: 5 } });
});
afterAll(async () => {
  await provider.close();
  await vault.close();
  discard(vault);
  rmSync(folder, { recursive: true, force: true });
});

/** What a server with these settings has, with a state of its own. */
async function open(
  flags: Record<string, unknown> = {},
  state = join(folder, `state-${states++}`),
): Promise<OpenAssistants & { readonly assistants: Assistants; readonly state: string }> {
  mkdirSync(state, { recursive: true });
  const { ai } = resolveSettings(
    {
      vault: '/v',
      aiProvider: 'openai-compatible',
      aiModel: 'test-model',
      aiUrl: provider.baseUrl,
      ...flags,
    },
    {},
  );
  const opened = await openAssistants(ai, {
    environment: { LECTERN_AI_KEY: KEY },
    state: async () => state,
  });
  if (opened.assistants === undefined) throw new Error('These settings have an assistant.');
  return { ...opened, assistants: opened.assistants, state };
}

function connect(era: (typeof ERAS)[number], assistants: Assistants, capabilities = {}): Promise<McpWire> {
  return McpWire.connect(vault.session, era, CATALOGUE, capabilities, assistants);
}

function rest(assistants: Assistants) {
  const app = new Hono();
  app.route(
    '/v1',
    restApp({
      whole: OFFER,
      caller: () => ({ offer: OFFER, vault: async () => vault.session, assistants }),
      version: '1',
      log: quiet,
    }),
  );
  return (body: object, accept: string, signal?: AbortSignal) =>
    app.request('/v1/ai/echo', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: accept },
      body: JSON.stringify({ path: 'Crane.md', ...body }),
      ...(signal && { signal }),
    });
}

const call = (more: object = {}) => ({ name: 'ai_echo', arguments: { path: 'Crane.md', ...more } });
const facts = (result: Record<string, unknown>) => result.structuredContent as Record<string, unknown>;

describe.each(PROVIDERS)('%s', (aiProvider) => {
  describe.each(ERAS)('over MCP %s', (era) => {
    it('answers, tells pieces as progress, keeps the answer, and says what it sent', async () => {
      const { assistants } = await open({ aiProvider, aiPriceInput: '1', aiPriceOutput: '2' });
      const wire = await connect(era, assistants);
      const { result } = await wire.request('tools/call', { ...call(), _meta: { progressToken: 'p' } });
      expect(facts(result)).toEqual({ answers: ['A crane.'], cached: false, tokens: 55, cost: 0.00006 });
      const told = wire.messages.filter(({ method }) => method === 'notifications/progress');
      const payloads = told.map(({ params }) => params?._meta as Record<string, unknown>);
      expect(payloads.map(({ partial = '' }) => partial).join('')).toBe('A crane.');
      expect(payloads.at(-1)).toMatchObject({ usage: { input_tokens: 50, output_tokens: 5, cost: 0.00006 } });
      const steps = told.map(({ params }) => Number(params?.progress));
      expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
      expect(audited).toEqual([
        expect.objectContaining({
          event: 'sent',
          outcome: 'ok',
          tool: 'ai_echo',
          provider: aiProvider,
          model: 'test-model',
          host: new URL(provider.origin).host,
          sent_paths: ['Crane.md'],
          input_tokens: 50,
          output_tokens: 5,
        }),
      ]);
      expect(JSON.stringify(audited)).not.toMatch(/tide|secret/);

      const again = await wire.request('tools/call', call());
      expect(facts(again.result)).toMatchObject({ answers: ['A crane.'], cached: true, tokens: 0 });
      expect([provider.requests.length, audited.length]).toEqual([1, 1]);
      await wire.request('tools/call', call({ cache: 'refresh' }));
      await wire.request('tools/call', call({ cache: 'off' }));
      expect(provider.requests).toHaveLength(3);
      const status = await wire.request('tools/call', { name: 'ai_status', arguments: {} });
      expect(facts(status.result)).toMatchObject({
        provider: aiProvider,
        mode: 'generative',
        reachable: true,
        cached_answers: 1,
        cache_hits: 1,
        spend: [
          { period: 'day', requests: 3, input_tokens: 150, output_tokens: 15, cost: 0.00018 },
          { period: 'month', requests: 3 },
        ],
      });
      await wire.close();
    });

    it('answers JSON, and what goes wrong in words of its own', async () => {
      const { assistants } = await open({ aiProvider });
      const wire = await connect(era, assistants);
      provider.answer({ text: '{"is":"crane"}' });
      const { result } = await wire.request('tools/call', call({ wants_json: true }));
      expect(facts(result).answers).toEqual(['{"is":"crane"}']);
      for (const [answer, code] of [
        [{ status: 401 }, 'ai_unavailable'],
        [{ status: 429, headers: { 'Retry-After': '900' } }, 'ai_unavailable'],
        [{ status: 413 }, 'too_large'],
      ] as const) {
        provider.answer(answer);
        const failed = await wire.request('tools/call', call({ cache: 'off' }));
        expect(failed.result).toMatchObject({ isError: true, structuredContent: { code } });
        expect(JSON.stringify(failed)).not.toMatch(/tide|secret/);
      }
      await wire.close();
    });

    it('hangs up at the provider when the call is cancelled', async () => {
      const { assistants } = await open({ aiProvider });
      const wire = await connect(era, assistants);
      provider.answer({ text: 'Late.', slowMs: 30_000 });
      const requestId = wire.send('tools/call', call());
      await expect.poll(() => provider.requests.length, { timeout: 10_000 }).toBe(1);
      wire.notify('notifications/cancelled', { requestId });
      await expect.poll(() => provider.requests[0]?.wasCut, { timeout: 10_000 }).toBe(true);
      await expect.poll(() => audited.map(({ outcome }) => outcome)).toContain('cancelled');
      await wire.close();
    });
  });

  it.each(['text/event-stream', 'application/x-ndjson'])('streams over REST as %s', async (accept) => {
    const { assistants } = await open({ aiProvider });
    const response = await rest(assistants)({}, accept);
    expect(response.headers.get('content-type')).toBe(accept);
    const text = await response.text();
    const values = text
      .split('\n')
      .filter((line) => /^(?:data: )?\{/.test(line))
      .map((line) => JSON.parse(line.replace(/^data: /, '')) as Record<string, unknown>);
    expect(values.map(({ partial = '' }) => partial).join('')).toBe('A crane.');
    expect(values.at(-1)).toMatchObject({ ok: true, data: { answers: ['A crane.'] } });
    if (accept === 'text/event-stream')
      expect(text.match(/^event: \w+$/gm)?.slice(-3)).toEqual([
        'event: partial',
        'event: usage',
        'event: result',
      ]);
    const whole = await rest(assistants)({}, 'application/json');
    expect(await whole.json()).toMatchObject({ ok: true, data: { answers: ['A crane.'], cached: true } });
  });
});

describe('over REST', () => {
  it('has a status for what fails before the first piece, and a last line for what fails later', async () => {
    const { assistants } = await open();
    const ask = rest(assistants);
    provider.answer({ status: 401 });
    expect((await ask({}, 'application/x-ndjson')).status).toBe(503);
    expect((await ask({ path: 'None.md' }, 'text/event-stream')).status).toBe(404);
    provider.answer({ pieces: ['One', ' two', ' three'], cutAfter: 2, slowMs: 10 });
    const lines = (await (await ask({}, 'application/x-ndjson')).text()).trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({ partial: 'One' });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ ok: false, error: { code: 'ai_unavailable' } });
  });

  it('hangs up at the provider when the reader goes', async () => {
    const { assistants } = await open();
    provider.answer({ pieces: Array.from({ length: 1000 }, (_, n) => `${n} `), slowMs: 20 });
    const response = await rest(assistants)({}, 'text/event-stream');
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect.poll(() => provider.requests[0]?.wasCut, { timeout: 10_000 }).toBe(true);
  });
});

describe('budgets', () => {
  it('count an answer that was not JSON, and the one that should have mended it', async () => {
    const { assistants } = await open();
    const wire = await connect('2025-11-25', assistants);
    provider.answer({ text: 'I would rather not.', usage: { input: 50, output: 5 } });
    const { result } = await wire.request('tools/call', call({ wants_json: true }));
    expect(facts(result)).toMatchObject({ code: 'ai_unavailable' });
    const status = await wire.request('tools/call', { name: 'ai_status', arguments: {} });
    expect(facts(status.result).spend).toMatchObject([
      { requests: 2, input_tokens: 100, output_tokens: 10 },
      {},
    ]);
    expect(audited.map(({ event }) => event)).toEqual(['sent', 'sent']);
    await wire.close();
  });

  it('are never passed by more than the calls in flight, of 100 at once', async () => {
    const { assistants } = await open({ aiDayTokens: '3000' });
    const wire = await connect('2026-07-28', assistants);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        wire.request('tools/call', call({ questions: [`Is it number ${n}?`], cache: 'off' })),
      ),
    );
    const done = answers.filter(({ result }) => result.isError !== true).length;
    const refused = answers.find(({ result }) => result.isError === true);
    expect(done).toBe(provider.requests.length);
    expect(done).toBeGreaterThan(0);
    const status = await wire.request('tools/call', { name: 'ai_status', arguments: {} });
    const [day] = facts(status.result).spend as { input_tokens: number; output_tokens: number }[];
    expect((day?.input_tokens ?? 0) + (day?.output_tokens ?? 0)).toBeLessThanOrEqual(3000);
    expect(facts(refused?.result ?? {})).toMatchObject({
      code: 'ai_unavailable',
      details: { period: 'day', unit: 'tokens', left: expect.any(Number), wanted: expect.any(Number) },
    });
    await wire.close();
  });

  it('hold for one call with all its requests, and for what one request may hold', async () => {
    const { assistants } = await open({ aiCallTokens: '400', aiContext: '1000' });
    const wire = await connect('2025-11-25', assistants);
    const two = await wire.request('tools/call', call({ questions: ['One?', 'Two?'] }));
    expect(two.result.isError).toBeUndefined();
    const four = await wire.request('tools/call', call({ questions: ['1', '2', '3', '4'], cache: 'off' }));
    expect(facts(four.result)).toMatchObject({ code: 'ai_unavailable', details: { period: 'call' } });
    const large = await wire.request('tools/call', call({ max_tokens: 2000 }));
    expect(facts(large.result)).toMatchObject({ code: 'too_large', details: { limit: 1000 } });
    await wire.close();
  });
});

describe('kept answers', () => {
  it('go with the notes they came from, in this run and before the next', async () => {
    const { assistants, follow, state } = await open();
    await follow('here', vault.session);
    const wire = await connect('2025-11-25', assistants);
    const ask = async () => facts((await wire.request('tools/call', call())).result).cached;
    expect([await ask(), await ask()]).toEqual([false, true]);
    const kept = async () =>
      facts((await wire.request('tools/call', { name: 'ai_status', arguments: {} })).result).cached_answers;
    expect(await kept()).toBe(1);
    await vault.session.write(
      'Other.md',
      { body: '# Other\n\nmore\n' },
      { tool: 'note_write', dryRun: false },
    );
    expect(await kept()).toBe(1);
    await vault.session.write(
      'Crane.md',
      { body: '# Crane\n\nIt flew.\n' },
      { tool: 'note_write', dryRun: false },
    );
    await expect.poll(kept).toBe(0);
    expect(await ask()).toBe(false);
    await wire.close();

    // Another run, in which nobody listened when the note changed.
    await vault.session.write(
      'Crane.md',
      { body: '# Crane\n\nIt is back.\n' },
      { tool: 'note_write', dryRun: false },
    );
    const next = await open({}, state);
    await next.follow('here', vault.session);
    const other = await connect('2025-11-25', next.assistants);
    const status = await other.request('tools/call', { name: 'ai_status', arguments: {} });
    expect(facts(status.result).cached_answers).toBe(0);
    await other.close();
  });
});

describe('the model of the client', () => {
  const answer = (text: string) => ({
    role: 'assistant',
    content: { type: 'text', text },
    model: 'theirs',
    stopReason: 'endTurn',
  });

  it('is asked in the result of 2026-07-28, everything at once, and the call goes on with the answers', async () => {
    const { assistants } = await open({ aiProvider: 'client' });
    const wire = await connect('2026-07-28', assistants, { sampling: {} });
    const given = call({ questions: ['One?', 'Two?'], cache: 'off' });
    const { result } = await wire.request('tools/call', given);
    expect(result.resultType).toBe('input_required');
    const asked = result.inputRequests as Record<string, { method: string; params: Record<string, unknown> }>;
    expect(Object.values(asked).map(({ method }) => method)).toEqual([
      'sampling/createMessage',
      'sampling/createMessage',
    ]);
    expect(JSON.stringify(asked)).toContain('# Crane');
    const inputResponses = Object.fromEntries(
      Object.entries(asked).map(([key, { params }]) => [
        key,
        answer(JSON.stringify(params.messages).includes('One?') ? 'First.' : 'Second.'),
      ]),
    );
    const done = await wire.request('tools/call', {
      ...given,
      inputResponses,
      requestState: result.requestState,
    });
    expect(facts(done.result)).toMatchObject({ answers: ['First.', 'Second.'] });
    expect(provider.requests).toHaveLength(0);
    expect(audited.filter(({ event }) => event === 'sent')[0]).toMatchObject({
      provider: 'client',
      sent_paths: ['Crane.md'],
    });
    expect(audited[0]?.host).toBeUndefined();
    await wire.close();
  });

  it('is asked in the middle of the call before that, and once more for JSON that is none', async () => {
    const { assistants } = await open({ aiProvider: 'client' });
    const wire = await connect('2025-11-25', assistants, { sampling: {} });
    const id = wire.send('tools/call', call({ wants_json: true }));
    const answered = new Set<unknown>();
    for (const text of ['Surely: it is a crane', '{"is":"crane"}']) {
      const asked = await wire.until(
        (message) => message.method === 'sampling/createMessage' && !answered.has(message.id),
      );
      answered.add(asked.id);
      wire.answer(asked.id, answer(text));
    }
    const { result } = await wire.until((message) => message.id === id && message.method === undefined);
    expect(facts(result).answers).toEqual(['{"is":"crane"}']);
    await wire.close();
  });

  it('is not asked where there is none: other clients, REST', async () => {
    const { assistants } = await open({ aiProvider: 'client' });
    for (const era of ERAS) {
      const wire = await connect(era, assistants);
      const { result } = await wire.request('tools/call', call());
      expect(facts(result)).toMatchObject({
        code: 'ai_unavailable',
        message: expect.stringContaining('none to lend'),
      });
      const status = await wire.request('tools/call', { name: 'ai_status', arguments: {} });
      expect(facts(status.result)).toMatchObject({
        reachable: false,
        problem: expect.stringContaining('sampling'),
      });
      await wire.close();
    }
    const response = await rest(assistants)({}, 'application/json');
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ error: expect.objectContaining({ code: 'ai_unavailable' }) }),
    ]);
  });
});

it('writes the key nowhere', async () => {
  const { assistants, state } = await open();
  await (await rest(assistants)({}, 'application/json')).text();
  for (const name of readdirSync(state))
    expect(readFileSync(join(state, name)).includes(KEY), name).toBe(false);
  expect(JSON.stringify(audited)).not.toContain(KEY);
});
