import type { Database, Row, SqlValue, Statement } from '../../../sqlite/driver.ts';

/**
 * The rows of one table that belong to a file. A note that changes mostly keeps its tags, properties and names, and
 * comparing what is there costs a fraction of deleting it and putting it back into every index.
 */
export class OwnedRows {
  readonly #columns: readonly string[];
  readonly #select: Statement;
  readonly #delete: Statement;
  readonly #insert: Statement;

  /** @param table whose column `file` says to which file a row belongs */
  constructor(database: Database, table: string, columns: readonly string[]) {
    this.#columns = columns;
    this.#select = database.prepare(`SELECT ${columns.join(', ')} FROM ${table} WHERE file = ?`);
    this.#delete = database.prepare(`DELETE FROM ${table} WHERE file = ?`);
    // Texts that differ only behind a NUL or in half a surrogate pair are equal once stored.
    this.#insert = database.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}, file) VALUES (${columns.map(() => '?').join(', ')}, ?)`,
    );
  }

  of(file: number): readonly Row[] {
    return this.#select.all(file);
  }

  /**
   * Makes these the rows of a file.
   * @param before those it has now
   * @returns whether anything was to do
   */
  replace(file: number, before: readonly Row[], rows: readonly (readonly SqlValue[])[]): boolean {
    const old = new Set(before.map((row) => print(this.#columns.map((column) => row[column] ?? null))));
    if (old.size === rows.length && rows.every((row) => old.has(print(row)))) return false;
    if (before.length > 0) this.#delete.run(file);
    for (const row of rows) this.#insert.run(...row, file);
    return true;
  }
}

function print(row: readonly SqlValue[]): string {
  return row.length === 1 ? String(row[0]) : JSON.stringify(row);
}
