import { nameOf } from '../../notes/dialects/joplin-names.ts';
import { baseName, dirName, joinPath, pathKey } from '../../notes/path.ts';
import type { FolderRow, NoteRow, ResourceRow } from './rows.ts';

/** The folder of attachments whose title gives no path, as in Joplin's own export. */
const RESOURCES = '_resources';

/** An item and its path. */
export type Placed = { readonly kind: 'note' | 'resource'; readonly id: string; readonly path: string };

/**
 * Joplin's items by path. Notebooks are folders, and the title of a note is its file name. Of several notes
 * with the same name in a notebook the oldest keeps it; the others get the first 8 digits of their id
 * appended.
 */
export class JoplinTree {
  readonly #byId = new Map<string, Placed>();
  readonly #byPath = new Map<string, Placed>();
  /** Folder paths and the id of each notebook; undefined for a folder that only attachments are in. */
  readonly #folders = new Map<string, string | undefined>();
  readonly #foldersByKey = new Map<string, string[]>();
  readonly #folderPaths = new Map<string, string>();
  #keys: Set<string> | undefined;

  constructor(folders: Iterable<FolderRow>, notes: Iterable<NoteRow>, resources: Iterable<ResourceRow>) {
    this.#placeFolders(folders);
    const oldestFirst = [...notes].sort(
      (one, other) => one.user_created_time - other.user_created_time || (one.id < other.id ? -1 : 1),
    );
    for (const { id, title, parent_id } of oldestFirst) {
      const folder = this.#folderPaths.get(parent_id) ?? '';
      this.#put('note', id, folder, nameOf(title), '.md');
    }
    const byId = [...resources].sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const row of byId) {
      const path = pathOfResource(row);
      if (path === undefined) continue;
      const name = baseName(path);
      const dot = name.lastIndexOf('.');
      const [stem, extension] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
      this.#put('resource', row.id, dirName(path), stem, extension);
      for (let folder = dirName(path); folder !== '' && !this.#folders.has(folder); folder = dirName(folder))
        this.#addFolder(folder, undefined);
    }
  }

  /** All items by id. */
  get items(): ReadonlyMap<string, Placed> {
    return this.#byId;
  }

  /** The item at a path, in any Unicode form. */
  at(path: string): Placed | undefined {
    return this.#byPath.get(path.normalize('NFC'));
  }

  of(id: string): Placed | undefined {
    return this.#byId.get(id);
  }

  /** Whether a note or attachment has this path, ignoring case and Unicode form. */
  hasFileLike(path: string): boolean {
    this.#keys ??= new Set([...this.#byPath.keys()].map(pathKey));
    return this.#keys.has(pathKey(path));
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  /** The id of the notebook at a path; undefined when there is none. */
  notebook(path: string): string | undefined {
    return this.#folders.get(path);
  }

  folderOf(notebook: string): string | undefined {
    return this.#folderPaths.get(notebook);
  }

  /** Folders that have this path, ignoring case and Unicode form. */
  foldersLike(path: string): readonly string[] {
    return this.#foldersByKey.get(pathKey(path)) ?? [];
  }

  #placeFolders(rows: Iterable<FolderRow>): void {
    const all = new Map([...rows].map((row) => [row.id, row]));
    const children = new Map<string, FolderRow[]>();
    for (const row of all.values()) {
      // A notebook whose parent does not exist is placed at the top.
      const parent = all.has(row.parent_id) ? row.parent_id : '';
      children.set(parent, [...(children.get(parent) ?? []), row]);
    }
    const place = (parent: string, path: string) => {
      const rows = (children.get(parent) ?? []).sort((one, other) => (one.id < other.id ? -1 : 1));
      const taken = new Set<string>();
      for (const row of rows) {
        const name = unique(nameOf(row.title), row.id, (candidate) => taken.has(candidate.normalize('NFC')));
        taken.add(name.normalize('NFC'));
        const own = joinPath(path, name);
        this.#addFolder(own, row.id);
        this.#folderPaths.set(row.id, own);
        place(row.id, own);
      }
    };
    place('', '');
  }

  #addFolder(path: string, notebook: string | undefined): void {
    this.#folders.set(path, notebook);
    const key = pathKey(path);
    this.#foldersByKey.set(key, [...(this.#foldersByKey.get(key) ?? []), path]);
  }

  #put(kind: Placed['kind'], id: string, folder: string, stem: string, extension: string): void {
    const pathWith = (name: string) => joinPath(folder, `${name}${extension}`);
    const name = unique(stem, id, (candidate) => this.#byPath.has(pathWith(candidate).normalize('NFC')));
    const placed: Placed = { kind, id, path: pathWith(name) };
    this.#byId.set(id, placed);
    this.#byPath.set(placed.path.normalize('NFC'), placed);
  }
}

function unique(name: string, id: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const marked = `${name} (${id.slice(0, 8)})`;
  return isTaken(marked) ? `${name} (${id})` : marked;
}

/**
 * The title that stores the path of an attachment: a path outside `_resources` begins with a slash, which no
 * title of Joplin's own does.
 */
export function titleOfResource(path: string): string {
  return dirName(path) === RESOURCES ? baseName(path) : `/${path}`;
}

/** The path of an attachment; undefined for a trashed one. */
export function pathOfResource({ title, file_extension, id }: ResourceRow): string | undefined {
  if (isTrashedResource(title)) return undefined;
  if (title.startsWith('/')) {
    const parts = title.slice(1).split('/');
    if (parts.every((part) => part !== '' && nameOf(part) === part)) return parts.join('/');
  }
  const name = nameOf(title === '' ? id : title);
  const extension = file_extension === '' || name.includes('.') ? '' : `.${file_extension}`;
  return `${RESOURCES}/${name}${extension}`;
}

/** Prefix of the title of an attachment that Lectern trashed: Joplin has no trash for attachments. */
const TRASHED = '/.trash/';

export function isTrashedResource(title: string): boolean {
  return title.startsWith(TRASHED);
}

export function trashedTitle(path: string): string {
  return `${TRASHED}${path}`;
}
