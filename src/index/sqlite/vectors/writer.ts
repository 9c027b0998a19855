import { LecternError } from '../../../errors.ts';
import { type Database, openDatabase, transaction } from '../../../sqlite/driver.ts';
import type {
  EmbeddableNote,
  NoteEmbedding,
  VectorIndexWriter,
  VectorModelRecord,
} from '../../vector-index.ts';
import { indexError } from '../open.ts';
import { stringList } from '../read/records.ts';
import { StoredTexts } from '../text/stored-text.ts';
import { WITH_TEXT } from '../write/fts.ts';
import {
  packHashes,
  packNumbers,
  packPassages,
  packVectors,
  unpackHashes,
  unpackVectors,
  VECTOR_SCHEMA,
} from './schema.ts';

/**
 * Opens the vector tables of the index at `path` for writing; the index's own writer must have created it. The
 * methods throw LecternError `unavailable` or `internal` for errors of the database, `not_found` for an unknown
 * model.
 */
export function openVectorWriter(path: string): VectorIndexWriter {
  return new SqliteVectorWriter(path);
}

class SqliteVectorWriter implements VectorIndexWriter {
  readonly #path: string;
  readonly #database: Database;
  readonly #texts: StoredTexts;

  constructor(path: string) {
    this.#path = path;
    this.#database = openDatabase(path);
    this.#texts = new StoredTexts((sql, id) => this.#database.prepare(sql).get(id));
    this.#database.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -2048;');
  }

  models(): readonly VectorModelRecord[] {
    return this.#guard(() => this.#database.prepare(MODEL_ROWS).all().map(modelRecord));
  }

  modelData(id: string, most?: number): Uint8Array | undefined {
    const data = this.#guard(() =>
      most === undefined
        ? this.#database.prepare(MODEL_DATA).get(id)?.data
        : this.#database.prepare(MODEL_START).get(most, id)?.data,
    );
    return data instanceof Uint8Array ? data : undefined;
  }

  teachers(id: string): readonly string[] {
    return stringList(this.#guard(() => this.#database.prepare(MODEL_TEACHERS).get(id)?.teachers));
  }

  addModel(
    model: Pick<VectorModelRecord, 'id' | 'kind' | 'dimensions' | 'passages'>,
    data: Uint8Array | undefined,
    teachers: readonly string[] = [],
  ): void {
    this.#write(() => {
      this.#forget(model.id);
      const { lastInsertRowid } = this.#database
        .prepare(
          "INSERT INTO embed_model (id, kind, dimensions, state, passages) VALUES (?, ?, ?, 'building', ?)",
        )
        .run(model.id, model.kind, model.dimensions, model.passages);
      if (data)
        this.#database
          .prepare('INSERT INTO model_data (model, data, teachers) VALUES (?, ?, ?)')
          .run(lastInsertRowid, data, JSON.stringify(teachers));
    });
  }

  activate(id: string, teaches: (path: string) => boolean = () => true): void {
    const passages = this.#guard(() =>
      this.#database
        .prepare(
          `SELECT f.path, v.count FROM note_vectors v JOIN file f ON f.id = v.note
           WHERE v.model = (SELECT number FROM embed_model WHERE id = ?)`,
        )
        .all(id)
        .reduce((sum, { path, count }) => (teaches(String(path)) ? sum + Number(count) : sum), 0),
    );
    this.#write(() => {
      const kind = this.#database.prepare('SELECT kind FROM embed_model WHERE id = ?').get(id)?.kind;
      if (typeof kind !== 'string') throw unknownModel(id);
      this.#database
        .prepare("UPDATE embed_model SET state = 'active', changed = 0, passages = ? WHERE id = ?")
        .run(passages, id);
      const others = this.#database
        .prepare('SELECT id FROM embed_model WHERE kind = ? AND id <> ?')
        .all(kind, id);
      for (const other of others) this.#forget(String(other.id));
    });
  }

  drop(id: string): void {
    this.#write(() => this.#forget(id));
  }

  purge(limit: number): boolean {
    return this.#write(() => {
      const dropped = "SELECT number FROM embed_model WHERE state = 'dropped'";
      const { changes } = this.#database
        .prepare(
          `DELETE FROM note_vectors WHERE id IN (SELECT id FROM note_vectors WHERE model IN (${dropped}) LIMIT ?)`,
        )
        .run(limit);
      if (Number(changes) > 0) return true;
      this.#database.exec(`DELETE FROM removed_vectors WHERE model IN (${dropped});
        DELETE FROM embed_model WHERE state = 'dropped';`);
      return false;
    });
  }

  sequence(): number {
    return Number(
      this.#guard(() => this.#database.prepare('SELECT max(sequence) AS n FROM change').get())?.n ?? 0,
    );
  }

  pending(model: string, since = 0): readonly number[] {
    const from = since > 0 ? 'change c JOIN file f ON f.id = c.file AND c.sequence > ?' : 'file f';
    return this.#guard(() =>
      this.#database
        .prepare(
          `SELECT f.id FROM ${from} JOIN ${WITH_TEXT} t ON t.id = f.id
           LEFT JOIN note_vectors v ON v.note = f.id AND v.model = ?
           WHERE v.id IS NULL OR v.etag <> ifnull(f.etag, '') OR v.title <> f.title ORDER BY f.mtime DESC, f.id DESC`,
        )
        .all(...(since > 0 ? [since] : []), this.#number(model))
        .map((row) => Number(row.id)),
    );
  }

  mixed(): readonly { readonly note: number; readonly path: string }[] {
    const rows = this.#guard(() =>
      this.#database.prepare(`SELECT f.id, f.path FROM ${WITH_TEXT} t JOIN file f ON f.id = t.id`).all(),
    );
    return rows
      .map((row) => ({ note: Number(row.id), path: String(row.path) }))
      .map((each) => ({ ...each, order: hashOf(each.path) }))
      .sort((a, b) => a.order - b.order || (a.path < b.path ? -1 : 1));
  }

  texts(notes: readonly number[]): readonly EmbeddableNote[] {
    return this.#guard(() =>
      this.#database
        .prepare(
          `SELECT b.id, f.path, f.title, b.etag, b.packed, b.text FROM body b JOIN file f ON f.id = b.id
           WHERE b.id IN (SELECT value FROM json_each(?))`,
        )
        .all(JSON.stringify(notes))
        .map((row) => ({
          note: Number(row.id),
          path: String(row.path),
          title: String(row.title),
          etag: String(row.etag),
          text: this.#texts.textOf(row) ?? '',
        })),
    );
  }

  known(model: string, note: number): ReadonlyMap<string, { bytes: Int8Array; scale: number }> {
    const row = this.#guard(() =>
      this.#database
        .prepare(
          `SELECT m.dimensions, v.data, v.hashes FROM note_vectors v JOIN embed_model m ON m.number = v.model
           WHERE v.note = ? AND m.id = ?`,
        )
        .get(note, model),
    );
    const known = new Map<string, { bytes: Int8Array; scale: number }>();
    if (!(row?.data instanceof Uint8Array) || !(row.hashes instanceof Uint8Array)) return known;
    const dimensions = Number(row.dimensions);
    const { bytes, scales } = unpackVectors(dimensions, row.data);
    unpackHashes(row.hashes).forEach((hash, seq) => {
      known.set(hash, {
        bytes: bytes.subarray(seq * dimensions, (seq + 1) * dimensions),
        scale: scales[seq] ?? 0,
      });
    });
    return known;
  }

  put(model: string, embeddings: readonly NoteEmbedding[], changed: number): void {
    this.#write(() => {
      const row = this.#database
        .prepare('SELECT number, dimensions FROM embed_model WHERE id = ?')
        .get(model);
      if (row === undefined) throw unknownModel(model);
      const exists = this.#database.prepare(`SELECT 1 FROM ${WITH_TEXT} WHERE id = ?`);
      const putPassages = this.#database.prepare(
        'INSERT OR REPLACE INTO passages (note, etag, data) VALUES (?, ?, ?)',
      );
      const insert = this.#database.prepare(
        'INSERT OR REPLACE INTO note_vectors (note, model, etag, title, count, data, hashes, lengths) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      );
      for (const embedding of embeddings) {
        // The note may have been removed while it was being embedded.
        if (exists.get(embedding.note) === undefined) continue;
        const { note, etag, title, bytes, scales, hashes, lengths, passages } = embedding;
        putPassages.run(note, etag, packPassages(passages));
        insert.run(
          note,
          row.number ?? null,
          etag,
          title,
          scales.length,
          packVectors(Number(row.dimensions), bytes, scales),
          packHashes(hashes),
          lengths === undefined ? null : packNumbers(lengths),
        );
      }
      if (changed > 0)
        this.#database
          .prepare('UPDATE embed_model SET changed = changed + ? WHERE id = ?')
          .run(changed, model);
    });
  }

  claim(owner: string, forMs: number): boolean {
    return this.#write(() => {
      const now = Date.now();
      const held = this.#database.prepare('SELECT owner, until FROM embed_claim WHERE only = 1').get();
      if (held !== undefined && held.owner !== owner && Number(held.until) > now) return false;
      this.#database
        .prepare('INSERT OR REPLACE INTO embed_claim (only, owner, until) VALUES (1, ?, ?)')
        .run(owner, now + forMs);
      return true;
    });
  }

  release(owner: string): void {
    this.#write(() => this.#database.prepare('DELETE FROM embed_claim WHERE owner = ?').run(owner));
  }

  close(): void {
    this.#database.close();
  }

  /**
   * Marks a model as dropped and deletes its data. It is renamed, so that a new model can have its id at once.
   */
  #forget(id: string): void {
    this.#database
      .prepare(
        "UPDATE embed_model SET state = 'dropped', id = id || '#' || number WHERE id = ? AND state <> 'dropped'",
      )
      .run(id);
    this.#database.exec(
      "DELETE FROM model_data WHERE model IN (SELECT number FROM embed_model WHERE state = 'dropped')",
    );
  }

  #number(id: string): number {
    const row = this.#database.prepare('SELECT number FROM embed_model WHERE id = ?').get(id);
    if (row === undefined) throw unknownModel(id);
    return Number(row.number);
  }

  /** Runs a transaction that first creates the tables, which are missing after the index was emptied. */
  #write<T>(work: () => T): T {
    return this.#guarded(() =>
      transaction(this.#database, () => {
        this.#database.exec(VECTOR_SCHEMA);
        return work();
      }),
    );
  }

  #guard<T>(work: () => T): T {
    return this.#guarded(() => {
      if (!this.#hasTables()) this.#write(() => undefined);
      return work();
    });
  }

  #hasTables(): boolean {
    const name = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'embed_claim'";
    return this.#database.prepare(name).get() !== undefined;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof LecternError ? error : indexError(this.#path, error);
    }
  }
}

/** Query of all models in the order of their creation, for {@link modelRecord}. */
export const MODEL_ROWS =
  "SELECT number, id, kind, dimensions, state, passages, changed FROM embed_model WHERE state <> 'dropped' ORDER BY number";

const OF_MODEL = 'FROM model_data WHERE model = (SELECT number FROM embed_model WHERE id = ?)';

/** Query of a model's data by its id. */
export const MODEL_DATA = `SELECT data ${OF_MODEL}`;
const MODEL_START = `SELECT substr(data, 1, ?) AS data ${OF_MODEL}`;

/** Query of the paths a model was trained on, without its data, which takes megabytes. */
export const MODEL_TEACHERS = `SELECT teachers ${OF_MODEL}`;

/** Converts a row of {@link MODEL_ROWS}. */
export function modelRecord(row: Record<string, unknown>): VectorModelRecord {
  return {
    number: Number(row.number),
    id: String(row.id),
    kind: row.kind === 'neural' ? 'neural' : 'statistical',
    dimensions: Number(row.dimensions),
    state: row.state === 'active' ? 'active' : 'building',
    passages: Number(row.passages),
    changed: Number(row.changed),
  };
}

function unknownModel(id: string): LecternError {
  return new LecternError('not_found', `There is no vector model ${id}.`, {
    next: 'It was replaced meanwhile; start the embedding job again.',
  });
}

/** A 32-bit FNV-1a hash with a final mix, without which the last characters hardly affect the highest bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 0;
}
