import type { ChangePoint, IndexChanges } from '../../note-index.ts';
import type { ReadConnection } from '../connection.ts';

/** The changes after a point; none when the point is of another epoch or not older than the latest change. */
export function changesSince(
  connection: ReadConnection,
  point: ChangePoint | undefined,
  limit: number,
): IndexChanges {
  const epoch = String(connection.get("SELECT value FROM meta WHERE key = 'epoch'")?.value);
  const newest = Number(connection.get('SELECT max(sequence) AS newest FROM change')?.newest ?? 0);
  const isHere = point !== undefined && point.epoch === epoch && point.sequence < newest;
  const rows = !isHere
    ? []
    : connection.all(
        `SELECT c.sequence, ifnull(c.path, f.path) AS path, c.file IS NULL AS removed, f.etag
         FROM change c LEFT JOIN file f ON f.id = c.file WHERE c.sequence > ? ORDER BY c.sequence LIMIT ?`,
        point.sequence,
        limit,
      );
  return {
    newest: { epoch, sequence: newest },
    rows: rows.map((row) => ({
      sequence: Number(row.sequence),
      path: String(row.path),
      removed: row.removed === 1,
      etag: typeof row.etag === 'string' ? row.etag : undefined,
    })),
  };
}
