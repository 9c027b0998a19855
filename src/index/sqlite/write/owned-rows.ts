import type { Database, SqlValue, Statement } from '../../../sqlite/driver.ts';

/** Columns of a row, without the file it belongs to. */
export type OwnedRow = readonly SqlValue[];

/**
 * The rows of one table that belong to a file. A note that changes mostly keeps its tags, properties and names, and
 * comparing what is there costs a fraction of deleting it and putting it back into every index.
 */
export class OwnedRows {
  readonly #delete: Statement;
  readonly #insert: Statement;

  /** @param table whose column `file` says to which file a row belongs; with the others it is the key */
  constructor(database: Database, table: string, columns: readonly string[]) {
    const all = [...columns, 'file'];
    this.#delete = database.prepare(
      `DELETE FROM ${table} WHERE ${all.map((column) => `${column} = ?`).join(' AND ')}`,
    );
    // Texts that differ only behind a NUL or in half a surrogate pair are equal once stored.
    this.#insert = database.prepare(
      `INSERT OR IGNORE INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
    );
  }

  /**
   * Makes these the rows of a file.
   * @param before those it has now
   * @returns whether anything was to do
   */
  replace(file: number, before: readonly OwnedRow[], rows: readonly OwnedRow[]): boolean {
    const old = new Set(before.map(print));
    if (old.size === rows.length && rows.every((row) => old.has(print(row)))) return false;
    for (const row of before) this.#delete.run(...row, file);
    for (const row of rows) this.#insert.run(...row, file);
    return true;
  }
}

function print(row: OwnedRow): string {
  return row.length === 1 ? String(row[0]) : JSON.stringify(row);
}
