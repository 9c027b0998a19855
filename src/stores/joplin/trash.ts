import { checkReadable, refuse } from '../refusals.ts';
import type { JoplinApi } from './api.ts';
import { JOPLIN_ID, type NoteRow, RESOURCE_FIELDS, type ResourceRow } from './rows.ts';
import { isTrashedResource, type Placed, trashedTitle } from './tree.ts';

const PREFIX = '.trash/';

export interface TrashedItem {
  readonly kind: Placed['kind'];
  readonly id: string;
  readonly title: string;
}

/**
 * Joplin's own trash for notes, including those deleted in Joplin. Joplin has no trash for attachments: their
 * title marks them as trashed.
 */
export class JoplinTrash {
  readonly #api: JoplinApi;

  constructor(api: JoplinApi) {
    this.#api = api;
  }

  /** Moves an item to the trash. @returns its name there, `.trash/<id>` */
  async take({ kind, id, path }: Placed): Promise<string> {
    if (kind === 'note') await this.#api.send('DELETE', `notes/${id}`);
    else await this.#api.send('PUT', `resources/${id}`, { json: { title: trashedTitle(path) } });
    return `${PREFIX}${id}`;
  }

  async list(): Promise<readonly { trashPath: string; size: number; mtimeMs: number }[]> {
    const items: { trashPath: string; size: number; mtimeMs: number }[] = [];
    // Sorted by time of deletion, newest first: the notes that are not deleted follow.
    const notes = {
      include_deleted: 1,
      order_by: 'deleted_time',
      order_dir: 'DESC',
      fields: 'id,body,deleted_time',
    };
    for await (const rows of this.#api.pages<{ id: string; body: string; deleted_time: number }>('notes', {
      query: notes,
    })) {
      const deleted = rows.filter((row) => row.deleted_time > 0);
      for (const { id, body, deleted_time } of deleted)
        items.push({ trashPath: `${PREFIX}${id}`, size: Buffer.byteLength(body), mtimeMs: deleted_time });
      if (deleted.length < rows.length) break;
    }
    const query = { fields: RESOURCE_FIELDS, order_by: 'title', order_dir: 'ASC' };
    for await (const rows of this.#api.pages<ResourceRow>('resources', { query }))
      for (const { id, title, size, updated_time } of rows)
        if (isTrashedResource(title))
          items.push({ trashPath: `${PREFIX}${id}`, size, mtimeMs: updated_time });
    return items;
  }

  /**
   * Finds a trashed item.
   * @throws LecternError `invalid_path` for a name that is not one of the trash, `not_found`
   */
  async find(trashPath: string): Promise<TrashedItem> {
    const id = trashPath.startsWith(PREFIX) ? trashPath.slice(PREFIX.length) : '';
    if (id === '')
      throw refuse('invalid_path', trashPath, 'is not a path in the trash', 'Pass a path from its list.');
    checkReadable(id);
    if (JOPLIN_ID.test(id)) {
      const fields = { query: { fields: 'id,title,deleted_time' } };
      const note = await this.#api.get<Pick<NoteRow, 'title' | 'deleted_time'>>(`notes/${id}`, fields);
      if (note && note.deleted_time > 0) return { kind: 'note', id, title: note.title };
      const resource = await this.#api.get<ResourceRow>(`resources/${id}`, {
        query: { fields: RESOURCE_FIELDS },
      });
      if (resource && isTrashedResource(resource.title))
        return { kind: 'resource', id, title: resource.title };
    }
    throw refuse('not_found', trashPath, 'does not exist', 'List the trash.');
  }
}
