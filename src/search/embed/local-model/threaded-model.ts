import { LecternError } from '../../../errors.ts';
import { type CallMessage, type CallReply, ThreadCalls, type ThreadPort } from '../../../thread-calls.ts';
import type { Embedder, EmbedKind } from '../embedder.ts';

/** What a model's thread can be asked: `open` first, and once. */
export interface ModelCalls {
  open(given: undefined): Pick<Embedder, 'id' | 'dimensions' | 'batch'>;
  embed(given: { readonly texts: readonly string[]; readonly kind: EmbedKind }): Float32Array[];
}

export type ModelPort = ThreadPort<CallMessage, CallReply>;

/**
 * This side of a model that runs in a thread of its own, so that neither loading nor running it blocks
 * anything here. The thread keeps the process alive only while a call is open.
 *
 * @throws LecternError what opening the model threw; `unavailable` when the thread dies
 */
export async function threadedModel(port: ModelPort): Promise<Embedder> {
  const calls = new ThreadCalls<ModelCalls>(port, {
    ended: (error) =>
      new LecternError('unavailable', 'The thread of the local model has ended.', { cause: error }),
  });
  const facts = await calls.ask('open', undefined).catch(async (error: unknown) => {
    await calls.terminate();
    throw error;
  });
  return {
    ...facts,
    kind: 'neural',
    embed: (texts, kind, signal) => calls.ask('embed', { texts, kind }, signal),
    close: () => calls.terminate(),
  };
}
