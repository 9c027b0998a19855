import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** One request as it came in over the socket. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the caller hung up before the answer was whole. */
  wasCut: boolean;
}

/** How the provider answers a request. */
export interface ProviderAnswer {
  /** Sent in these pieces where the caller wants a stream, else as one text. */
  readonly pieces?: readonly string[];
  readonly text?: string;
  /** Waits before the answer, and between its pieces, ms. */
  readonly slowMs?: number;
  /** Hangs up after so many pieces. */
  readonly cutAfter?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of an answer that is none of the above. */
  readonly raw?: string;
  readonly finish?: 'stop' | 'length' | 'refusal';
  /** Absent = by the length of the texts; null = the provider says nothing of it. */
  readonly usage?: { readonly input: number; readonly output: number } | null;
}

export type Answering = (request: ReceivedRequest, at: number) => ProviderAnswer | Promise<ProviderAnswer>;

export interface TestProvider {
  /** Address of the server, without a path: `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** As an OpenAI-compatible base URL. */
  readonly baseUrl: string;
  readonly requests: ReceivedRequest[];
  /** How requests are answered from here on. */
  answer(answering: Answering | ProviderAnswer): void;
  /** What the last request holds, as one text. */
  lastPrompt(): string;
  close(): Promise<void>;
}

/**
 * A provider of language models over a real socket, in the wire formats of OpenAI's chat completions (and those
 * compatible with it), Anthropic's messages and Google's generateContent. It answers what a test tells it to.
 */
export async function openTestProvider(
  answering: Answering | ProviderAnswer = { text: 'Yes.' },
): Promise<TestProvider> {
  const requests: ReceivedRequest[] = [];
  let current = answering;
  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.destroy());
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const received: ReceivedRequest = {
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
      wasCut: false,
    };
    response.on('close', () => {
      if (!response.writableFinished) received.wasCut = true;
    });
    if (request.method === 'GET') {
      json(response, { object: 'list', data: [{ id: 'test-model', object: 'model' }], models: [] });
      return;
    }
    requests.push(received);
    const answer = typeof current === 'function' ? await current(received, requests.length - 1) : current;
    await send(received, answer, response);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    answer(next) {
      current = next;
    },
    lastPrompt: () => JSON.stringify(requests.at(-1)?.body ?? {}),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function send(
  request: ReceivedRequest,
  answer: ProviderAnswer,
  response: ServerResponse,
): Promise<void> {
  const { status = 200, headers = {}, raw, slowMs = 0 } = answer;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const pause = () =>
    slowMs > 0 ? delay(slowMs, undefined, { signal: gone.signal }).catch(() => {}) : undefined;
  await pause();
  if (response.destroyed) return;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (status !== 200 || raw !== undefined) {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(raw ?? JSON.stringify({ error: { message: `status ${status}`, type: 'test' } }));
    return;
  }
  const wire = wireOf(request);
  const pieces = answer.pieces ?? [answer.text ?? ''];
  if (!wire.isStream) return json(response, wire.whole(pieces.join(''), answer));
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const line of wire.head(answer)) response.write(line);
  for (const [at, piece] of pieces.entries()) {
    if (answer.cutAfter === at) return void response.destroy();
    response.write(wire.piece(piece));
    await pause();
    if (response.destroyed) return;
  }
  if (answer.cutAfter !== undefined && answer.cutAfter >= pieces.length) return void response.destroy();
  for (const line of wire.tail(pieces.join(''), answer)) response.write(line);
  response.end();
}

/** A wire format: how an answer looks whole, and in pieces. */
interface Wire {
  readonly isStream: boolean;
  whole(text: string, answer: ProviderAnswer): unknown;
  head(answer: ProviderAnswer): readonly string[];
  piece(text: string): string;
  tail(text: string, answer: ProviderAnswer): readonly string[];
}

function wireOf({ path, body }: ReceivedRequest): Wire {
  if (path.includes('/messages')) return anthropic(body);
  if (path.includes('enerateContent')) return google(path, body);
  return chatCompletions(body);
}

function usageOf(
  body: object,
  text: string,
  { usage }: ProviderAnswer,
): { input: number; output: number } | undefined {
  if (usage === null) return undefined;
  return (
    usage ?? {
      input: Math.ceil(JSON.stringify(body).length / 4),
      output: Math.max(1, Math.ceil(text.length / 4)),
    }
  );
}

const event = (data: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

function chatCompletions(body: Readonly<Record<string, unknown>>): Wire {
  const model = String(body.model);
  const finish = ({ finish: reason = 'stop' }: ProviderAnswer) =>
    reason === 'refusal' ? 'content_filter' : reason;
  const usage = (text: string, answer: ProviderAnswer) => {
    const counted = usageOf(body, text, answer);
    return (
      counted && {
        usage: {
          prompt_tokens: counted.input,
          completion_tokens: counted.output,
          total_tokens: counted.input + counted.output,
        },
      }
    );
  };
  const chunk = (choices: readonly unknown[], more = {}) =>
    event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model, choices, ...more });
  return {
    isStream: body.stream === true,
    whole: (text, answer) => ({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish(answer) }],
      ...usage(text, answer),
    }),
    head: () => [chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])],
    piece: (text) => chunk([{ index: 0, delta: { content: text }, finish_reason: null }]),
    tail: (text, answer) => [
      chunk([{ index: 0, delta: {}, finish_reason: finish(answer) }]),
      ...(usage(text, answer) === undefined ? [] : [chunk([], usage(text, answer))]),
      event('[DONE]'),
    ],
  };
}

function anthropic(body: Readonly<Record<string, unknown>>): Wire {
  const model = String(body.model);
  const stop = ({ finish = 'stop' }: ProviderAnswer) =>
    ({ stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' })[finish];
  const counted = (text: string, answer: ProviderAnswer) =>
    usageOf(body, text, answer) ?? { input: 0, output: 0 };
  const message = (answer: ProviderAnswer) => ({
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: counted('', answer).input, output_tokens: 0 },
  });
  return {
    isStream: body.stream === true,
    whole: (text, answer) => ({
      ...message(answer),
      content: [{ type: 'text', text }],
      stop_reason: stop(answer),
      usage: { input_tokens: counted(text, answer).input, output_tokens: counted(text, answer).output },
    }),
    head: (answer) => [
      event({ type: 'message_start', message: message(answer) }, 'message_start'),
      event(
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        'content_block_start',
      ),
    ],
    piece: (text) =>
      event(
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        'content_block_delta',
      ),
    tail: (text, answer) => [
      event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
      event(
        {
          type: 'message_delta',
          delta: { stop_reason: stop(answer), stop_sequence: null },
          usage: { output_tokens: counted(text, answer).output },
        },
        'message_delta',
      ),
      event({ type: 'message_stop' }, 'message_stop'),
    ],
  };
}

function google(path: string, body: Readonly<Record<string, unknown>>): Wire {
  const reason = ({ finish = 'stop' }: ProviderAnswer) =>
    ({ stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' })[finish];
  const part = (text: string, more = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
    modelVersion: /models\/([^:]+)/.exec(path)?.[1] ?? 'gemini',
  });
  const usage = (text: string, answer: ProviderAnswer) => {
    const counted = usageOf(body, text, answer);
    return (
      counted && {
        usageMetadata: {
          promptTokenCount: counted.input,
          candidatesTokenCount: counted.output,
          totalTokenCount: counted.input + counted.output,
        },
      }
    );
  };
  return {
    isStream: path.includes('streamGenerateContent'),
    whole: (text, answer) => ({ ...part(text, { finishReason: reason(answer) }), ...usage(text, answer) }),
    head: () => [],
    piece: (text) => event(part(text)),
    tail: (text, answer) => [
      event({ ...part('', { finishReason: reason(answer) }), ...usage(text, answer) }),
    ],
  };
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}
