import { nameKey } from '../../notes/path.ts';
import type { FileLookup } from '../../notes/resolve.ts';

/** Building the table may not hold the event loop: it pauses after this many paths. */
const SLICE = 5000;

/** Every file of the vault by name, as link resolution asks for it; before a change, and with the change laid over it. */
export class FileTable implements FileLookup {
  readonly #byName = new Map<string, string[]>();
  readonly #pages: ReadonlyMap<string, readonly string[]>;

  private constructor(pages: ReadonlyMap<string, readonly string[]>) {
    this.#pages = pages;
  }

  /** @param pages Logseq page names that are not file names: key of `title::`/`alias::` → paths */
  static async of(
    paths: readonly string[],
    pages: ReadonlyMap<string, readonly string[]> = new Map(),
  ): Promise<FileTable> {
    const table = new FileTable(pages);
    for (const [at, path] of paths.entries()) {
      if (at % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
      table.#add(path);
    }
    return table;
  }

  byName(key: string): readonly string[] {
    return this.#byName.get(key) ?? [];
  }

  byPageName(key: string): readonly string[] {
    return this.#pages.get(key) ?? [];
  }

  /** The files after `moved` (old path → new path) and with `added`; shares everything else. */
  after(moved: ReadonlyMap<string, string>, added: readonly string[] = []): FileLookup {
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
    return {
      byName: (key) => touched.get(key) ?? this.byName(key),
      byPageName: (key) => this.byPageName(key).map((path) => moved.get(path) ?? path),
    };
  }

  #add(path: string): void {
    const key = nameKey(path);
    const named = this.#byName.get(key);
    if (named) named.push(path);
    else this.#byName.set(key, [path]);
  }
}
