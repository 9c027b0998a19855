import { LecternError } from '../../../errors.ts';
import type { Embedder } from '../embedder.ts';
import type { ErrorFacts, ModelAnswer, ModelPort, ModelRequest } from './model-messages.ts';

/** A thread in which a model is served. */
export interface ModelThread extends ModelPort {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  /** Whether the thread keeps the process alive. */
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

interface Call {
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
}

/**
 * This side of a model that runs in a thread of its own, so that neither loading nor running it blocks
 * anything here. The thread keeps the process alive only while a call is open.
 *
 * @throws LecternError what opening the model threw; `unavailable` when the thread dies
 */
export async function threadedModel(thread: ModelThread): Promise<Embedder> {
  const calls = new Map<number, Call>();
  let calling = 0;
  let gone: LecternError | undefined;

  const settle = (call: number): Call | undefined => {
    const found = calls.get(call);
    calls.delete(call);
    if (calls.size === 0) thread.unref();
    return found;
  };
  const fail = (reason: unknown) => {
    gone ??= new LecternError('unavailable', 'The thread of the local model has ended.', { cause: reason });
    for (const call of [...calls.keys()]) settle(call)?.reject(gone);
  };

  const ready = await new Promise<(ModelAnswer & { type: 'ready' })['model']>((resolve, reject) => {
    thread.on('message', (message) => {
      const answer = message as ModelAnswer;
      if (answer.type === 'ready') resolve(answer.model);
      else if (answer.type === 'vectors') settle(answer.call)?.resolve([...answer.vectors]);
      else if (answer.call === undefined) reject(errorOf(answer.error));
      else settle(answer.call)?.reject(errorOf(answer.error));
    });
    const ended = (reason: unknown) => {
      fail(reason);
      reject(gone);
    };
    thread.on('error', ended);
    thread.on('exit', (code) => ended(new Error(`exit code ${code}`)));
  }).catch(async (error: unknown) => {
    await thread.terminate();
    throw error;
  });
  thread.unref();

  return {
    ...ready,
    kind: 'neural',
    embed(texts, kind, signal) {
      return new Promise<Float32Array[]>((resolve, reject) => {
        if (gone) throw gone;
        signal?.throwIfAborted();
        const call = ++calling;
        const cancel = () => {
          post({ type: 'cancel', call });
          settle(call)?.reject(signal?.reason);
        };
        signal?.addEventListener('abort', cancel, { once: true });
        const done = () => signal?.removeEventListener('abort', cancel);
        calls.set(call, {
          resolve: (vectors) => {
            done();
            resolve(vectors);
          },
          reject: (error) => {
            done();
            reject(error);
          },
        });
        thread.ref();
        post({ type: 'embed', call, texts, kind });
      });
    },
    async close() {
      await thread.terminate();
    },
  };

  function post(request: ModelRequest): void {
    thread.postMessage(request);
  }
}

function errorOf({ code, message, next }: ErrorFacts): LecternError {
  return new LecternError(code, message, next === undefined ? {} : { next });
}
