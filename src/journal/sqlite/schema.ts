import { randomBytes } from 'node:crypto';
import { type Database, transaction } from '../../sqlite/driver.ts';
import { ANSWER_SCHEMA } from './answers.ts';
import { NOTE_ID_SCHEMA } from './note-ids.ts';
import { REFUSAL_SCHEMA } from './refusals.ts';

/**
 * Bytes are stored in separate tables: a step changes its state without copying them, and the bytes of a
 * finished group are deleted in one statement. A group is `planned` while its steps are being recorded; after
 * a crash such a group has no meaning, since no byte of a note changes before it is `pending`.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS write_group (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  tool TEXT NOT NULL,
  actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, actor_session TEXT NOT NULL, actor_client TEXT,
  request_id TEXT,
  summary TEXT NOT NULL,
  state TEXT NOT NULL,
  bytes INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS undoing (
  group_id INTEGER NOT NULL REFERENCES write_group(id) ON DELETE CASCADE,
  undone_id INTEGER NOT NULL,
  PRIMARY KEY (group_id, undone_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS write_group_pending ON write_group(id) WHERE state = 'pending';
CREATE TABLE IF NOT EXISTS step (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id INTEGER NOT NULL REFERENCES write_group(id) ON DELETE CASCADE,
  action TEXT NOT NULL,
  path TEXT NOT NULL, to_path TEXT, trash_path TEXT,
  before_etag TEXT, after_etag TEXT,
  made_folder TEXT, pruned_folder TEXT,
  state TEXT NOT NULL,
  follows INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS step_group ON step(group_id);
CREATE INDEX IF NOT EXISTS step_path ON step(path);
CREATE INDEX IF NOT EXISTS step_to_path ON step(to_path) WHERE to_path IS NOT NULL;
CREATE INDEX IF NOT EXISTS step_trash ON step(trash_path) WHERE trash_path IS NOT NULL;
CREATE TABLE IF NOT EXISTS before_bytes (
  step_id INTEGER PRIMARY KEY REFERENCES step(id) ON DELETE CASCADE,
  deflated INTEGER NOT NULL, bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS after_bytes (
  step_id INTEGER PRIMARY KEY REFERENCES step(id) ON DELETE CASCADE,
  bytes BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS secret (only INTEGER PRIMARY KEY CHECK (only = 1), bytes BLOB NOT NULL);
`;

/** Creates the tables and upgrades earlier layouts; bytes stored in the steps are moved. */
export function prepareSchema(database: Database, inflate: (bytes: Uint8Array) => Uint8Array): void {
  const has = (table: string, column: string) =>
    database.prepare(`SELECT 1 FROM pragma_table_info('${table}') WHERE name = ?`).get(column) !== undefined;
  transaction(database, () => {
    const holdsBytes = has('step', 'before');
    database.exec(SCHEMA + ANSWER_SCHEMA + REFUSAL_SCHEMA + NOTE_ID_SCHEMA);
    database.prepare('INSERT OR IGNORE INTO secret (only, bytes) VALUES (1, ?)').run(randomBytes(32));
    if (!has('write_group', 'actor_client'))
      database.exec('ALTER TABLE write_group ADD COLUMN actor_client TEXT');
    if (!has('step', 'made_folder'))
      database.exec(
        'ALTER TABLE step ADD COLUMN made_folder TEXT; ALTER TABLE step ADD COLUMN pruned_folder TEXT',
      );
    if (!has('step', 'follows'))
      database.exec('ALTER TABLE step ADD COLUMN follows INTEGER NOT NULL DEFAULT 0');
    if (!holdsBytes) return;
    database.exec(
      'INSERT INTO before_bytes SELECT id, 1, before FROM step WHERE before IS NOT NULL ORDER BY id',
    );
    const insert = database.prepare('INSERT INTO after_bytes (step_id, bytes) VALUES (?, ?)');
    for (const { id, after } of database.prepare('SELECT id, after FROM step WHERE after IS NOT NULL').all())
      if (id !== undefined && after instanceof Uint8Array) insert.run(id, inflate(after));
    database.exec('ALTER TABLE step DROP COLUMN before; ALTER TABLE step DROP COLUMN after;');
  });
}
