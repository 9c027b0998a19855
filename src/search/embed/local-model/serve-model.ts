import { isLecternError } from '../../../errors.ts';
import type { Embedder } from '../embedder.ts';
import type { ErrorFacts, ModelAnswer, ModelPort, ModelRequest } from './model-messages.ts';

/**
 * The thread's side: opens a model and embeds what comes in, one call after the other. Says `ready` or
 * `failed` first.
 */
export async function serveModel(port: ModelPort, open: () => Promise<Embedder>): Promise<void> {
  const answer = (message: ModelAnswer, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, transfer);
  let model: Embedder;
  try {
    model = await open();
  } catch (error) {
    answer({ type: 'failed', call: undefined, error: factsOf(error) });
    return;
  }
  const running = new Map<number, AbortController>();
  let last: Promise<void> = Promise.resolve();

  async function embed({ call, texts, kind }: ModelRequest & { type: 'embed' }): Promise<void> {
    const signal = running.get(call)?.signal;
    try {
      if (signal?.aborted) return;
      const vectors = await model.embed(texts, kind, signal);
      answer(
        { type: 'vectors', call, vectors },
        vectors.map(({ buffer }) => buffer as ArrayBuffer),
      );
    } catch (error) {
      answer({ type: 'failed', call, error: factsOf(error) });
    } finally {
      running.delete(call);
    }
  }

  port.on('message', (message) => {
    const request = message as ModelRequest;
    if (request.type === 'cancel') {
      running.get(request.call)?.abort();
      return;
    }
    running.set(request.call, new AbortController());
    last = last.then(() => embed(request));
  });
  const { id, dimensions, batch } = model;
  answer({ type: 'ready', model: { id, dimensions, batch } });
}

function factsOf(error: unknown): ErrorFacts {
  if (isLecternError(error)) return { code: error.code, message: error.message, next: error.next };
  return { code: 'unavailable', message: `The local model failed: ${String(error)}`, next: undefined };
}
