import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostedModel } from '../../src/ai/hosted/hosted-model.ts';
import { probe } from '../../src/ai/hosted/probe.ts';
import type { HostedProvider } from '../../src/ai/hosted/providers.ts';
import { parsedAnswer } from '../../src/ai/json-answer.ts';
import type { GenerateRequest } from '../../src/ai/language-model.ts';
import { openTestProvider, type TestProvider } from './provider.ts';

/** The real packages of the providers, talking to a server over a socket. */

const PROVIDERS: readonly HostedProvider[] = ['openai-compatible', 'openai', 'anthropic', 'google'];
const KEY = 'sk-very-secret-key';
const SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
  additionalProperties: false,
};

let provider: TestProvider;
beforeAll(async () => {
  provider = await openTestProvider();
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.answer({ text: 'Yes.' });
});
afterAll(() => provider.close());

function request(more: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    system: 'Answer from the notes.',
    messages: [{ role: 'user', content: 'A private sentence. Is it so?' }],
    maxTokens: 100,
    signal: new AbortController().signal,
    ...more,
  };
}

describe.each(PROVIDERS)('%s', (name) => {
  const model = (timeoutMs = 20_000, baseUrl = provider.baseUrl) => {
    const hosted = hostedModel({
      ...{ provider: name, model: 'test-model', baseUrl, key: KEY },
      ...{ timeoutMs, firstWaitMs: 20 },
    });
    return { generate: (given: GenerateRequest) => parsedAnswer(given, (each) => hosted.generate(each)) };
  };

  it('answers in one text, with what it took', async () => {
    provider.answer({ text: 'Yes, it is.', usage: { input: 21, output: 4 } });
    expect(await model().generate(request())).toEqual({
      text: 'Yes, it is.',
      usage: { inputTokens: 21, outputTokens: 4, isEstimated: false },
      finish: 'stop',
      model: expect.stringContaining('test-model'),
    });
    const [sent] = provider.requests;
    expect(JSON.stringify(sent?.body)).toContain('A private sentence.');
    expect(JSON.stringify(sent?.body)).not.toContain('"tools":[{');
  });

  it('answers in pieces as they come', async () => {
    provider.answer({ pieces: ['Yes', ', it', ' is.'], usage: { input: 21, output: 4 } });
    const pieces: string[] = [];
    const answer = await model().generate(request({ onDelta: (text) => pieces.push(text) }));
    expect(answer).toMatchObject({ text: 'Yes, it is.', finish: 'stop' });
    expect(answer.usage).toEqual({ inputTokens: 21, outputTokens: 4, isEstimated: false });
    expect(pieces.join('')).toBe('Yes, it is.');
    expect(pieces.length).toBeGreaterThan(1);
  });

  it('answers JSON where a schema is given, and mends it once', async () => {
    provider.answer({ text: '{"name":"Ada"}' });
    expect((await model().generate(request({ schema: SCHEMA }))).object).toEqual({ name: 'Ada' });
    provider.answer((_request, at) => ({ text: at === 1 ? 'Well, {"name": Ada' : '{"name":"Ada"}' }));
    const mended = await model().generate(request({ schema: SCHEMA }));
    expect(mended.object).toEqual({ name: 'Ada' });
    expect(provider.requests).toHaveLength(3);
    provider.answer({ text: 'I would rather not.' });
    await expect(model().generate(request({ schema: SCHEMA }))).rejects.toMatchObject({
      code: 'ai_unavailable',
      message: expect.stringContaining('not JSON'),
    });
    expect(provider.requests).toHaveLength(5);
  });

  it('says when it was cut at the limit, and when the model refuses', async () => {
    provider.answer({ text: 'Yes, it', finish: 'length' });
    expect((await model().generate(request())).finish).toBe('length');
    provider.answer({ pieces: ['No.'], finish: 'refusal' });
    expect((await model().generate(request({ onDelta: () => {} }))).finish).toBe('refusal');
  });

  it('waits as long as the provider says, and not for longer than a while', async () => {
    provider.answer((_request, at) =>
      at === 0 ? { status: 429, headers: { 'Retry-After': '1' } } : { text: 'Now.' },
    );
    const before = Date.now();
    expect((await model().generate(request())).text).toBe('Now.');
    expect(Date.now() - before).toBeGreaterThanOrEqual(990);
    provider.requests.length = 0;
    provider.answer({ status: 429, headers: { 'Retry-After': '3600' } });
    await expect(model().generate(request())).rejects.toMatchObject({
      code: 'ai_unavailable',
      details: { retry_after_s: 3600 },
    });
    expect(provider.requests).toHaveLength(1);
  });

  it('tries again when it fails, three times at most', async () => {
    provider.answer((_request, at) => (at < 2 ? { status: 503 } : { text: 'There.' }));
    expect((await model().generate(request())).text).toBe('There.');
    provider.requests.length = 0;
    provider.answer({ status: 500 });
    await expect(model().generate(request())).rejects.toMatchObject({ code: 'ai_unavailable' });
    expect(provider.requests).toHaveLength(3);
  });

  it('asks again when a stream is cut before anything was told, and not afterwards', async () => {
    provider.answer((_request, at) => ({ pieces: ['One', ' two'], ...(at === 0 && { cutAfter: 0 }) }));
    expect((await model().generate(request({ onDelta: () => {} }))).text).toBe('One two');
    expect(provider.requests).toHaveLength(2);
    provider.answer({ pieces: ['One', ' two', ' three'], cutAfter: 2, slowMs: 20 });
    const told: string[] = [];
    await expect(model().generate(request({ onDelta: (text) => told.push(text) }))).rejects.toMatchObject({
      code: 'ai_unavailable',
    });
    expect(told.join('')).toContain('One');
    expect(provider.requests).toHaveLength(3);
  });

  it('gives up when the answer takes too long', async () => {
    provider.answer({ text: 'Late.', slowMs: 5000 });
    await expect(model(200).generate(request())).rejects.toMatchObject({
      code: 'timeout',
      details: { limit_ms: 200 },
    });
  });

  it.each([false, true])('hangs up as soon as the call is cancelled (stream: %s)', async (streams) => {
    // A whole answer comes after the wait, one in pieces waits between them.
    provider.answer({
      pieces: Array.from({ length: 500 }, (_, n) => `${n} `),
      slowMs: streams ? 20 : 20_000,
    });
    const cancelling = new AbortController();
    let told = () => {};
    const first = new Promise<void>((resolve) => {
      told = resolve;
    });
    const answering = model().generate(
      request({ signal: cancelling.signal, ...(streams && { onDelta: () => told() }) }),
    );
    if (streams) await first;
    else await expect.poll(() => provider.requests.length).toBe(1);
    cancelling.abort(new Error('the caller is gone'));
    await expect(answering).rejects.toThrow('the caller is gone');
    await expect.poll(() => provider.requests[0]?.wasCut).toBe(true);
    expect(provider.requests).toHaveLength(1);
  });

  it.each([
    [
      400,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens",
          code: 'context_length_exceeded',
        },
      },
    ],
    [
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'prompt is too long: 210000 tokens > 200000 maximum',
        },
      },
    ],
    [
      400,
      {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'The input token count (40000) exceeds the maximum number of tokens allowed (32000).',
        },
      },
    ],
    [413, { error: { message: 'Payload Too Large' } }],
  ])('says that it is too much text: %s %j', async (status, body) => {
    provider.answer({ status, raw: JSON.stringify(body) });
    await expect(model().generate(request())).rejects.toMatchObject({ code: 'too_large' });
    expect(provider.requests).toHaveLength(1);
  });

  it.each([401, 403, 404, 400, 422])(
    'does not ask again after %s, and repeats neither key nor note',
    async (status) => {
      const message = `Incorrect key ${KEY} for: A private sentence.`;
      provider.answer({
        status,
        raw: JSON.stringify({ error: { message, type: 'invalid_key', code: message } }),
      });
      const error = await model()
        .generate(request())
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'ai_unavailable',
        message: expect.stringContaining(String(status)),
      });
      const all = JSON.stringify([
        error,
        (error as Error).message,
        (error as Error).stack,
        (error as Error).cause,
      ]);
      expect(all).not.toContain(KEY);
      expect(all).not.toContain('private');
      expect(provider.requests).toHaveLength(1);
    },
  );

  it.each(['<html>not found</html>', '{"unexpected":true}', ''])(
    'is not confused by an answer such as %j',
    async (raw) => {
      provider.answer({ raw });
      await expect(model().generate(request())).rejects.toMatchObject({ code: 'ai_unavailable' });
    },
  );

  it('counts for itself where the provider does not', async () => {
    provider.answer({ text: 'Yes.', usage: null });
    const { usage } = await model().generate(request());
    if (name !== 'anthropic') expect(usage.isEstimated).toBe(true);
    expect(usage.inputTokens).toBeGreaterThan(5);
  });

  it('follows no redirect', async () => {
    const reached: string[] = [];
    const elsewhere = createServer((incoming, response) => {
      reached.push(incoming.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    for (const status of [301, 302, 307, 308]) {
      provider.answer({ status, headers: { Location: `http://127.0.0.1:${port}/` } });
      await expect(model().generate(request())).rejects.toMatchObject({
        code: 'ai_unavailable',
        message: expect.stringContaining('not followed'),
      });
    }
    expect(reached).toEqual([]);
    elsewhere.close();
  });

  it('sends the key in a header of its own kind, and says whether it is there', async () => {
    await model().generate(request());
    expect(JSON.stringify(provider.requests[0]?.headers)).toContain(KEY);
    expect(provider.requests[0]?.path).not.toContain(KEY);
    const options = { provider: name, model: 'test-model', key: KEY };
    const { signal } = new AbortController();
    expect(await probe({ ...options, baseUrl: provider.baseUrl }, signal)).toEqual({ reachable: true });
    expect(await probe({ ...options, baseUrl: 'http://127.0.0.1:9/v1' }, signal)).toMatchObject({
      reachable: false,
      problem: expect.stringContaining('cannot be reached'),
    });
  });
});

it('asks nobody whom a variable of the environment names', async () => {
  const other = await openTestProvider();
  const variables = {
    OPENAI_BASE_URL: other.baseUrl,
    OPENAI_API_KEY: 'from elsewhere',
    ANTHROPIC_BASE_URL: other.baseUrl,
    ANTHROPIC_API_KEY: 'from elsewhere',
    GOOGLE_GENERATIVE_AI_API_KEY: 'from elsewhere',
  };
  Object.assign(process.env, variables);
  try {
    for (const name of PROVIDERS) {
      await hostedModel({
        provider: name,
        model: 'test-model',
        baseUrl: provider.baseUrl,
        key: undefined,
        timeoutMs: 5000,
      }).generate(request());
    }
    expect(JSON.stringify(provider.requests.map(({ headers }) => headers))).not.toContain('from elsewhere');
    expect(other.requests).toHaveLength(0);
  } finally {
    for (const variable of Object.keys(variables)) delete process.env[variable];
    await other.close();
  }
});
