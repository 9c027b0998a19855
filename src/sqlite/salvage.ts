import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { type Database, openDatabase, type Row, type SqlValue, transaction } from './driver.ts';

/** What was taken over from a damaged database, by table. */
export interface Salvaged {
  readonly table: string;
  readonly rows: number;
}

/** Rows of a table without numbers that are read in one go. */
const MOST_PER_RANGE = 100_000;

/**
 * Copies into a fresh database what can still be read of a damaged one: row by row, around the pages that cannot.
 * The damaged file is only read from, but for its first page (see {@link mendFirstPage}): give a copy.
 *
 * @param damaged path of a copy of the damaged file
 * @param fresh path of a database, not in WAL mode, with the same tables
 * @param target that database, which gets the rows
 */
export function salvage(damaged: string, fresh: string, target: Database): readonly Salvaged[] {
  const source = openDamaged(damaged, fresh);
  if (source === undefined) return [];
  target.exec('PRAGMA foreign_keys = OFF');
  try {
    return transaction(target, () => tablesOf(target).map((table) => copyTable(source, target, table)));
  } finally {
    target.exec('PRAGMA foreign_keys = ON');
    source.close();
  }
}

function openDamaged(damaged: string, fresh: string): Database | undefined {
  const open = () => {
    const database = openDatabase(damaged, { wal: false });
    // Tables are looked up by name; what the rest of the schema says must not stand in the way.
    database.exec('PRAGMA cell_size_check = OFF; PRAGMA query_only = ON');
    return database;
  };
  try {
    return open();
  } catch {
    try {
      mendFirstPage(damaged, fresh);
      return open();
    } catch {
      return undefined;
    }
  }
}

/**
 * The first page says where the tables begin. Files of one version make their tables in one order, so that the first
 * page of a fresh file serves for a damaged one; the number of pages is in it.
 */
function mendFirstPage(damaged: string, fresh: string): void {
  const header = Buffer.alloc(100);
  const file = openSync(fresh, 'r');
  let page: Buffer;
  try {
    readSync(file, header, 0, 100, 0);
    const declared = header.readUInt16BE(16);
    const size = declared === 1 ? 65_536 : declared;
    page = Buffer.alloc(size);
    readSync(file, page, 0, size, 0);
  } finally {
    closeSync(file);
  }
  page.writeUInt32BE(Math.floor(statSync(damaged).size / page.length), 28);
  // No list of free pages: it would lead anywhere.
  page.writeUInt32BE(0, 32);
  page.writeUInt32BE(0, 36);
  const target = openSync(damaged, 'r+');
  try {
    writeSync(target, page, 0, page.length, 0);
  } finally {
    closeSync(target);
  }
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly hasNumbers: boolean;
}

function tablesOf(database: Database): readonly Table[] {
  return database
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all()
    .map(({ name, sql }) => ({
      name: String(name),
      columns: database
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(name ?? null)
        .map((column) => String(column.name)),
      hasNumbers: !/WITHOUT\s+ROWID/i.test(String(sql)),
    }));
}

function copyTable(source: Database, target: Database, table: Table): Salvaged {
  const { name } = table;
  let columns: readonly string[];
  try {
    const there = source.prepare('SELECT name FROM pragma_table_info(?)').all(name);
    const known = new Set(there.map((column) => String(column.name)));
    columns = table.columns.filter((column) => known.has(column));
  } catch {
    columns = table.columns;
  }
  if (columns.length === 0) return { table: name, rows: 0 };
  const list = columns.map((column) => `"${column}"`).join(', ');
  const insert = target.prepare(
    `INSERT OR IGNORE INTO "${name}" (${list}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let rows = 0;
  const take = (row: Row) => {
    try {
      rows += Number(insert.run(...columns.map((column) => row[column] ?? null)).changes);
    } catch {
      // Not a row as this table has them: what was read there is something else.
    }
  };
  if (table.hasNumbers) readByNumber(source, name, list, take);
  else readFromBothEnds(source, name, list, columns, take);
  return { table: name, rows };
}

/** Row numbers are given in order, so that a range that cannot be read is halved until the bad rows are left out. */
function readByNumber(source: Database, table: string, list: string, take: (row: Row) => void): void {
  const read = source.prepare(
    `SELECT rowid AS "rowid ", ${list} FROM "${table}" WHERE rowid BETWEEN ? AND ? ORDER BY rowid`,
  );
  const ranges: [number, number][] = [[0, highestNumber(source, table)]];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    let [from, to] = range;
    try {
      for (const row of read.iterate(from, to)) {
        take(row);
        from = Number(row['rowid ']) + 1;
      }
    } catch {
      if (from >= to) continue;
      const middle = from + Math.floor((to - from) / 2);
      ranges.push([middle + 1, to], [from, middle]);
    }
  }
}

function highestNumber(source: Database, table: string): number {
  const ways: readonly [string, readonly SqlValue[]][] = [
    [`SELECT max(rowid) AS n FROM "${table}"`, []],
    ['SELECT seq AS n FROM sqlite_sequence WHERE name = ?', [table]],
  ];
  const found = ways.map(([sql, parameters]) => {
    try {
      return Number(source.prepare(sql).get(...parameters)?.n ?? 0);
    } catch {
      return 0;
    }
  });
  const highest = Math.max(...found);
  return highest > 0 ? highest : MOST_PER_RANGE;
}

/** Without numbers only the order of the key is left: from the beginning up to the damage, from the end down to it. */
function readFromBothEnds(
  source: Database,
  table: string,
  list: string,
  columns: readonly string[],
  take: (row: Row) => void,
): void {
  const key = source
    .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .all(table)
    .map((column) => String(column.name))
    .filter((column) => columns.includes(column));
  for (const order of ['ASC', 'DESC']) {
    const by = key.map((column) => `"${column}" ${order}`).join(', ');
    try {
      for (const row of source.prepare(`SELECT ${list} FROM "${table}" ORDER BY ${by}`).iterate()) take(row);
      return;
    } catch {
      // The other end has what lies behind the damage.
    }
  }
}
