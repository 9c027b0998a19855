import { isAway } from '../presence.ts';
import { changedByOther, refuse } from '../refusals.ts';
import type { JoplinApi, JoplinRequest } from './api.ts';
import type { FreshNote, JoplinMirror } from './mirror.ts';

/** Writes of which it is known afterwards whether they were made, also when Joplin went away in the middle. */
export class SureWrites {
  readonly #api: JoplinApi;
  readonly #mirror: JoplinMirror;

  constructor(api: JoplinApi, mirror: JoplinMirror) {
    this.#api = api;
    this.#mirror = mirror;
  }

  /** Sets properties of a note. What Joplin did not answer to is looked up before it is called a failure. */
  async put(id: string, { row }: FreshNote, properties: object): Promise<void> {
    // The version was told from text and tags, which took two requests: this one is as near to the write as can be.
    const query = { fields: 'updated_time' };
    const now = await this.#api.get<{ updated_time: number }>(`notes/${id}`, { query });
    if (now !== undefined && now.updated_time !== row.updated_time)
      throw changedByOther(this.#mirror.tree.of(id)?.path ?? id);
    try {
      const answer = await this.#api.send('PUT', `notes/${id}`, { json: properties });
      if (answer === undefined) throw refuse('not_found', id, 'does not exist any more', 'List the notes.');
    } catch (error) {
      if (!isAway(error)) throw error;
      const now = await this.#mirror.fetch(id);
      const isDone =
        now !== undefined && now.row.updated_time !== row.updated_time && hasAll(now, properties);
      if (!isDone) throw error;
    }
  }

  /** Creates an item under an id of ours, so that it can be found when Joplin did not answer. */
  async post(kind: 'notes' | 'resources' | 'folders', id: string, request: JoplinRequest): Promise<void> {
    try {
      await this.#api.send('POST', kind, request);
    } catch (error) {
      if (!isAway(error)) throw error;
      if ((await this.#api.get(`${kind}/${id}`)) === undefined) throw error;
    }
  }
}

/** Whether a note has all these properties; tags are kept elsewhere and not compared. */
function hasAll({ row, body }: FreshNote, properties: object): boolean {
  const now: Record<string, unknown> = { ...row, body };
  return Object.entries(properties).every(([key, value]) => !(key in now) || now[key] === value);
}
