import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type DownloadOptions, downloadModel } from './model-download.ts';

const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A hub with these files of one model; it records the requested paths. */
async function hub(files: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const from = await served((request, response) => {
    asked.push(request.url ?? '');
    const content = files[(request.url ?? '').replace(/^\/org\/tiny\/resolve\/[^/]+\//, '')];
    if (content === undefined) response.writeHead(404).end('none');
    else response.end(content);
  });
  return { from, asked };
}

function target(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-download-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const options = (over: Partial<DownloadOptions>): DownloadOptions => ({
  from: 'https://hub.invalid',
  id: 'org/tiny',
  revision: 'main',
  mostBytes: 1_000_000,
  idleMs: 5_000,
  ...over,
});

const filesIn = (folder: string) =>
  (readdirSync(folder, { recursive: true, withFileTypes: true }) ?? [])
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .sort();

describe('downloadModel', () => {
  it('fetches an encoder with its settings and data, and says how far it is', async () => {
    const files = {
      'config.json': '{}',
      'tokenizer.json': '{"a":1}',
      '1_Pooling/config.json': '{}',
      'onnx/model.onnx': 'x'.repeat(200_000),
      'onnx/model.onnx_data': 'y',
      'pytorch_model.bin': 'not wanted',
    };
    const { from } = await hub(files);
    const folder = target();
    const seen: [string, number, number | undefined][] = [];
    await downloadModel(folder, options({ from: `${from}/`, onProgress: (...each) => seen.push(each) }));
    expect(filesIn(folder)).toEqual(
      Object.keys(files)
        .filter((name) => !name.startsWith('pytorch'))
        .sort(),
    );
    expect(readFileSync(join(folder, 'onnx/model.onnx'), 'utf8')).toBe(files['onnx/model.onnx']);
    expect(seen).toContainEqual(['onnx/model.onnx', 200_000, expect.toBeOneOf([200_000, undefined])]);
  });

  it('fetches a static table where the model says it is one', async () => {
    const { from, asked } = await hub({
      'config.json': '{"model_type": "model2vec"}',
      'tokenizer.json': '{}',
      'model.safetensors': 's',
      'onnx/model.onnx': 'o',
    });
    const folder = target();
    await downloadModel(folder, options({ from, revision: 'v1.0' }));
    expect(filesIn(folder)).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
    expect(asked.every((path) => path.startsWith('/org/tiny/resolve/v1.0/'))).toBe(true);
  });

  it('takes the weights it is told to', async () => {
    const { from } = await hub({
      'tokenizer.json': '{}',
      'onnx/model.onnx': 'o',
      'onnx/model_int8.onnx': 'i',
    });
    const folder = target();
    await downloadModel(folder, options({ from, weights: 'onnx/model_int8.onnx' }));
    expect(filesIn(folder)).toEqual(['onnx/model_int8.onnx', 'tokenizer.json']);
  });

  it.each(['../x', 'a/b/c/d', 'a/../b', '.hidden/b', 'a b', '', 'a/', 'a/b?x=1', 'a%2fb'])(
    'refuses the id %j without asking anybody',
    async (id) => {
      const { from, asked } = await hub({});
      await expect(downloadModel(target(), options({ from, id }))).rejects.toMatchObject({
        code: 'invalid_input',
      });
      expect(asked).toEqual([]);
    },
  );

  it.each(['http://hub.example', 'ftp://hub.example', 'hub.example', 'https://me:secret@hub.example', ''])(
    'refuses to fetch from %j',
    async (from) => {
      await expect(downloadModel(target(), options({ from }))).rejects.toMatchObject({
        code: 'invalid_input',
      });
    },
  );

  it.each([
    '../../evil',
    '/etc/passwd',
    'https://elsewhere.example/model.onnx',
    'onnx/..%2f..%2fevil',
    'model.bin',
  ])('refuses the weights %j', async (weights) => {
    const { from } = await hub({});
    await expect(downloadModel(target(), options({ from, weights }))).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('follows redirects on this machine, but to no place that is not secure, and not for ever', async () => {
    const { from: store } = await hub({ 'tokenizer.json': '{}', 'onnx/model.onnx': 'o' });
    const to = (place: (path: string) => string) =>
      served((request, response) => response.writeHead(302, { location: place(request.url ?? '') }).end());
    const folder = target();
    await downloadModel(folder, options({ from: await to((path) => `${store}${path}`) }));
    expect(filesIn(folder)).toEqual(['onnx/model.onnx', 'tokenizer.json']);
    const outside = await to((path) => `http://hub.example${path}`);
    await expect(downloadModel(target(), options({ from: outside }))).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(downloadModel(target(), options({ from: await to((path) => path) }))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it.each([
    ['no weights', { 'tokenizer.json': '{}' }],
    ['no tokenizer', { 'onnx/model.onnx': 'o' }],
  ])('says that a model has %s', async (_, files) => {
    const { from } = await hub(files as unknown as Record<string, string>);
    await expect(downloadModel(target(), options({ from }))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stops at the size limit, whether the server tells the size or not', async () => {
    const { from } = await hub({ 'onnx/model.onnx': 'x'.repeat(2000), 'tokenizer.json': '{}' });
    await expect(downloadModel(target(), options({ from, mostBytes: 1000 }))).rejects.toMatchObject({
      code: 'too_large',
    });
    const endless = await served((request, response) => {
      if (!request.url?.endsWith('model.onnx')) response.writeHead(404).end();
      else {
        const write = () => void (response.destroyed || response.write('x'.repeat(10_000), write));
        write();
      }
    });
    const folder = target();
    await expect(downloadModel(folder, options({ from: endless, mostBytes: 50_000 }))).rejects.toMatchObject({
      code: 'too_large',
    });
    expect(filesIn(folder)).toEqual([]);
  });

  it('gives up on a server that falls silent or hangs up in the middle, and keeps no half file', async () => {
    const silent = await served((_request, response) => void response.writeHead(200).write('{'));
    const folder = target();
    await expect(downloadModel(folder, options({ from: silent, idleMs: 200 }))).rejects.toMatchObject({
      code: 'unavailable',
    });
    const broken = await served((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect(downloadModel(folder, options({ from: broken }))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  it('stops when told to', async () => {
    const stop = new AbortController();
    const from = await served((_request, response) => {
      response.writeHead(200).write('{');
      stop.abort();
    });
    await expect(downloadModel(target(), options({ from, signal: stop.signal }))).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
