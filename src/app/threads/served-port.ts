import { parentPort } from 'node:worker_threads';
import type { ServedPort } from '../../thread-calls.ts';

/**
 * The port of the current worker thread.
 * @throws outside of a worker thread
 */
export function servedPort<Message, Reply>(): ServedPort<Message, Reply> {
  const port = parentPort;
  if (!port) throw new Error('This runs in a worker thread only.');
  return {
    onRequest: (listener) => port.on('message', listener),
    post: (reply, transfer) => port.postMessage(reply, transfer),
  };
}
