import { Turn } from '../../../turn.ts';
import type { LexicalQuery, ListFilter, PathFilter } from '../../note-index.ts';
import type {
  EmbeddedSource,
  StoredVectors,
  VectorChanges,
  VectorIndexReader,
  VectorPosition,
  VectorStatus,
  WordScore,
} from '../../vector-index.ts';
import { ReadConnection } from '../connection.ts';
import { VECTOR_READER_BUDGET } from '../open.ts';
import { Counts } from '../read/counts.ts';
import { addFilter, Where } from '../read/filter.ts';
import { bodiesOf, hitSource } from '../read/hit-source.ts';
import { KnownFiles } from '../read/known-files.ts';
import { bestByWords, type RankingParts, rankingOf } from '../read/lexical-query.ts';
import { stringList } from '../read/records.ts';
import { WordScores } from '../read/word-scores.ts';
import { WITH_TEXT } from '../write/fts.ts';
import { unpackNumbers, unpackPassages, unpackVectors } from './schema.ts';
import { MODEL_DATA, MODEL_ROWS, MODEL_TEACHERS, modelRecord } from './writer.ts';

const EMPTY: VectorStatus = { models: [], notes: 0 };

/**
 * Opens the vector tables of the index at `path` for reading. Before the first embedding job there are no such
 * tables, and answers about vectors are empty.
 *
 * @throws LecternError `unavailable` when there is no usable index
 */
export function openVectorReader(path: string): VectorIndexReader {
  return new SqliteVectorReader(path);
}

class SqliteVectorReader implements VectorIndexReader {
  readonly #connection: ReadConnection;
  readonly #known: KnownFiles;
  readonly #counts: Counts;
  readonly #ranking: Omit<RankingParts, 'step'>;
  readonly #turn = new Turn();
  /** The index version at which the vector tables existed. */
  #tablesVersion: number | undefined;

  constructor(path: string) {
    this.#connection = new ReadConnection(path, VECTOR_READER_BUDGET);
    this.#known = new KnownFiles(this.#connection);
    this.#counts = new Counts(path);
    this.#ranking = {
      connection: this.#connection,
      known: this.#known,
      counts: this.#counts,
      scores: new WordScores(this.#connection),
    };
  }

  async version(): Promise<number> {
    return this.#connection.version();
  }

  async status(): Promise<VectorStatus> {
    return this.#read(EMPTY, (connection) => ({
      models: connection.all(MODEL_ROWS).map(modelRecord),
      notes: connection.total('vector notes', undefined, () =>
        Number(connection.get(`SELECT count(*) AS n FROM ${WITH_TEXT}`)?.n ?? 0),
      ),
    }));
  }

  async embedded(model: string): Promise<number> {
    return this.#read(0, (connection) =>
      Number(
        connection.get(
          'SELECT count(*) AS n FROM note_vectors WHERE model = (SELECT number FROM embed_model WHERE id = ?)',
          model,
        )?.n ?? 0,
      ),
    );
  }

  async modelData(id: string): Promise<Uint8Array | undefined> {
    return this.#read(undefined, (connection) => {
      const data = connection.get(MODEL_DATA, id)?.data;
      return data instanceof Uint8Array ? data : undefined;
    });
  }

  async teachers(id: string): Promise<readonly string[]> {
    return this.#read<readonly string[]>([], (connection) =>
      stringList(connection.get(MODEL_TEACHERS, id)?.teachers),
    );
  }

  async changes(model: string, after: VectorPosition, limit: number): Promise<VectorChanges> {
    return this.#read<VectorChanges>(
      { put: [], removed: [], position: after, complete: true },
      (connection) => {
        const found = connection.get('SELECT number, dimensions FROM embed_model WHERE id = ?', model);
        if (found === undefined) return { put: [], removed: [], position: after, complete: true };
        const number = found.number ?? null;
        const rows = connection.all(
          'SELECT id, note, data FROM note_vectors WHERE id > ? AND model = ? ORDER BY id LIMIT ?',
          after.put,
          number,
          limit,
        );
        // The caller applies removals before puts, so that a note that was removed and added again is present.
        const removed = connection.all(
          'SELECT id, note FROM removed_vectors WHERE id > ? AND model = ? ORDER BY id',
          after.removed,
          number,
        );
        return {
          put: rows.map((row) => storedVectors(row, Number(found.dimensions))),
          removed: removed.map((row) => Number(row.note)),
          position: {
            put: Number(rows.at(-1)?.id ?? after.put),
            removed: Number(removed.at(-1)?.id ?? after.removed),
          },
          complete: rows.length < limit,
        };
      },
    );
  }

  async lexical(
    query: LexicalQuery,
    limit: number,
    visible: PathFilter | undefined,
  ): Promise<readonly WordScore[]> {
    const step = async <T>(work: () => T) => {
      await this.#turn.mine();
      return this.#connection.read(visible, work);
    };
    const ranking = await rankingOf({ ...this.#ranking, step }, query, visible);
    return step(() => bestByWords(ranking, query, limit, visible));
  }

  async sources(
    notes: readonly number[],
    model: string | undefined,
  ): Promise<ReadonlyMap<number, EmbeddedSource>> {
    return this.#read(new Map(), (connection) => {
      const rows = bodiesOf(
        connection.all(
          `SELECT b.id, b.etag, b.packed, b.text, p.data AS passages, v.lengths FROM body b
           LEFT JOIN passages p ON p.note = b.id AND p.etag = b.etag
           LEFT JOIN note_vectors v ON v.note = b.id AND v.model = (SELECT number FROM embed_model WHERE id = ?)
           WHERE b.id IN (SELECT value FROM json_each(?))`,
          model ?? null,
          JSON.stringify(notes),
        ),
      );
      const sources = new Map<number, EmbeddedSource>();
      for (const [id, file] of this.#known.byId(notes)) {
        const row = rows.get(id);
        sources.set(id, {
          ...hitSource(connection, file, row),
          passages: row?.passages instanceof Uint8Array ? unpackPassages(row.passages) : [],
          lengths: row?.lengths instanceof Uint8Array ? unpackNumbers(row.lengths) : [],
        });
      }
      return sources;
    });
  }

  async notesAt(paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#connection.read(
      undefined,
      () =>
        new Map(
          this.#connection
            .all(
              'SELECT path, id FROM file WHERE path IN (SELECT value FROM json_each(?))',
              JSON.stringify(paths),
            )
            .map((row) => [String(row.path), Number(row.id)]),
        ),
    );
  }

  async files(notes: readonly number[]): Promise<ReadonlyMap<number, { path: string; title: string }>> {
    return this.#connection.read(undefined, () => this.#known.byId(notes));
  }

  async loadAhead(): Promise<boolean> {
    return this.#connection.read(undefined, () => this.#known.loadAhead());
  }

  async allowed(filter: ListFilter, visible?: PathFilter): Promise<ReadonlySet<number> | undefined> {
    const filtered = Object.values(filter).some((value) => value !== undefined);
    if (!filtered && visible === undefined) return undefined;
    return this.#connection.read(visible, () => {
      const where = new Where();
      addFilter(this.#connection, where, filter, visible, 'f.id', 'f.path');
      if (filter.kinds !== undefined)
        where.add('f.kind IN (SELECT value FROM json_each(?))', JSON.stringify(filter.kinds));
      const rows = this.#connection.all(
        `SELECT f.id FROM file f JOIN ${WITH_TEXT} t ON t.id = f.id WHERE ${where.sql}`,
        ...where.parameters,
      );
      return new Set(rows.map((row) => Number(row.id)));
    });
  }

  async close(): Promise<void> {
    await this.#counts.close();
    this.#connection.close();
  }

  /** Runs `work` on one snapshot; returns `none` until the embedding job has created its tables. */
  #read<T>(none: T, work: (connection: ReadConnection) => T): T {
    const connection = this.#connection;
    return connection.read(undefined, () => {
      const version = connection.version();
      if (version !== this.#tablesVersion) {
        const table = connection.get(
          "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'embed_claim'",
        );
        if (table === undefined) return none;
        this.#tablesVersion = version;
      }
      return work(connection);
    });
  }
}

function storedVectors(row: Record<string, unknown>, dimensions: number): StoredVectors {
  const data = row.data instanceof Uint8Array ? row.data : new Uint8Array(0);
  return { note: Number(row.note), ...unpackVectors(dimensions, data) };
}
