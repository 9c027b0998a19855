import { LecternError } from '../errors.ts';
import { etagOf } from '../notes/etag.ts';
import type { Dialect } from '../notes/model.ts';
import { viewOf } from '../notes/note-view.ts';
import { parseNote } from '../notes/parse.ts';
import { decodeText } from '../notes/text.ts';
import { noteTitle } from '../notes/title.ts';
import type { StoredFile } from '../stores/store.ts';
import { LARGE_NOTE, type NoteWorker } from './large/note-worker.ts';
import type { OpenedNote } from './session.ts';

/**
 * @throws LecternError `invalid_input` when the file is no Markdown note or not UTF-8 text
 */
export async function openStored(
  file: StoredFile,
  dialect: Dialect,
  resolvedBy: OpenedNote['resolvedBy'],
  largeNotes: Pick<NoteWorker, 'view'> | undefined,
): Promise<OpenedNote> {
  const { entry, bytes } = file;
  if (entry.kind !== 'note') {
    throw new LecternError('invalid_input', `${entry.path} is not a Markdown note.`, {
      details: { path: entry.path, kind: entry.kind },
      next: 'Notes end in .md; other files can be read as resources, vault://{path}.',
    });
  }
  const text = decodeNote(entry.path, bytes);
  const large = text.length >= LARGE_NOTE ? largeNotes : undefined;
  const parsed = await (large?.view(text, dialect) ?? viewOf(parseNote(text, { dialect })));
  return {
    path: entry.path,
    etag: etagOf(bytes),
    size: bytes.length,
    mtimeMs: entry.mtimeMs,
    birthtimeMs: entry.birthtimeMs,
    title: noteTitle(parsed, entry.path),
    parsed,
    resolvedBy,
  };
}

/** @throws LecternError `invalid_input` when the bytes are not UTF-8: showing or editing them would damage them */
export function decodeNote(path: string, bytes: Uint8Array): string {
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw new LecternError('invalid_input', `${path} is not UTF-8 text (byte ${decoded.offset}).`, {
    details: { path, offset: decoded.offset },
    next: 'Convert the file to UTF-8 in an editor; Lectern leaves it as it is.',
  });
}
