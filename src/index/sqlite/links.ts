import type { Dialect } from '../../notes/model.ts';
import { dirName, joinRelative, nameKey, pathKey } from '../../notes/path.ts';
import { type FileLookup, resolveLink } from '../../notes/resolve.ts';
import type { Database, Statement } from '../../sqlite/driver.ts';
import type { LinkRecord } from '../note-index.ts';
import { blockKey, PAGE_NAME } from './names.ts';

/** Beyond this many files of one name, exact paths are looked up instead of compared. */
const MANY_NAMESAKES = 16;

interface Resolved {
  readonly target: number | null;
  readonly ambiguous: 0 | 1;
}

interface StoredLink extends Resolved {
  readonly id: number;
  readonly source: number;
  readonly path: string;
  readonly written: string;
  readonly syntax: LinkRecord['syntax'];
}

const NOWHERE: Resolved = { target: null, ambiguous: 0 };
const SELECT_LINK = `SELECT l.id, l.source, f.path, l.written, l.syntax, l.target, l.ambiguous
  FROM link l JOIN file f ON f.id = l.source`;

/**
 * Keeps `link.target` equal to what resolving every link afresh would give. What it remembers of the
 * vault is valid until {@link forget}: call that whenever files changed.
 */
export class LinkTable {
  readonly #dialect: Dialect;
  readonly #ids = new Map<string, number>();
  readonly #byName = new Map<string, readonly string[]>();
  readonly #resolved = new Map<string, Resolved>();
  readonly #selectByName: Statement;
  readonly #selectByKey: Statement;
  readonly #selectByPathKey: Statement;
  readonly #selectLinksByKey: Statement;
  readonly #selectLinksByExtraKey: Statement;
  readonly #selectLinksOf: Statement;
  readonly #update: Statement;
  readonly #database: Database;

  constructor(database: Database, dialect: Dialect) {
    this.#database = database;
    this.#dialect = dialect;
    this.#selectByName = database.prepare('SELECT id, path FROM file WHERE name_key = ? ORDER BY path');
    this.#selectByPathKey = database.prepare('SELECT id, path FROM file WHERE path_key = ? ORDER BY path');
    this.#selectByKey = database.prepare(
      'SELECT f.id, f.path FROM name n JOIN file f ON f.id = n.file WHERE n.key = ? ORDER BY f.path',
    );
    this.#selectLinksByKey = database.prepare(`${SELECT_LINK} WHERE l.key = ?`);
    this.#selectLinksByExtraKey = database.prepare(
      `${SELECT_LINK} JOIN link_extra_key k ON k.link = l.id WHERE k.key = ?`,
    );
    this.#selectLinksOf = database.prepare(`${SELECT_LINK} WHERE l.source = ?`);
    this.#update = database.prepare('UPDATE link SET target = ?, ambiguous = ? WHERE id = ?');
  }

  forget(): void {
    this.#ids.clear();
    this.#byName.clear();
    this.#resolved.clear();
  }

  /** Resolves the links that hold any of these keys. Files whose links changed are added to `touched`. */
  resolveKeys(keys: Iterable<string>, touched: Set<number>): void {
    for (const key of keys) {
      this.#settle(this.#selectLinksByKey.all(key), touched);
      this.#settle(this.#selectLinksByExtraKey.all(key), touched);
    }
  }

  /** Resolves the links written in one file. */
  resolveSource(file: number, touched: Set<number>): void {
    this.#settle(this.#selectLinksOf.all(file), touched);
  }

  /** Resolves every link, those of one name together, in slices so that memory stays bounded. */
  resolveAll(): void {
    const slice = this.#database.prepare(`${SELECT_LINK} WHERE l.id > ? ORDER BY l.id LIMIT 5000`);
    const touched = new Set<number>();
    for (let after = 0; ; ) {
      const rows = slice.all(after);
      const last = rows.at(-1);
      if (last === undefined) return;
      this.#settle(rows, touched);
      touched.clear();
      if (this.#resolved.size > 100_000) this.#resolved.clear();
      after = Number(last.id);
    }
  }

  #settle(rows: readonly unknown[], touched: Set<number>): void {
    for (const link of rows as readonly StoredLink[]) {
      const { target, ambiguous } = this.#resolve(link);
      if (target === link.target && ambiguous === link.ambiguous) continue;
      this.#update.run(target, ambiguous, link.id);
      touched.add(link.source);
      if (link.target !== null) touched.add(link.target);
      if (target !== null) touched.add(target);
    }
  }

  #resolve(link: StoredLink): Resolved {
    if (link.written === '') return { target: link.source, ambiguous: 0 };
    // A target is read relative to the folder of its note at most, so neighbours share the answer.
    // SilverBullet's `@12` means the page itself.
    const shared = !link.written.startsWith('@');
    const memo = `${link.syntax}\0${dirName(link.path)}\0${link.written}`;
    const known = shared ? this.#resolved.get(memo) : undefined;
    if (known !== undefined) return known;
    const resolved = this.#resolveAfresh(link);
    if (shared) this.#resolved.set(memo, resolved);
    return resolved;
  }

  #resolveAfresh(link: StoredLink): Resolved {
    if (link.syntax === 'block-ref') {
      const holders = this.#paths(this.#selectByKey, blockKey(link.written));
      return this.#toFile(holders[0], holders.length > 1);
    }
    const lookup: FileLookup = {
      byName: (key) => this.#namesakes(key, link),
      byPageName: (key) => this.#paths(this.#selectByKey, `${PAGE_NAME}${key}`),
    };
    const { path, ambiguous } =
      link.syntax === 'canvas'
        ? resolveLink(link.path, link.written, 'wiki', lookup, 'obsidian')
        : resolveLink(link.path, link.written, link.syntax, lookup, this.#dialect);
    return this.#toFile(path, ambiguous.length > 1);
  }

  #toFile(path: string | undefined, ambiguous: boolean): Resolved {
    const target = path === undefined ? undefined : this.#ids.get(path);
    return target === undefined ? NOWHERE : { target, ambiguous: ambiguous ? 1 : 0 };
  }

  #namesakes(key: string, link: StoredLink): readonly string[] {
    let paths = this.#byName.get(key);
    if (paths === undefined) {
      paths = this.#paths(this.#selectByName, key);
      this.#byName.set(key, paths);
    }
    return paths.length > MANY_NAMESAKES ? (this.#exact(key, link) ?? paths) : paths;
  }

  /**
   * In a vault with a thousand `README.md`, comparing each with each relative link is quadratic. A
   * relative path that exists beats all others, so it alone will do.
   */
  #exact(key: string, link: StoredLink): readonly string[] | undefined {
    if (!/^\.{1,2}\//.test(link.written)) return undefined;
    const path = joinRelative(link.path, link.written);
    if (path === undefined) return undefined;
    const wanted = [path, `${path}.md`].find((candidate) => nameKey(candidate) === key);
    if (wanted === undefined) return undefined;
    const paths = this.#paths(this.#selectByPathKey, pathKey(wanted));
    return paths.length === 0 ? undefined : paths;
  }

  #paths(statement: Statement, key: string): readonly string[] {
    return statement.all(key).map((row) => {
      const path = String(row.path);
      this.#ids.set(path, Number(row.id));
      return path;
    });
  }
}
