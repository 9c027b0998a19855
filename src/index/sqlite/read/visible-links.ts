import type { Dialect } from '../../../notes/model.ts';
import type { Row, SqlValue } from '../../../sqlite/driver.ts';
import { LinkResolver, type Resolved, SELECT_LINK, type StoredLink } from './link-resolver.ts';

/** A connection whose `visible(id)` means one caller, and `key_number(key)` what links hold in place of a name key. */
interface Queries {
  all(sql: string, ...parameters: SqlValue[]): readonly Row[];
}

/**
 * Where links lead for a caller from whom files are hidden. A link resolves among the files its reader
 * can see, so one that opens a hidden file may open a namesake instead, and is a guess only between
 * files that can be seen. Holds the links for which that makes a difference: those of which several
 * files answer to the name. All others lead to their stored target or, when it is hidden, nowhere.
 */
export class VisibleLinks {
  readonly #resolved = new Map<number, Resolved>();
  /** Links that lead to a file other than the stored one, by that file. */
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

  /** undefined: as stored. */
  get(link: number): Resolved | undefined {
    return this.#resolved.get(link);
  }

  /** Ids of links that lead to this file for the caller, though the index says otherwise, as a JSON list. */
  movedTo(file: number): string {
    return JSON.stringify((this.#moved.get(file) ?? []).map(({ link }) => link));
  }

  /** Files with such a link from another file, as a JSON list. */
  get reached(): string {
    const reached = [...this.#moved].filter(([file, links]) => links.some(({ source }) => source !== file));
    return JSON.stringify(reached.map(([file]) => file));
  }
}
