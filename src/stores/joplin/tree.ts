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
  /** By id, the path that an item has when no other item wants the same one. */
  readonly #wanted = new Map<string, Wanted>();
  /** How many items want a path, by path in NFC. */
  readonly #wanting = new Map<string, number>();
  /** Folder paths and the id of each notebook; undefined for a folder that only attachments are in. */
  readonly #folders = new Map<string, string | undefined>();
  readonly #foldersByKey = new Map<string, string[]>();
  readonly #folderPaths = new Map<string, string>();
  #keys: Set<string> | undefined;
  /** Whether an item has its whole id appended, because the name with 8 digits was taken too. */
  #hasLongNames = false;

  constructor(folders: Iterable<FolderRow>, notes: Iterable<NoteRow>, resources: Iterable<ResourceRow>) {
    this.#placeFolders(folders);
    const oldestFirst = [...notes].sort(
      (one, other) => one.user_created_time - other.user_created_time || (one.id < other.id ? -1 : 1),
    );
    for (const row of oldestFirst) this.#putNote(row, this.#wantedBy(row));
    const byId = [...resources].sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const row of byId) this.#putResource(row, pathOfResource(row));
  }

  /**
   * Places a new or changed note. A free path was not wanted by another item, because the first item that
   * wants a path gets it; so the tree equals one computed from all rows.
   *
   * @returns false when names of other items depend on the note: the tree must then be computed again
   */
  update(row: NoteRow): boolean {
    const wanted = this.#wantedBy(row);
    const old = this.#wanted.get(row.id);
    if (old?.path === wanted.path) {
      if (old.created !== wanted.created && this.#isContested(old.path)) return false;
      this.#wanted.set(row.id, wanted);
      return true;
    }
    if (!this.remove(row.id) || this.at(wanted.path) !== undefined) return false;
    this.#putNote(row, wanted);
    return true;
  }

  /**
   * Removes a note.
   * @returns false as {@link update}, and for an attachment
   */
  remove(id: string): boolean {
    const placed = this.#byId.get(id);
    const wanted = this.#wanted.get(id);
    if (placed === undefined || wanted === undefined) return true;
    if (placed.kind !== 'note' || this.#hasLongNames || this.#isContested(wanted.path)) return false;
    this.#byId.delete(id);
    this.#byPath.delete(placed.path.normalize('NFC'));
    this.#wanted.delete(id);
    this.#wanting.delete(wanted.path.normalize('NFC'));
    this.#keys = undefined;
    return true;
  }

  /**
   * Places a new attachment.
   * @returns false as {@link update}
   */
  addResource(row: ResourceRow): boolean {
    const path = pathOfResource(row);
    if (path === undefined) return true;
    if (this.#byId.has(row.id) || this.at(path) !== undefined) return false;
    this.#putResource(row, path);
    return true;
  }

  /**
   * Places a new, empty notebook.
   * @returns false as {@link update}
   */
  addNotebook(row: FolderRow): boolean {
    const path = joinPath(this.#folderPaths.get(row.parent_id) ?? '', nameOf(row.title));
    const form = path.normalize('NFC');
    const isTaken = this.foldersLike(path).some(
      (other) => other.normalize('NFC') === form && this.#folders.get(other) !== undefined,
    );
    if (isTaken || this.#folderPaths.has(row.id)) return false;
    this.#addFolder(path, row.id);
    this.#folderPaths.set(row.id, path);
    return true;
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
    const isNew = !this.#folders.has(path);
    this.#folders.set(path, notebook);
    if (!isNew) return;
    const key = pathKey(path);
    this.#foldersByKey.set(key, [...(this.#foldersByKey.get(key) ?? []), path]);
  }

  #wantedBy({ title, parent_id, user_created_time }: NoteRow): Wanted {
    const folder = this.#folderPaths.get(parent_id) ?? '';
    return { path: joinPath(folder, `${nameOf(title)}.md`), created: user_created_time };
  }

  #isContested(wanted: string): boolean {
    return (this.#wanting.get(wanted.normalize('NFC')) ?? 0) > 1;
  }

  #putNote({ id }: NoteRow, wanted: Wanted): void {
    this.#put('note', id, wanted, '.md'.length);
  }

  #putResource({ id }: ResourceRow, path: string | undefined): void {
    if (path === undefined) return;
    const name = baseName(path);
    const dot = name.lastIndexOf('.');
    this.#put('resource', id, { path, created: 0 }, dot <= 0 ? 0 : name.length - dot);
    for (let folder = dirName(path); folder !== '' && !this.#folders.has(folder); folder = dirName(folder))
      this.#addFolder(folder, undefined);
  }

  /** @param extension length of the extension with its dot, UTF-16 code units */
  #put(kind: Placed['kind'], id: string, wanted: Wanted, extension: number): void {
    const end = wanted.path.length - extension;
    const [stem, rest] = [wanted.path.slice(0, end), wanted.path.slice(end)];
    const free = unique(stem, id, (candidate) => this.at(`${candidate}${rest}`) !== undefined);
    const placed: Placed = { kind, id, path: `${free}${rest}` };
    this.#byId.set(id, placed);
    this.#byPath.set(placed.path.normalize('NFC'), placed);
    this.#keys?.add(pathKey(placed.path));
    this.#wanted.set(id, wanted);
    const form = wanted.path.normalize('NFC');
    this.#wanting.set(form, (this.#wanting.get(form) ?? 0) + 1);
    if (free.endsWith(`(${id})`) && free !== stem) this.#hasLongNames = true;
  }
}

interface Wanted {
  readonly path: string;
  /** Creation time of a note, ms since the epoch: of several notes that want one path the oldest gets it. */
  readonly created: number;
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

/** Whether the title marks an attachment that Lectern trashed. */
export function isTrashedResource(title: string): boolean {
  return title.startsWith(TRASHED);
}

/** The title of a trashed attachment, which keeps its path. */
export function trashedTitle(path: string): string {
  return `${TRASHED}${path}`;
}
