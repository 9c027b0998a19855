import type { Dialect } from '../../../notes/model.ts';
import { pathKey } from '../../../notes/path.ts';
import type { Database, Statement } from '../../../sqlite/driver.ts';
import { LinkResolver, type Query, SELECT_LINK, type StoredLink } from '../read/link-resolver.ts';
import { keyNumber } from './names.ts';

/**
 * Keeps `link.target` equal to the result of resolving every link. Its cache is valid until files change; then
 * call {@link forget}.
 */
export class LinkTable {
  readonly #resolver: LinkResolver;
  readonly #selectLinksByKey: Statement;
  readonly #selectLinksByExtraKey: Statement;
  readonly #selectLinksOf: Statement;
  readonly #update: Statement;
  readonly #database: Database;

  constructor(database: Database, dialect: Dialect) {
    const statements = new Map<string, Statement>();
    const query: Query = (sql, parameter) => {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql);
        statements.set(sql, statement);
      }
      return statement.all(parameter);
    };
    this.#database = database;
    this.#resolver = new LinkResolver(query, dialect);
    this.#selectLinksByKey = database.prepare(`${SELECT_LINK} WHERE l.key = ?`);
    this.#selectLinksByExtraKey = database.prepare(
      `${SELECT_LINK} JOIN link_extra_key k ON k.link = l.id WHERE k.key = ?`,
    );
    this.#selectLinksOf = database.prepare(`${SELECT_LINK} WHERE l.source = ? AND l.id > ?`);
    this.#update = database.prepare('UPDATE link SET target = ?, ambiguous = ?, missing = ? WHERE id = ?');
  }

  forget(): void {
    this.#resolver.forget();
  }

  /**
   * Resolves the links with any of these name keys. Files at either end of a changed link are added to
   * `touched`.
   */
  resolveKeys(keys: Iterable<string>, touched: Set<number>): void {
    for (const key of keys) {
      const number = keyNumber(key);
      this.#settle(this.#selectLinksByKey.all(number), touched);
      this.#settle(this.#selectLinksByExtraKey.all(number), touched);
    }
  }

  /** Resolves the links of one file whose id is higher than `behind`. */
  resolveSource(file: number, behind: number, touched: Set<number>): void {
    this.#settle(this.#selectLinksOf.all(file, behind), touched);
  }

  /** Resolves every link, in slices of 5,000 to bound memory. */
  resolveAll(): void {
    const slice = this.#database.prepare(`${SELECT_LINK} WHERE l.id > ? ORDER BY l.id LIMIT 5000`);
    const touched = new Set<number>();
    for (let after = 0; ; ) {
      const rows = slice.all(after);
      const last = rows.at(-1);
      if (last === undefined) return;
      this.#settle(rows, touched);
      touched.clear();
      this.#resolver.trim();
      after = Number(last.id);
    }
  }

  #settle(rows: readonly unknown[], touched: Set<number>): void {
    for (const link of rows as readonly StoredLink[]) {
      const { target, ambiguous } = this.#resolver.resolve(link);
      const missing = target === null ? pathKey(link.written) : null;
      if (target === link.target && ambiguous === link.ambiguous && missing === link.missing) continue;
      this.#update.run(target, ambiguous, missing, link.id);
      touched.add(link.source);
      if (link.target !== null) touched.add(link.target);
      if (target !== null) touched.add(target);
    }
  }
}
