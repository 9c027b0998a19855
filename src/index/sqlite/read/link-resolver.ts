import { DIALECT_RULES } from '../../../notes/dialects/rules.ts';
import { type FileLookup, resolveLink } from '../../../notes/links/resolve.ts';
import type { Dialect } from '../../../notes/model.ts';
import { dirName, joinRelative, nameKey, pathKey } from '../../../notes/path.ts';
import type { Row, SqlValue } from '../../../sqlite/driver.ts';
import type { LinkRecord } from '../../note-index.ts';
import { blockKey, idKey, PAGE_NAME } from '../write/names.ts';

/** With more files of one name than this, exact paths are looked up instead of compared. */
const MANY_NAMESAKES = 16;
const MAX_CACHED = 30_000;
const RELATIVE = /^\.{1,2}\//;

/** The result of resolving a link: the file's id, or null, and whether other files match equally. */
export interface Resolved {
  readonly target: number | null;
  readonly ambiguous: 0 | 1;
}

export interface StoredLink extends Resolved {
  readonly id: number;
  readonly source: number;
  readonly path: string;
  readonly written: string;
  readonly syntax: LinkRecord['syntax'];
  /** `pathKey` of the target of an unresolved link; null for a resolved one. */
  readonly missing: string | null;
}

/** SELECT of a {@link StoredLink}'s columns; `l` is `link`, `f` its source file. */
export const SELECT_LINK = `SELECT l.id, l.source, f.path, l.written, l.syntax, l.target, l.ambiguous, l.missing
  FROM link l JOIN file f ON f.id = l.source`;

/** Runs a query. The same statements repeat, so the implementation should cache prepared ones. */
export type Query = (sql: string, parameter: SqlValue) => readonly Row[];

/**
 * Resolves stored links among the indexed files. Its cache is valid until files change; then call
 * {@link forget}.
 */
export class LinkResolver {
  readonly #query: Query;
  readonly #dialect: Dialect;
  readonly #files: string;
  readonly #ids = new Map<string, number>();
  readonly #byName = new Map<string, readonly string[]>();
  /** Results that do not depend on the linking note's folder, as only one file has the name. */
  readonly #everywhere = new Map<string, Resolved>();
  /** Results that depend on the linking note's folder, shared by notes of one folder. */
  readonly #here = new Map<string, Resolved>();
  /** Whether the result being computed depends on the linking note's folder. */
  #isLocal = false;

  /** @param files SQL condition on `file f`: the files that links may resolve to */
  constructor(query: Query, dialect: Dialect, files = '1') {
    this.#query = query;
    this.#dialect = dialect;
    this.#files = files;
  }

  forget(): void {
    this.#ids.clear();
    this.#byName.clear();
    this.#everywhere.clear();
    this.#here.clear();
  }

  /** Clears the cache when it is large, to bound memory. */
  trim(): void {
    const most = Math.max(this.#everywhere.size, this.#here.size, this.#byName.size);
    if (most > MAX_CACHED) this.forget();
  }

  /** Resolves a link by the dialect's rules. */
  resolve(link: StoredLink): Resolved {
    if (link.written === '') return { target: link.source, ambiguous: 0 };
    // SilverBullet's `@12` is a position in the page itself.
    if (link.written.startsWith('@')) return this.#resolveAfresh(link);
    const named = `${link.syntax}\0${link.written}`;
    const here = `${named}\0${dirName(link.path)}`;
    const known = this.#everywhere.get(named) ?? this.#here.get(here);
    if (known !== undefined) return known;
    this.#isLocal = this.#isRelative(link);
    const resolved = this.#resolveAfresh(link);
    if (this.#isLocal) this.#here.set(here, resolved);
    else this.#everywhere.set(named, resolved);
    return resolved;
  }

  /** Whether the link's path is relative to its note's folder. */
  #isRelative({ written, syntax }: StoredLink): boolean {
    const inText = syntax === 'markdown' || syntax === 'reference';
    return RELATIVE.test(written) || (inText && DIALECT_RULES[this.#dialect].markdownLinksFromFolder);
  }

  #resolveAfresh(link: StoredLink): Resolved {
    if (link.syntax === 'block-ref') {
      const holders = this.#byKey(blockKey(link.written));
      return this.#toFile(holders[0], holders.length > 1);
    }
    const lookup: FileLookup = {
      byName: (key) => this.#namesakes(key, link),
      byPageName: (key) => this.#byKey(`${PAGE_NAME}${key}`),
      byId: (id) => this.#byKey(idKey(id)),
    };
    const { path, ambiguous } =
      link.syntax === 'canvas'
        ? resolveLink(link.path, link.written, 'wiki', lookup, 'obsidian')
        : resolveLink(link.path, link.written, link.syntax, lookup, this.#dialect);
    return this.#toFile(path, ambiguous.length > 1);
  }

  #toFile(path: string | undefined, ambiguous: boolean): Resolved {
    const target = path === undefined ? undefined : this.#ids.get(path);
    return { target: target ?? null, ambiguous: ambiguous ? 1 : 0 };
  }

  #namesakes(key: string, link: StoredLink): readonly string[] {
    let paths = this.#byName.get(key);
    if (paths === undefined) {
      paths = this.#paths('f.name_key = ?', key);
      this.#byName.set(key, paths);
    }
    if (paths.length > 1) this.#isLocal = true;
    return paths.length > MANY_NAMESAKES ? (this.#exact(key, link) ?? paths) : paths;
  }

  /**
   * The files at a relative link's exact path; undefined when there is none. An existing relative path takes
   * precedence, so the other files of its name need not be compared: with a thousand `README.md` that would be
   * quadratic.
   */
  #exact(key: string, link: StoredLink): readonly string[] | undefined {
    if (!RELATIVE.test(link.written)) return undefined;
    const path = joinRelative(link.path, link.written);
    if (path === undefined) return undefined;
    const wanted = [path, `${path}.md`].find((candidate) => nameKey(candidate) === key);
    if (wanted === undefined) return undefined;
    const paths = this.#paths('f.path_key = ?', pathKey(wanted));
    return paths.length === 0 ? undefined : paths;
  }

  #byKey(key: string): readonly string[] {
    return this.#paths('f.id IN (SELECT file FROM name WHERE key = ?)', key);
  }

  #paths(condition: string, key: string): readonly string[] {
    const sql = `SELECT f.id, f.path FROM file f WHERE ${condition} AND ${this.#files} ORDER BY f.path`;
    return this.#query(sql, key).map((row) => {
      const path = String(row.path);
      this.#ids.set(path, Number(row.id));
      return path;
    });
  }
}
