import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEmbedder } from '../app/open-embedder.ts';
import { resolveEmbedder } from '../config/embedder-setting.ts';
import { modelsFolder } from '../config/models-folder.ts';
import {
  modelFolder,
  onnxModelFiles,
  staticModelFiles,
} from '../search/embed/local-model/model-folder.testing.ts';
import { addModel, listModels, removeModel, useModel } from './model.ts';

let environment: { XDG_STATE_HOME: string };
let printed: string[];

beforeEach(() => {
  environment = { XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'lectern-models-')) };
  printed = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(environment.XDG_STATE_HOME, { recursive: true, force: true });
});

const list = async () => {
  printed.length = 0;
  await listModels(environment);
  return printed.join('').trimEnd().split('\n');
};
const kept = (...path: string[]) => join(modelsFolder(environment), ...path);

describe('lectern model', () => {
  it('copies what a model needs, records it, uses and removes it', async () => {
    const source = modelFolder({ ...staticModelFiles(), 'README.md': 'long', 'pytorch_model.bin': 'heavy' });
    await addModel(source, { name: 'tiny' }, environment);
    expect(readdirSync(kept('tiny')).sort()).toEqual([
      'config.json',
      'lectern-model.json',
      'model.safetensors',
      'tokenizer.json',
    ]);
    const record = JSON.parse(readFileSync(kept('tiny', 'lectern-model.json'), 'utf8'));
    expect(record).toMatchObject({ source });
    expect(record.files).toHaveLength(3);
    expect(record.files[0]).toEqual({
      file: 'model.safetensors',
      bytes: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await list()).toEqual(['   tiny  static']);

    await useModel('tiny', environment);
    expect(await list()).toEqual(['*  tiny  static']);
    expect(resolveEmbedder({}, environment)).toEqual({ provider: 'model', name: 'tiny' });

    await removeModel('tiny', environment);
    expect(resolveEmbedder({}, environment)).toEqual({ provider: 'local' });
    expect(await list()).toEqual([expect.stringContaining('No models.')]);
    expect(existsSync(join(source, 'model.safetensors'))).toBe(true);
  });

  it('links a model where it is, and leaves it there when it is removed', async () => {
    const source = modelFolder(staticModelFiles());
    await addModel(source, { name: 'linked', link: true }, environment);
    expect(await list()).toEqual([`   linked  static  in ${source}`]);
    await removeModel('linked', environment);
    expect(existsSync(kept('linked'))).toBe(false);
    expect(existsSync(join(source, 'model.safetensors'))).toBe(true);
  });

  it('keeps nothing of a model that does not work', async () => {
    const broken = modelFolder({ ...staticModelFiles(), 'tokenizer.json': {} });
    await expect(addModel(broken, { name: 'broken' }, environment)).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(existsSync(kept())).toBe(false);
  });

  it('refuses names that are taken or cannot be', async () => {
    const source = modelFolder(staticModelFiles());
    await addModel(source, { name: 'tiny' }, environment);
    await expect(addModel(source, { name: 'tiny' }, environment)).rejects.toMatchObject({ code: 'exists' });
    for (const name of ['../out', 'in-use', '.x', ''])
      await expect(addModel(source, { name }, environment)).rejects.toMatchObject({ code: 'invalid_input' });
    for (const name of ['other', '../tiny'])
      await expect(removeModel(name, environment)).rejects.toMatchObject({ code: 'not_found' });
    await expect(useModel('other', environment)).rejects.toMatchObject({
      code: 'not_found',
      next: 'There are: tiny.',
    });
  });

  it('fetches nothing unless told to, and from nowhere by itself', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    await expect(addModel('org/tiny', {}, environment)).rejects.toMatchObject({
      code: 'not_found',
      next: expect.stringContaining('--download'),
    });
    await expect(addModel('org/tiny', { download: true }, environment)).rejects.toMatchObject({
      code: 'invalid_input',
      next: expect.stringContaining('--from'),
    });
    expect(fetched).not.toHaveBeenCalled();
  });

  it('adds a model by its id from the hub it is told', async () => {
    const files = staticModelFiles();
    const server = createServer((request, response) => {
      const name = (request.url ?? '').replace('/org/tiny/resolve/main/', '');
      const content = files[name];
      if (content === undefined) response.writeHead(404).end();
      else response.end(content instanceof Uint8Array ? content : JSON.stringify(content));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await addModel('org/tiny', { download: true, from }, environment);
      expect(await list()).toEqual(['   tiny  static']);
      const record = JSON.parse(readFileSync(kept('tiny', 'lectern-model.json'), 'utf8'));
      expect(record.source).toBe(`${from}/org/tiny@main`);
      await expect(addModel('org/none', { download: true, from }, environment)).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(readdirSync(kept())).toEqual(['tiny']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('keeps nothing of a download that is interrupted', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200).write('{');
      process.emit('SIGINT');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const before = process.listenerCount('SIGINT');
    try {
      await expect(addModel('org/tiny', { download: true, from }, environment)).rejects.toMatchObject({
        message: 'The download was stopped.',
      });
      expect(readdirSync(kept())).toEqual([]);
      expect(process.listenerCount('SIGINT')).toBe(before);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('shows a model that broke later', async () => {
    await addModel(modelFolder(staticModelFiles()), { name: 'tiny' }, environment);
    writeFileSync(kept('tiny', 'model.safetensors'), 'gone');
    expect(await list()).toEqual(['   tiny  broken']);
  });
});

describe('openEmbedder', () => {
  it('needs none for the vectors learned from the vault', async () => {
    expect(await openEmbedder({ provider: 'local' }, environment)).toBeUndefined();
  });

  it('runs a model in a thread, by name or by folder, with the same version either way', async () => {
    const folder = modelFolder(staticModelFiles());
    await addModel(folder, { name: 'tiny' }, environment);
    const named = await openEmbedder({ provider: 'model', name: 'tiny' }, environment);
    const there = await openEmbedder({ provider: 'model', folder }, environment);
    expect(named?.id).toMatch(/^model\/tiny@/);
    expect(there?.id.split('@')[1]).toBe(named?.id.split('@')[1]);
    await named?.close?.();
    await there?.close?.();
    await expect(named?.embed(['garden'], 'passage')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('finds the ONNX runtime from the built thread', async () => {
    const folder = modelFolder(onnxModelFiles());
    const model = await openEmbedder({ provider: 'model', folder }, environment);
    const vectors = await model?.embed(['garden', 'disk'], 'passage');
    expect(vectors?.map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    await model?.close?.();
  });

  it('asks OpenAI nothing without a key', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const setting = resolveEmbedder({ embedder: 'openai:text-embedding-3-small' }, environment);
    await expect(openEmbedder(setting, environment)).rejects.toMatchObject({
      code: 'invalid_input',
      next: expect.stringContaining('LECTERN_EMBEDDER_KEY'),
    });
    expect(fetched).not.toHaveBeenCalled();
  });

  it('says that a model is not there', async () => {
    await expect(openEmbedder({ provider: 'model', name: 'none' }, environment)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('asks an endpoint with the key from the environment', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization, request.url);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }], embeddings: [[3, 4]] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const secret = { ...environment, LECTERN_EMBEDDER_KEY: 'sk-1' };
      const openai = await openEmbedder({ provider: 'openai', model: 'm', baseUrl }, secret);
      const ollama = await openEmbedder({ provider: 'ollama', model: 'm', baseUrl }, secret);
      expect([openai?.dimensions, ollama?.dimensions]).toEqual([2, 2]);
      expect(seen).toEqual(['Bearer sk-1', '/embeddings', undefined, '/api/embed']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
