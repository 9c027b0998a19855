import type { Database, Statement } from '../../sqlite/driver.ts';

/** The statement with this text. */
export type Sql = (text: string) => Statement;

/** Statements of a database, each prepared once. */
export function statementsOf(database: Database): Sql {
  const prepared = new Map<string, Statement>();
  return (text) => {
    const known = prepared.get(text);
    if (known) return known;
    const statement = database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
}
