import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { LecternError } from '../../../errors.ts';
import type { Embedder } from '../embedder.ts';
import { serveModel } from './serve-model.ts';
import { threadedModel } from './threaded-model.ts';

/** Both sides in one thread: a real channel, which clones and transfers as threads do. */
async function served(open: () => Promise<Embedder>) {
  const { port1, port2 } = new MessageChannel();
  let exited: (error: Error) => void = () => {};
  let isKept = false;
  serveModel(
    {
      onRequest: (listener) => port2.on('message', listener),
      post: (reply, transfer) => port2.postMessage(reply, transfer as ArrayBuffer[]),
    },
    open,
  );
  const model = await threadedModel({
    post: (message) => port1.postMessage(message),
    onReply: (listener) => port1.on('message', listener),
    onExit: (listener) => {
      exited = listener;
    },
    keepAlive: (yes) => {
      isKept = yes;
    },
    terminate: async () => port1.close(),
  });
  return { model, isKept: () => isKept, kill: () => exited(new Error('exit code 1')) };
}

const embedder = (embed: Embedder['embed']): Embedder => ({
  id: 'model/test@0',
  dimensions: 1,
  kind: 'neural',
  batch: 4,
  embed,
});

const lengths = embedder(async (texts) => texts.map((text) => Float32Array.of(text.length)));

describe('a model in a thread', () => {
  it('answers as the model does, calls side by side', async () => {
    const { model, isKept } = await served(async () => lengths);
    expect(model).toMatchObject({ id: 'model/test@0', dimensions: 1, batch: 4, kind: 'neural' });
    const both = Promise.all([model.embed(['a', 'bb'], 'passage'), model.embed(['ccc'], 'query')]);
    expect(isKept()).toBe(true);
    expect(await both).toEqual([[Float32Array.of(1), Float32Array.of(2)], [Float32Array.of(3)]]);
    expect(isKept()).toBe(false);
    await model.close?.();
  });

  it('passes on why a model cannot be opened', async () => {
    const error = new LecternError('invalid_input', 'It is broken.', {
      details: { file: 'model.onnx' },
      next: 'Get another.',
    });
    await expect(served(() => Promise.reject(error))).rejects.toMatchObject({
      name: 'LecternError',
      code: 'invalid_input',
      message: 'It is broken.',
      details: { file: 'model.onnx' },
      next: 'Get another.',
    });
  });

  it('passes on what goes wrong in one call, and goes on', async () => {
    const { model } = await served(async () =>
      embedder(async ([text = '']) => {
        if (text === 'bad') throw new Error('no');
        if (text === 'long')
          throw new LecternError('too_large', 'Too long.', { details: { most: 7 }, next: 'Cut it.' });
        return [Float32Array.of(1)];
      }),
    );
    await expect(model.embed(['bad'], 'passage')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(model.embed(['long'], 'passage')).rejects.toMatchObject({
      code: 'too_large',
      details: { most: 7 },
      next: 'Cut it.',
    });
    expect(await model.embed(['good'], 'passage')).toEqual([Float32Array.of(1)]);
    await model.close?.();
  });

  it('lets a caller go at once, and tells the thread to stop', async () => {
    const seen: AbortSignal[] = [];
    const { model } = await served(async () =>
      embedder(
        (_texts, _kind, signal) =>
          new Promise((_, reject) => {
            seen.push(signal!);
            signal!.addEventListener('abort', () => reject(new Error('stopped')));
          }),
      ),
    );
    const stop = new AbortController();
    const call = model.embed(['a'], 'passage', stop.signal);
    await expect.poll(() => seen.length).toBe(1);
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => seen[0]?.aborted).toBe(true);
    await expect(model.embed(['a'], 'passage', stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await model.close?.();
  });

  it('fails open and later calls when the thread dies', async () => {
    const { model, kill } = await served(async () => embedder(() => new Promise(() => {})));
    const call = model.embed(['a'], 'passage');
    kill();
    await expect(call).rejects.toMatchObject({ code: 'unavailable' });
    await expect(model.embed(['a'], 'passage')).rejects.toMatchObject({ code: 'unavailable' });
    await model.close?.();
  });
});
