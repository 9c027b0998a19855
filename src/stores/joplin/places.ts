import { randomBytes } from 'node:crypto';
import { nameOf } from '../../notes/dialects/joplin-names.ts';
import { baseName, dirName } from '../../notes/path.ts';
import { placeAmong } from '../place-among.ts';
import { refuse } from '../refusals.ts';
import type { Placement } from '../store.ts';
import type { JoplinApi } from './api.ts';
import type { JoplinMirror } from './mirror.ts';
import { needsNotebook } from './refusals.ts';
import type { FolderRow, NoteRow } from './rows.ts';
import { type Placed, titleOfResource } from './tree.ts';
import type { VerifiedWrites } from './verified-writes.ts';

/**
 * Finds and changes the places of items. Callers refresh the mirror before, and run these methods one after
 * another.
 */
export class JoplinPlaces {
  readonly #api: JoplinApi;
  readonly #mirror: JoplinMirror;
  readonly #writes: VerifiedWrites;

  constructor(api: JoplinApi, mirror: JoplinMirror, writes: VerifiedWrites) {
    this.#api = api;
    this.#mirror = mirror;
    this.#writes = writes;
  }

  /** Moves an item to a free path, and creates the missing notebooks. */
  async put({ kind, id }: Placed, path: string): Promise<void> {
    if (kind === 'resource') return this.retitle(id, titleOfResource(path));
    const title = this.titleFor(this.#mirror.note(id)?.row.title, stemOf(path));
    const parent_id = await this.notebookFor(path);
    await this.#api.send('PUT', `notes/${id}`, { json: { parent_id, title } });
    await this.#mirror.fetch(id);
  }

  async retitle(id: string, title: string): Promise<void> {
    await this.#api.send('PUT', `resources/${id}`, { json: { title } });
    await this.#mirror.fetchResource(id);
  }

  /**
   * The title for a note with this file name: the present title when the name was made from it, else the
   * name.
   */
  titleFor(title: string | undefined, name: string): string {
    return title !== undefined && nameOf(title) === name ? title : name;
  }

  async notebookFor(path: string): Promise<string> {
    if (dirName(path) === '') throw needsNotebook(path);
    return this.ensureNotebook(dirName(path));
  }

  /** The id of the notebook at a path. A missing notebook is created, parents included. */
  async ensureNotebook(path: string): Promise<string> {
    const there = this.#mirror.tree.notebook(path);
    if (there !== undefined) return there;
    const parent_id = dirName(path) === '' ? '' : await this.ensureNotebook(dirName(path));
    const id = randomBytes(16).toString('hex');
    const row: FolderRow = { id, parent_id, title: baseName(path), user_created_time: Date.now() };
    await this.#writes.post('folders', id, { json: row });
    this.#mirror.folderMade(row);
    return id;
  }

  placeFor(path: string): Placement {
    return placeAmong(this.#mirror.tree, path);
  }

  assertFree(path: string): void {
    const { tree } = this.#mirror;
    if (tree.at(path) || tree.hasFolder(path))
      throw refuse('exists', path, 'already exists', 'Choose another name.');
    for (let above = dirName(path); above !== ''; above = dirName(above))
      if (tree.hasFileLike(above))
        throw refuse(
          'invalid_path',
          path,
          'has a note where its notebook should be',
          'Choose another notebook.',
        );
  }

  async isEmpty(path: string, id: string): Promise<boolean> {
    const { tree } = this.#mirror;
    for (const other of tree.items.values()) if (other.path.startsWith(`${path}/`)) return false;
    const query = { include_deleted: 1, include_conflicts: 1, limit: 1, fields: 'id' };
    for await (const rows of this.#api.pages<NoteRow>(`folders/${id}/notes`, { query }))
      if (rows.length > 0) return false;
    for await (const rows of this.#api.pages<FolderRow>('folders', {
      query: { include_deleted: 1, fields: 'id,parent_id,title' },
    }))
      if (rows.some(({ parent_id }) => parent_id === id)) return false;
    return true;
  }
}

/** The file name of a note without `.md`. */
export function stemOf(path: string): string {
  return baseName(path).slice(0, -'.md'.length);
}
