import type { NotePort } from '../../vault/large/note-worker.ts';
import { startWorker } from './worker-port.ts';

/** Starts a thread for the text of large notes. It does not keep the process alive. */
export function startNoteThread(): NotePort {
  return startWorker('note-worker', { name: 'lectern-notes' });
}
