import type { NoteIndexReader } from '../index/note-index.ts';
import type { ChangeLog } from './session.ts';
import type { Places } from './view/places.ts';

/** Changes after an event id, limited to paths that `mayRead` allows. @throws LecternError `invalid_input` */
export async function changeLog(
  reader: NoteIndexReader,
  id: string | undefined,
  limit: number,
  places: Places,
  mayRead: (path: string) => boolean,
): Promise<ChangeLog> {
  const place = id === undefined ? undefined : places.placeOf(id);
  const { newest, rows } = await reader.changesSince(place, limit);
  const { epoch } = newest;
  let heard = place?.heard ?? 0;
  const changes = rows
    .filter(({ path }) => mayRead(path))
    .map(({ sequence, path, removed, etag }) => {
      heard += 1;
      return { ...places.event({ epoch, sequence, heard }), path, removed, etag };
    });
  const sequence = rows.at(-1)?.sequence ?? newest.sequence;
  return {
    changes,
    next: places.event({ epoch, sequence, heard }),
    more: rows.length === limit,
    reset: place !== undefined && (place.epoch !== epoch || place.sequence > newest.sequence),
  };
}
