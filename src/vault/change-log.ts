import type { NoteIndexReader } from '../index/note-index.ts';
import type { ChangeLog } from './session.ts';

/** What changed after a sequence number, as far as `mayRead` lets a caller see it. */
export async function changeLog(
  reader: NoteIndexReader,
  since: number | undefined,
  limit: number,
  mayRead: (path: string) => boolean,
): Promise<ChangeLog> {
  const newest = await newestSequence(reader);
  // A number from an index that was deleted meanwhile: everything may have changed.
  const from = since === undefined ? newest : since > newest ? 0 : since;
  const rows = from === newest ? [] : await reader.changesSince(from, limit);
  const changes = [];
  for (const { sequence, path, removed } of rows) {
    if (!mayRead(path)) continue;
    const etag = removed ? undefined : (await reader.file(path))?.etag;
    changes.push({ sequence, path, removed, etag });
  }
  return { changes, sequence: rows.at(-1)?.sequence ?? from, more: rows.length === limit };
}

/** By doubling and halving: a few dozen look-ups of a key, however long the log is. */
async function newestSequence(reader: NoteIndexReader): Promise<number> {
  const isPast = async (sequence: number) => (await reader.changesSince(sequence, 1)).length === 0;
  let high = 1;
  while (!(await isPast(high))) high *= 2;
  let low = 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
