import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { etagOf } from '../../notes/etag.ts';
import { type Database, openDatabase, transaction } from '../../sqlite/driver.ts';
import { salvage } from '../../sqlite/salvage.ts';
import { unpack } from './packing.ts';
import { prepareSchema } from './schema.ts';

export interface SalvagedJournal {
  /** Number of writes that were recovered completely and can be undone. */
  readonly whole: number;
  /** Number of writes of which a part could not be read; only the damaged file has them. */
  readonly partial: number;
}

export interface SalvageOptions {
  /**
   * Whether etags are hashes of the bytes alone, as in a folder store, so that recovered bytes can be verified.
   */
  readonly plainEtags: boolean;
}

/**
 * Creates a new journal from the readable part of a damaged one. A write is recovered completely, with the
 * bytes it replaced, or not at all, as a partial write must never be undone.
 *
 * @param damaged path of a copy of the damaged journal, which is modified
 * @param fresh path of the new journal
 * @throws LecternError `unavailable` when it cannot be created
 */
export function salvageJournal(damaged: string, fresh: string, options: SalvageOptions): SalvagedJournal {
  const database = openDatabase(fresh, { wal: false });
  try {
    prepareSchema(database, inflateRawSync);
    database.exec('DELETE FROM secret');
    salvage(damaged, fresh, database);
    return transaction(database, () => {
      const result = tidied(database, options);
      // A new secret only if the old one was lost.
      database.prepare('INSERT OR IGNORE INTO secret (only, bytes) VALUES (1, ?)').run(randomBytes(32));
      return result;
    });
  } finally {
    database.close();
  }
}

function tidied(database: Database, { plainEtags }: SalvageOptions): SalvagedJournal {
  const count = () => Number(database.prepare('SELECT count(*) AS n FROM write_group').get()?.n);
  const forgetBytes = database.prepare('DELETE FROM before_bytes WHERE step_id = ?');
  const bytes = database.prepare(
    `SELECT b.step_id, b.deflated, b.bytes, s.before_etag FROM before_bytes b LEFT JOIN step s ON s.id = b.step_id
      WHERE s.action IS NULL OR s.action <> 'facts'`,
  );
  for (const row of bytes.all()) {
    const isGood =
      row.bytes instanceof Uint8Array &&
      isSound(row.bytes, row.deflated === 1, plainEtags ? row.before_etag : undefined);
    if (!isGood) forgetBytes.run(row.step_id ?? null);
  }
  const known = count();
  const lostGroups = database.prepare(
    'SELECT count(DISTINCT group_id) AS n FROM step WHERE group_id NOT IN (SELECT id FROM write_group)',
  );
  const headless = Number(lostGroups.get()?.n);
  // A complete group has at least one step, and its bytes add up to the sum in its row.
  database.exec(`
    DELETE FROM write_group WHERE bytes <> (
      SELECT coalesce(sum(length(b.bytes)), 0) FROM step s JOIN before_bytes b ON b.step_id = s.id
       WHERE s.group_id = write_group.id)
      OR NOT EXISTS (SELECT 1 FROM step s WHERE s.group_id = write_group.id);
    DELETE FROM step WHERE group_id NOT IN (SELECT id FROM write_group);
    DELETE FROM before_bytes WHERE step_id NOT IN (SELECT id FROM step);
    DELETE FROM after_bytes WHERE step_id NOT IN (SELECT id FROM step);
    DELETE FROM undoing WHERE group_id NOT IN (SELECT id FROM write_group);
    DELETE FROM write_answer WHERE group_id NOT IN (SELECT id FROM write_group);
  `);
  const whole = count();
  return { whole, partial: known - whole + headless };
}

function isSound(bytes: Uint8Array, deflated: boolean, etag: unknown): boolean {
  try {
    const plain = unpack(bytes, deflated);
    return typeof etag !== 'string' || etagOf(plain) === etag;
  } catch {
    return false;
  }
}
