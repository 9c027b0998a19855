import type { Database, SqlValue, Statement } from '../../../sqlite/driver.ts';

/** The columns of a row without the file it belongs to. */
export type OwnedRow = readonly SqlValue[];

/**
 * The rows of one table that belong to a file. A changed note mostly keeps its tags, properties and names, and
 * comparing the rows takes a fraction of the time for deleting and inserting them in every index.
 */
export class OwnedRows {
  readonly #delete: Statement;
  readonly #insert: Statement;

  /** @param table its column `file` has the file's id and forms the primary key with the other columns */
  constructor(database: Database, table: string, columns: readonly string[]) {
    const all = [...columns, 'file'];
    this.#delete = database.prepare(
      `DELETE FROM ${table} WHERE ${all.map((column) => `${column} = ?`).join(' AND ')}`,
    );
    // Texts that differ only after a NUL or in a lone surrogate are equal once stored.
    this.#insert = database.prepare(
      `INSERT OR IGNORE INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
    );
  }

  /**
   * Replaces the rows of a file.
   *
   * @param before its current rows
   * @returns whether they changed
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
