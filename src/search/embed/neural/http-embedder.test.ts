import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ollamaEmbedder } from './ollama.ts';
import { openAiEmbedder } from './openai.ts';

interface Request {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

/** A local server that answers every request with what `answer` makes of it. */
async function serve(answer: (request: Request) => { status?: number; body: string }) {
  const requests: Request[] = [];
  const made = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        path: incoming.url ?? '',
        authorization: incoming.headers.authorization,
        body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
      };
      requests.push(request);
      const { status = 200, body } = answer(request);
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(made.address() as AddressInfo).port}`, requests };
}

const texts = (request: Request) => request.body.input as string[];

describe('the Ollama adapter', () => {
  it('learns the dimensions, sends texts together, returns unit vectors', async () => {
    const { url, requests } = await serve((request) => ({
      body: JSON.stringify({ embeddings: texts(request).map((text) => [text.length, 0, 0]) }),
    }));
    const embedder = await ollamaEmbedder({ baseUrl: `${url}/`, model: 'nomic' });
    expect(embedder).toMatchObject({ id: 'ollama/nomic', dimensions: 3, kind: 'neural' });
    const vectors = await embedder.embed(['a', 'bcd'], 'passage');
    expect(vectors).toEqual([Float32Array.from([1, 0, 0]), Float32Array.from([1, 0, 0])]);
    expect(requests.at(-1)).toMatchObject({
      path: '/api/embed',
      body: { model: 'nomic', input: ['a', 'bcd'] },
    });
    expect(await embedder.embed([], 'query')).toEqual([]);
  });
});

describe('the OpenAI-compatible adapter', () => {
  it('sends the key, asks for the dimensions, sorts by index', async () => {
    const { url, requests } = await serve((request) => ({
      body: JSON.stringify({
        data: texts(request)
          .map((_, index) => ({ index, embedding: [index + 1, index === 0 ? 0 : 1] }))
          .reverse(),
      }),
    }));
    const embedder = await openAiEmbedder({
      baseUrl: `${url}/v1`,
      model: 'm',
      apiKey: 'secret',
      dimensions: 2,
    });
    const [first] = await embedder.embed(['x', 'y'], 'query');
    expect(first).toEqual(Float32Array.from([1, 0]));
    expect(requests[0]).toMatchObject({
      path: '/v1/embeddings',
      authorization: 'Bearer secret',
      body: { model: 'm', input: ['x', 'y'], dimensions: 2 },
    });
  });
});

describe('a failing endpoint', () => {
  it.each([
    ['an error', { status: 500, body: '{"error":"no"}' }, 'status 500'],
    ['no JSON', { body: 'oops' }, 'did not answer'],
    ['too few vectors', { body: '{"embeddings":[]}' }, 'another number'],
    ['other dimensions', { body: '{"embeddings":[[1,2,3]]}' }, 'instead of 2'],
    ['no numbers', { body: '{"embeddings":[["a","b"]]}' }, 'no vector'],
    ['nothing', { body: 'null' }, 'another number'],
  ])('that answers with %s is reported as unavailable', async (_, answer, message) => {
    const { url } = await serve(() => answer);
    const embedder = await ollamaEmbedder({ baseUrl: url, model: 'm', dimensions: 2 });
    const failure = embedder.embed(['x'], 'passage');
    await expect(failure).rejects.toMatchObject({ code: 'unavailable' });
    await expect(failure).rejects.toThrow(message);
  });

  it('that is not there is reported, and never shows the key', async () => {
    const embedder = await openAiEmbedder({
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'm',
      apiKey: 'secret',
      dimensions: 2,
    });
    const error = await embedder.embed(['x'], 'query').catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(JSON.stringify(error) + String((error as Error).message)).not.toContain('secret');
  });

  it('passes an abort on', async () => {
    const { url } = await serve(() => ({ body: '{"embeddings":[[1,0]]}' }));
    const embedder = await ollamaEmbedder({ baseUrl: url, model: 'm', dimensions: 2 });
    await expect(embedder.embed(['x'], 'query', AbortSignal.abort())).rejects.toThrow('abort');
  });
});
