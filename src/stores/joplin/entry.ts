import { nameOf } from '../../notes/dialects/joplin-names.ts';
import { fileKindOf } from '../../notes/path.ts';
import type { FactChanges, NoteFacts, Origin, StoreEntry } from '../store.ts';
import type { NoteRow, ResourceRow } from './rows.ts';

/** A note as an entry of the store port. `size` is in bytes of UTF-8. */
export function noteEntry(
  path: string,
  row: NoteRow,
  size: number,
  tags: readonly string[],
  version: string,
): StoreEntry {
  return {
    path,
    kind: 'note',
    size,
    mtimeMs: row.user_updated_time,
    ctimeMs: row.updated_time,
    birthtimeMs: row.user_created_time,
    version,
    id: row.id,
    facts: factsOf(row, tags),
  };
}

/** An attachment as an entry of the store port. `size` is in bytes. */
export function resourceEntry(path: string, row: ResourceRow, version: string): StoreEntry {
  return {
    path,
    kind: fileKindOf(path),
    size: row.size,
    mtimeMs: row.updated_time,
    ctimeMs: row.updated_time,
    birthtimeMs: row.user_created_time,
    version,
    id: row.id,
  };
}

/**
 * The facts of a note. The title is a fact only when a file name cannot hold it. Times are part of the entry
 * instead, because Joplin sets them with every change.
 */
function factsOf(row: NoteRow, tags: readonly string[]): NoteFacts {
  return {
    ...(nameOf(row.title) !== row.title && { title: row.title }),
    ...(tags.length > 0 && { tags }),
    ...(row.is_todo === 1 && {
      todo: { done: row.todo_completed > 0, ...(row.todo_due > 0 && { dueMs: row.todo_due }) },
    }),
    ...(row.source_url !== '' && { sourceUrl: row.source_url }),
    ...(row.author !== '' && { author: row.author }),
    ...geoOf(row),
  };
}

/** Joplin stores zeros for a note without a location. */
function geoOf(row: NoteRow): Pick<NoteFacts, 'geo'> {
  const [latitude, longitude, altitude] = [Number(row.latitude), Number(row.longitude), Number(row.altitude)];
  return latitude === 0 && longitude === 0 && altitude === 0
    ? {}
    : { geo: { latitude, longitude, altitude } };
}

/** The times of a copied file as Joplin's user-visible times, whole ms since the epoch. */
export function timesOf({ createdMs, modifiedMs }: Origin): object {
  return {
    ...(createdMs !== undefined && { user_created_time: Math.round(createdMs) }),
    ...(modifiedMs !== undefined && { user_updated_time: Math.round(modifiedMs) }),
  };
}

/**
 * The properties to send to Joplin for these changes of facts.
 * @param row undefined for a new note
 * @param name the title when the facts remove it
 * @param now ms since the epoch, stored as the time a todo was completed
 */
export function propertiesOf(
  changes: FactChanges,
  row: NoteRow | undefined,
  name: string,
  now: number,
): Record<string, unknown> {
  const { title, tags, todo, createdMs, updatedMs, sourceUrl, author, geo } = changes;
  return {
    ...(title !== undefined && { title: title ?? name }),
    // An empty text is sent too: it removes all tags.
    ...(tags !== undefined && { tags: (tags ?? []).join(',') }),
    ...(todo !== undefined && {
      is_todo: todo === null ? 0 : 1,
      todo_due: todo?.dueMs ?? 0,
      todo_completed: todo?.done ? row?.todo_completed || now : 0,
    }),
    ...timesOf({
      ...(typeof createdMs === 'number' && { createdMs }),
      ...(typeof updatedMs === 'number' && { modifiedMs: updatedMs }),
    }),
    ...(sourceUrl !== undefined && { source_url: sourceUrl ?? '' }),
    ...(author !== undefined && { author: author ?? '' }),
    ...(geo !== undefined && (geo ?? { latitude: 0, longitude: 0, altitude: 0 })),
  };
}
