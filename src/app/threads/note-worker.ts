import { serveNotes } from '../../vault/large/note-worker.ts';
import { servedPort } from './served-port.ts';

/** The thread that parses and patches large notes. */
serveNotes(servedPort());
