import { setImmediate as nextTurn } from 'node:timers/promises';
import { tagKey } from '../../../notes/structure/tags.ts';
import type { Row } from '../../../sqlite/driver.ts';
import type { IndexCounts, PathFilter } from '../../note-index.ts';
import { ReadConnection } from '../connection.ts';
import { stringList } from './records.ts';
import { countTags } from './tag-query.ts';
import { type WordTotals, wordsIn } from './word-scores.ts';

/** A small page cache, as every row is read once. */
const BUDGET = { cacheKiB: 1024, checkpointPages: 4000 };
/** Rows per step of a few milliseconds: without a filter, and with one. */
const ROWS_PER_STEP = 20_000;
const FILTERED_ROWS_PER_STEP = 2000;
/** Size of the cache of counts, entries. */
const MAX_KNOWN = 20;

/**
 * Counts the rows of the index. This takes 0.1 s for 100,000 notes, and 1 s with a path filter, so it is done
 * in short steps between other work, on a separate connection that keeps one snapshot. One count runs at a
 * time.
 */
export class Counts {
  readonly #path: string;
  #connection: ReadConnection | undefined;
  #version = -1;
  readonly #known = new Map<string, unknown>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** The counts of a snapshot that is taken at the call or later. */
  of(visible: PathFilter | undefined): Promise<IndexCounts> {
    return this.#inTurn('counts', visible, count);
  }

  /** The number of documents and words that a caller may see. */
  words(visible: PathFilter): Promise<WordTotals> {
    return this.#inTurn('words', visible, countWords);
  }

  async close(): Promise<void> {
    await this.#turn;
    this.#connection?.close();
  }

  #inTurn<T>(what: string, visible: PathFilter | undefined, work: Counting<T>): Promise<T> {
    const counting = this.#turn.then(() => this.#remembered(what, visible, work));
    this.#turn = counting.catch(() => {});
    return counting;
  }

  async #remembered<T>(what: string, visible: PathFilter | undefined, work: Counting<T>): Promise<T> {
    this.#connection ??= new ReadConnection(this.#path, BUDGET);
    const connection = this.#connection;
    return await connection.readInSteps(visible, async () => {
      if (connection.version() !== this.#version) this.#known.clear();
      this.#version = connection.version();
      const key = `${what} ${visible?.key ?? ''}`;
      const counts = (this.#known.get(key) as T | undefined) ?? (await work(connection, visible));
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(key, counts);
      return counts;
    });
  }
}

type Counting<T> = (connection: ReadConnection, visible: PathFilter | undefined) => Promise<T>;

async function countWords(connection: ReadConnection): Promise<WordTotals> {
  let documents = 0;
  let words = 0;
  await inSteps(connection, 'fts_docsize', FILTERED_ROWS_PER_STEP, (from, to) => {
    const row = connection.get(
      `SELECT count(*) AS documents, group_concat(hex(sz), '') AS sizes FROM fts_docsize
       WHERE id > ? AND id <= ? AND visible(id)`,
      from,
      to,
    );
    documents += Number(row?.documents);
    words += wordsIn(String(row?.sizes ?? ''));
  });
  return { documents, words };
}

async function count(connection: ReadConnection, visible: PathFilter | undefined): Promise<IndexCounts> {
  const seen = (id: string): string => (visible === undefined ? '' : `AND visible(${id})`);
  // In a FILTER condition `seen_target` runs only where it decides; as an expression it would run for every
  // link.
  const target = visible === undefined ? 'l.target' : 'seen_target(l.id, l.target)';
  const rows = visible === undefined ? ROWS_PER_STEP : FILTERED_ROWS_PER_STEP;
  const files = await sums(
    connection,
    'file',
    rows,
    `SELECT count(*) AS files, count(*) FILTER (WHERE kind = 'note') AS notes,
       total(size) FILTER (WHERE kind = 'note') AS bytes
     FROM file f WHERE f.id > ? AND f.id <= ? ${seen('f.id')}`,
  );
  const notes = await sums(
    connection,
    'note',
    rows,
    `SELECT total(words) AS words FROM note n WHERE n.id > ? AND n.id <= ? ${seen('n.id')}`,
  );
  const links = await sums(
    connection,
    'link',
    rows,
    `SELECT count(*) FILTER (WHERE l.syntax <> 'tag-ref' OR ${target} IS NOT NULL) AS links,
       count(*) FILTER (WHERE l.syntax <> 'tag-ref' AND ${target} IS NULL) AS unresolved
     FROM link l WHERE l.id > ? AND l.id <= ? ${seen('l.source')}`,
  );
  return {
    notes: files.notes ?? 0,
    files: files.files ?? 0,
    links: links.links ?? 0,
    unresolved: links.unresolved ?? 0,
    tags: visible === undefined ? countTags(connection) : await visibleTags(connection),
    words: notes.words ?? 0,
    bytes: files.bytes ?? 0,
  };
}

/** Sums the columns of an aggregate query over a table, one range of ids per step. */
async function sums(
  connection: ReadConnection,
  table: string,
  rows: number,
  sql: string,
): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  await inSteps(connection, table, rows, (from, to) => {
    const row: Row = connection.get(sql, from, to) ?? {};
    for (const [name, value] of Object.entries(row)) all[name] = (all[name] ?? 0) + Number(value);
  });
  return all;
}

/** The number of tags that visible notes have, without parents that no note has itself. */
async function visibleTags(connection: ReadConnection): Promise<number> {
  const keys = new Set<string>();
  await inSteps(connection, 'file', FILTERED_ROWS_PER_STEP, (from, to) => {
    const rows = connection.all(
      "SELECT tags FROM note WHERE id > ? AND id <= ? AND tags <> '[]' AND visible(id)",
      from,
      to,
    );
    for (const { tags } of rows) for (const tag of stringList(tags)) keys.add(tagKey(tag));
  });
  return keys.size;
}

/** Iterates over ranges of a table's ids and yields to the event loop after each. */
async function inSteps(
  connection: ReadConnection,
  table: string,
  rows: number,
  step: (from: number, to: number) => void,
): Promise<void> {
  const last = Number(connection.get(`SELECT max(id) AS id FROM ${table}`)?.id ?? 0);
  for (let from = 0; from < last; from += rows) {
    step(from, from + rows);
    await nextTurn();
  }
}
