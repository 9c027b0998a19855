import type { ChangePoint, NoteIndexReader } from '../index/note-index.ts';
import type { ChangeLog } from './session.ts';

/** What changed after a point, as far as `mayRead` lets a caller see it. */
export async function changeLog(
  reader: NoteIndexReader,
  point: ChangePoint | undefined,
  limit: number,
  mayRead: (path: string) => boolean,
): Promise<ChangeLog> {
  const { newest, rows } = await reader.changesSince(point, limit);
  const reset = point !== undefined && (point.epoch !== newest.epoch || point.sequence > newest.sequence);
  const last = rows.at(-1)?.sequence;
  return {
    changes: rows.filter(({ path }) => mayRead(path)),
    point: last === undefined ? newest : { epoch: newest.epoch, sequence: last },
    more: rows.length === limit,
    reset,
  };
}
