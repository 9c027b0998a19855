import { parentPort } from 'node:worker_threads';
import { serveNotes } from '../../vault/large/note-worker.ts';

/** The thread that parses and patches large notes. */
const port = parentPort;
if (!port) throw new Error('Large notes are parsed in a worker thread only.');

serveNotes({
  onRequest: (listener) => port.on('message', listener),
  post: (reply, transfer) => port.postMessage(reply, transfer),
});
