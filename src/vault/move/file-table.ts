import type { NoteIndexReader } from '../../index/note-index.ts';
import type { FileLookup } from '../../notes/links/resolve.ts';
import { nameKey, pathKey } from '../../notes/path.ts';
import type { Access } from '../access.ts';
import type { FilesChange } from './files-change.ts';

/**
 * The vault's files by name, for link resolution; before a change, and with the change applied on top.
 * Lookups are cached: every note of a move needs the same few names.
 */
export class FileTable implements FileLookup {
  readonly #known = new Map<string, readonly string[]>();
  readonly #namesakes: (key: string) => readonly string[];
  readonly #pages: (key: string) => readonly string[];
  readonly #withId: (id: string) => readonly string[];

  /**
   * @param namesakes paths of the files whose last segment has this key (`nameKey`)
   * @param pages paths of the Logseq pages with this `title::` or `alias::`
   * @param withId paths of the files with this id
   */
  constructor(
    namesakes: (key: string) => readonly string[],
    pages: (key: string) => readonly string[],
    withId: (id: string) => readonly string[],
  ) {
    this.#namesakes = namesakes;
    this.#pages = pages;
    this.#withId = withId;
  }

  /** The files in an index. */
  static async of(reader: NoteIndexReader): Promise<FileTable> {
    const [names, pages, ids] = await Promise.all([reader.names(), reader.pageNames(), reader.fileIds()]);
    return new FileTable(
      (key) => names.byName(key),
      (key) => pages.get(key) ?? [],
      (id) => ids.get(id) ?? [],
    );
  }

  /** The table reduced to files a caller sees; the table itself for a caller that sees all. */
  seenBy(access: Access): FileTable {
    if (access.filter === undefined) return this;
    const mayRead = (path: string) => access.mayRead(path);
    return new FileTable(
      (key) => this.byName(key).filter(mayRead),
      (key) => this.byPageName(key).filter(mayRead),
      (id) => this.byId(id).filter(mayRead),
    );
  }

  byName(key: string): readonly string[] {
    let paths = this.#known.get(key);
    if (paths === undefined) {
      paths = this.#namesakes(key);
      this.#known.set(key, paths);
    }
    return paths;
  }

  byPageName(key: string): readonly string[] {
    return this.#pages(key);
  }

  byId(id: string): readonly string[] {
    return this.#withId(id);
  }

  /** The files after a change; everything unchanged is shared. */
  after({ moved, added, retitled = new Map() }: Omit<FilesChange, 'folder' | 'only'>): FileLookup {
    const gone = new Map<string, Set<string>>();
    const come = new Map<string, string[]>();
    for (const from of moved.keys()) {
      const key = nameKey(from);
      gone.set(key, (gone.get(key) ?? new Set()).add(from));
    }
    for (const path of [...moved.values(), ...added])
      come.set(nameKey(path), [...(come.get(nameKey(path)) ?? []), path]);
    const touched = new Map<string, readonly string[]>();
    for (const key of new Set([...gone.keys(), ...come.keys()])) {
      const stayed = this.byName(key).filter((path) => !gone.get(key)?.has(path));
      touched.set(key, [...stayed, ...(come.get(key) ?? [])]);
    }
    const named = (key: string, name: 'from' | 'to') =>
      [...retitled].filter(([, title]) => pathKey(title[name]) === key).map(([path]) => path);
    return {
      byName: (key) => touched.get(key) ?? this.byName(key),
      byId: (id) => this.byId(id).map((path) => moved.get(path) ?? path),
      byPageName: (key) => {
        const renamed = named(key, 'from');
        const stayed = this.byPageName(key).filter((path) => !renamed.includes(path));
        return [...new Set([...stayed, ...named(key, 'to')])].map((path) => moved.get(path) ?? path);
      },
    };
  }
}
