import { LecternError } from '../errors.ts';
import { etagOf } from '../notes/etag.ts';
import type { Dialect } from '../notes/model.ts';
import type { NoteView } from '../notes/note-view.ts';
import { noteTitle } from '../notes/title.ts';
import type { StoredFile } from '../stores/store.ts';
import { decodeNote } from './decode-note.ts';
import { type NoteWorker, viewNote } from './large/note-worker.ts';
import type { RecentViews } from './recent-views.ts';
import type { OpenedNote } from './session.ts';

/** How the notes of a vault are parsed, and the notes parsed recently. */
export interface NoteParsing {
  readonly settings: { readonly dialect: Dialect };
  readonly views: RecentViews;
  readonly largeNotes?: Pick<NoteWorker, 'view'>;
}

/** @throws LecternError `invalid_input` when the file is not a Markdown note or not UTF-8 text */
export async function openStored(
  { entry, bytes }: StoredFile,
  resolvedBy: OpenedNote['resolvedBy'],
  parsing: NoteParsing,
): Promise<OpenedNote> {
  if (entry.kind !== 'note') {
    throw new LecternError('invalid_input', `${entry.path} is not a Markdown note.`, {
      details: { path: entry.path, kind: entry.kind },
      next: 'Notes end in .md; other files can be read as resources, vault://{path}.',
    });
  }
  const text = decodeNote(entry.path, bytes);
  const etag = etagOf(bytes, entry.facts);
  const parsed = await parsedView(text, etag, parsing);
  return {
    path: entry.path,
    etag,
    size: bytes.length,
    mtimeMs: entry.mtimeMs,
    birthtimeMs: entry.birthtimeMs,
    title: entry.facts?.title?.trim() || noteTitle(parsed, entry.path),
    parsed,
    ...(entry.id !== undefined && { id: entry.id }),
    ...(entry.facts && { facts: entry.facts }),
    resolvedBy,
  };
}

/** Parses a note's text, or returns the recent result. */
export async function parsedView(
  text: string,
  etag: string,
  { settings: { dialect }, views, largeNotes }: NoteParsing,
): Promise<NoteView> {
  const known = views.get(etag, text);
  if (known) return known;
  const view = await viewNote(text, dialect, largeNotes);
  views.keep(etag, view);
  return view;
}
