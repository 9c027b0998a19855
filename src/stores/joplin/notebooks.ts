import { nameOf } from '../../notes/dialects/joplin-names.ts';
import { baseName, dirName } from '../../notes/path.ts';
import { notThere, refuse } from '../refusals.ts';
import type { FolderEntry } from '../store.ts';
import type { JoplinApi } from './api.ts';
import type { JoplinMirror } from './mirror.ts';
import type { JoplinPlaces } from './places.ts';

/** Notebooks as folders. Callers must run these methods one after another. */
export class JoplinNotebooks {
  readonly #api: JoplinApi;
  readonly #mirror: JoplinMirror;
  readonly #places: JoplinPlaces;

  constructor(api: JoplinApi, mirror: JoplinMirror, places: JoplinPlaces) {
    this.#api = api;
    this.#mirror = mirror;
    this.#places = places;
  }

  async list(signal?: AbortSignal): Promise<readonly FolderEntry[]> {
    await this.#mirror.refreshPlaces(signal);
    const { tree } = this.#mirror;
    const full = new Set<string>();
    for (const { path } of tree.items.values())
      for (let folder = dirName(path); folder !== '' && !full.has(folder); folder = dirName(folder))
        full.add(folder);
    return [...this.#mirror.notebooks()].map((row) => {
      const path = tree.folderOf(row.id) ?? nameOf(row.title);
      return { path, birthtimeMs: row.user_created_time, isEmpty: !full.has(path) };
    });
  }

  async make(path: string): Promise<void> {
    await this.#mirror.refreshPlaces();
    await this.#places.ensureNotebook(path);
  }

  /**
   * Moves a notebook with its contents, and the attachments below its path.
   * @throws LecternError `not_found`, `forbidden` when `from` is a file, `invalid_path` for a target inside
   *   the notebook, `exists`
   */
  async move(from: string, to: string): Promise<void> {
    await this.#mirror.refreshPlaces();
    const { tree } = this.#mirror;
    if (!tree.hasFolder(from)) {
      if (tree.at(from)) throw refuse('forbidden', from, 'is not a notebook', 'Pass the path of a notebook.');
      throw notThere(from);
    }
    if (to.startsWith(`${from}/`))
      throw refuse('invalid_path', to, 'lies inside the moved notebook', 'Choose another place.');
    const { path: place } = this.#places.placeFor(to);
    const twin = tree.foldersLike(place).find((path) => path !== from);
    if (twin !== undefined || tree.at(place))
      throw refuse('exists', to, 'exists already', 'Choose another place.');
    const files = [...tree.items.values()].filter(
      ({ kind, path }) => kind === 'resource' && path.startsWith(`${from}/`),
    );
    const notebook = tree.notebook(from);
    if (notebook !== undefined) {
      const parent_id = dirName(place) === '' ? '' : await this.#places.ensureNotebook(dirName(place));
      const known = this.#mirror.folder(notebook);
      const title = this.#places.titleFor(known?.title, baseName(place));
      await this.#api.send('PUT', `folders/${notebook}`, { json: { parent_id, title } });
      const user_created_time = known?.user_created_time ?? 0;
      this.#mirror.folderMade({ id: notebook, parent_id, title, user_created_time });
    }
    for (const file of files) await this.#places.put(file, place + file.path.slice(from.length));
  }

  /**
   * Removes empty notebooks from `folder` up to `top`. A notebook that has items in Joplin's trash is not
   * empty.
   */
  async prune(folder: string, top: string): Promise<void> {
    await this.#mirror.refreshPlaces();
    for (let path = folder; path !== '' && `${path}/`.startsWith(`${top}/`); path = dirName(path)) {
      const id = this.#mirror.tree.notebook(path);
      if (id === undefined) continue;
      if (!(await this.#places.isEmpty(path, id))) return;
      await this.#api.send('DELETE', `folders/${id}`, { query: { permanent: 1 } });
      this.#mirror.folderGone(id);
    }
  }
}
