import type { Database, Statement } from '../../../sqlite/driver.ts';
import type { LinkRow } from './rows.ts';

/** The stored links before the first one that changed. */
export interface KeptLinks {
  readonly count: number;
  /** Id of the last of them; 0 when there is none. */
  readonly lastId: number;
}

const NONE: KeptLinks = { count: 0, lastId: 0 };
/** Fewer links than this are all written again, which is faster. */
const MANY = 500;
/**
 * Control characters: between columns, after each row, and for NULL. Links that contain one are not compared.
 */
const [COLUMN, ROW, NULL] = ['\x1f', '\x1e', '\x1d'];
const COLUMNS = 10;

/**
 * Determines how many of a note's first links are unchanged. When a line is appended to a note with 100,000
 * links, the others stay; deleting and inserting all of them in four indexes took seconds. They are compared as
 * one text, as reading a row per link would take as long.
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

  /** The leading links of a file that equal the stored ones. @param file id */
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

/** Whether no column contains a separator. */
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
