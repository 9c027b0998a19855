import { NOTE_WORK_MEGABYTES } from '../../budgets.ts';
import type { NotePort } from '../../vault/large/note-worker.ts';
import { startWorker } from './worker-port.ts';

/** Starts a thread for the text of large notes. It does not keep the process running. */
export function startNoteThread(megabytes = NOTE_WORK_MEGABYTES): NotePort {
  return startWorker('note-worker', {
    name: 'lectern-notes',
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  });
}
