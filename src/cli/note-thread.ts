import { Worker } from 'node:worker_threads';
import type { NotePort } from '../vault/large/note-worker.ts';
import { workerUrl } from './worker-url.ts';

/** Starts a thread for the text of large notes. It does not keep the process alive. */
export function startNoteThread(): NotePort {
  const worker = new Worker(workerUrl('note-worker'), { name: 'lectern-notes' });
  worker.unref();
  return {
    post: (request) => worker.postMessage(request),
    onReply: (listener) => worker.on('message', listener),
    onExit(listener) {
      worker.on('error', listener);
      worker.on('exit', (code) => listener(new Error(`exit code ${code}`)));
    },
    async terminate() {
      await worker.terminate();
    },
  };
}
