import type { Database, Statement } from '../../../sqlite/driver.ts';
import type { LinkRow } from '../read/rows.ts';

/** The links in front of the first one that changed, as they are stored. */
export interface KeptLinks {
  readonly count: number;
  /** Of the last of them; 0 when there is none. */
  readonly lastId: number;
}

const NONE: KeptLinks = { count: 0, lastId: 0 };
/** With fewer it is cheaper to write them all again. */
const MANY = 500;
/** Between columns, behind rows, and for a column that is empty. Text of links with one of these is not compared. */
const [COLUMN, ROW, NULL] = ['\x1f', '\x1e', '\x1d'];
const COLUMNS = 10;

/**
 * Finds out how many of a note's links are stored as they are now, from the first on. Of a note with a hundred
 * thousand links, to which a line is added at the end, all others stay: to delete and insert each of them, with
 * its places in four indexes, took seconds. They are compared as one text, as a row for each would take as long.
 */
export class LinkComparison {
  readonly #stored: Statement;
  readonly #idAt: Statement;

  constructor(database: Database) {
    const columns = 'key, written, subpath, display, syntax, embed, property, line, start, context'
      .split(', ')
      .map((column) => `ifnull(${column}, char(29))`)
      .join(' || char(31) || ');
    this.#stored = database.prepare(
      `SELECT count(*) AS n, group_concat(text, '') AS text FROM
         (SELECT ${columns} || char(30) AS text FROM link WHERE source = ? ORDER BY id)`,
    );
    this.#idAt = database.prepare('SELECT id FROM link WHERE source = ? ORDER BY id LIMIT 1 OFFSET ?');
  }

  kept(file: number, links: readonly LinkRow[]): KeptLinks {
    if (links.length < MANY) return NONE;
    const row = this.#stored.get(file);
    const before = typeof row?.text === 'string' ? row.text : '';
    const now = links.map((link) => link.map((value) => value ?? NULL).join(COLUMN) + ROW).join('');
    if (!isWhole(before, Number(row?.n)) || !isWhole(now, links.length)) return NONE;
    const count = occurrences(now.slice(0, commonLength(before, now)), ROW);
    if (count === 0) return NONE;
    return { count, lastId: Number(this.#idAt.get(file, count - 1)?.id) };
  }
}

/** Nothing in the columns looks like what stands between them. */
function isWhole(text: string, rows: number): boolean {
  return occurrences(text, ROW) === rows && occurrences(text, COLUMN) === rows * (COLUMNS - 1);
}

function occurrences(text: string, mark: string): number {
  let count = 0;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count++;
  return count;
}

function commonLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}
