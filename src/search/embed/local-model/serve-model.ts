import { isLecternError, LecternError } from '../../../errors.ts';
import {
  type CallMessage,
  type CallReply,
  HandedOver,
  type ServedPort,
  serveCalls,
} from '../../../thread-calls.ts';
import type { Embedder } from '../embedder.ts';
import type { ModelCalls } from './threaded-model.ts';

/** The thread's side: opens a model when it is asked to, and embeds what comes in, one call after the other. */
export function serveModel(port: ServedPort<CallMessage, CallReply>, open: () => Promise<Embedder>): void {
  let model: Promise<Embedder> | undefined;
  const opened = () => (model ??= open());
  let last: Promise<unknown> = Promise.resolve();
  serveCalls<ModelCalls>(port, {
    open: () =>
      inWords(async () => {
        const { id, dimensions, batch } = await opened();
        return { id, dimensions, batch };
      }),
    embed({ texts, kind }, signal) {
      const turn = last.then(() =>
        inWords(async () => {
          signal.throwIfAborted();
          const vectors = await (await opened()).embed(texts, kind, signal);
          return new HandedOver(
            vectors,
            vectors.map(({ buffer }) => buffer as ArrayBuffer),
          );
        }),
      );
      last = turn.catch(() => {});
      return turn;
    },
  });
}

async function inWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isLecternError(error)) throw error;
    throw new LecternError('unavailable', `The local model failed: ${String(error)}`, { cause: error });
  }
}
