import type { Dialect } from '../../../notes/model.ts';
import type { Row, SqlValue } from '../../../sqlite/driver.ts';
import { LinkResolver, type Resolved, SELECT_LINK, type StoredLink } from './link-resolver.ts';

/** A connection with the SQL functions `visible(id)` for one caller and `key_number(key)` (`keyNumber`). */
interface Queries {
  all(sql: string, ...parameters: SqlValue[]): readonly Row[];
}

/**
 * Resolves links for a caller from whom files are hidden. A link resolves among the visible files, so one whose
 * stored target is hidden may resolve to another file of its name, and it is ambiguous only between visible
 * files. This holds the links for which several files share the name; all others have their stored target or,
 * when that is hidden, none.
 */
export class VisibleLinks {
  readonly #resolved = new Map<number, Resolved>();
  /** Links that resolve to another file than the stored one, by that file's id. */
  readonly #moved = new Map<number, { link: number; source: number }[]>();

  constructor(queries: Queries, dialect: Dialect) {
    const resolver = new LinkResolver((sql, key) => queries.all(sql, key), dialect, 'visible(f.id)');
    const rows = queries.all(
      `${SELECT_LINK} WHERE (l.ambiguous = 1 OR l.target IS NOT NULL AND NOT visible(l.target))
         AND (l.key IN (SELECT key_number(key) FROM name GROUP BY key HAVING count(*) > 1)
           OR l.id IN (SELECT link FROM link_extra_key))
         AND visible(l.source)`,
    );
    for (const link of rows as unknown as readonly StoredLink[]) {
      const resolved = resolver.resolve(link);
      this.#resolved.set(link.id, resolved);
      if (resolved.target === null || resolved.target === link.target) continue;
      const moved = this.#moved.get(resolved.target);
      if (moved) moved.push({ link: link.id, source: link.source });
      else this.#moved.set(resolved.target, [{ link: link.id, source: link.source }]);
    }
  }

  /** The caller's resolution of a link; undefined when it does not differ from the stored one. */
  get(link: number): Resolved | undefined {
    return this.#resolved.get(link);
  }

  /** Ids of the links that resolve to this file only for the caller, as a JSON array. */
  movedTo(file: number): string {
    return JSON.stringify((this.#moved.get(file) ?? []).map(({ link }) => link));
  }

  /** Ids of the files with such a link from another file, as a JSON array. */
  get reached(): string {
    const reached = [...this.#moved].filter(([file, links]) => links.some(({ source }) => source !== file));
    return JSON.stringify(reached.map(([file]) => file));
  }
}
