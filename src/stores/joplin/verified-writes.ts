import { isAway } from '../presence.ts';
import { changedByOther, refuse } from '../refusals.ts';
import type { JoplinApi, JoplinRequest } from './api.ts';
import type { JoplinMirror } from './mirror.ts';
import type { FreshNote } from './requests.ts';

/** A larger note, bytes, is read only once while it is written. */
const WATCHED_BYTES = 256 * 1024;

/**
 * Writes whose outcome is known even when the connection to Joplin breaks: an unanswered write is checked by
 * reading.
 */
export class VerifiedWrites {
  readonly #api: JoplinApi;
  readonly #mirror: JoplinMirror;

  constructor(api: JoplinApi, mirror: JoplinMirror) {
    this.#api = api;
    this.#mirror = mirror;
  }

  /**
   * Sets properties of a note if it still has the version `before`. An unanswered write is checked by reading
   * before it counts as failed.
   *
   * Joplin has no conditional write. The note's time is compared right before the write, and the note is read
   * while it is written: when the write replaced a change of another program, that change is put back.
   * @throws LecternError `conflict` when another program changed the note; its version is kept. `not_found`
   *   when the note does not exist any more
   */
  async put(id: string, before: FreshNote, properties: Readonly<Record<string, unknown>>): Promise<void> {
    // Reading text and tags takes two requests; this request is as close to the write as possible.
    const query = { fields: 'updated_time' };
    const now = await this.#api.get<{ updated_time: number }>(`notes/${id}`, { query });
    if (now !== undefined && now.updated_time !== before.row.updated_time) throw this.#changed(id);
    let isWritten = false;
    const watching = this.#versionsDuring(id, before, () => isWritten);
    const written = await this.#written(id, before, properties).finally(() => {
      isWritten = true;
    });
    const seen = (await watching)
      .filter((note) => isOverwritten(note, written ?? 0, before, properties))
      .at(-1);
    if (seen === undefined) return;
    const current = await this.#mirror.peek(id);
    // Another program has already changed the written version: nothing is put back.
    if (current === undefined || current.row.updated_time !== written || !hasAll(current, properties)) return;
    const values = valuesOf(seen);
    const theirs = Object.fromEntries(Object.keys(properties).map((key) => [key, values[key]]));
    await this.#api.send('PUT', `notes/${id}`, { json: theirs });
    throw this.#changed(id);
  }

  /**
   * Reads the note repeatedly while it is written.
   * @returns the versions that differ from `before`: during the milliseconds of a write Joplin also accepts
   *   writes of other programs
   */
  async #versionsDuring(id: string, before: FreshNote, isOver: () => boolean): Promise<readonly FreshNote[]> {
    const seen: FreshNote[] = [];
    do {
      const note = await this.#mirror.peek(id).catch(() => undefined);
      if (note !== undefined && note.row.updated_time !== before.row.updated_time) seen.push(note);
    } while (!isOver() && before.size <= WATCHED_BYTES);
    return seen;
  }

  /**
   * Writes the properties.
   * @returns the note's new `updated_time`; undefined when Joplin did not return it
   */
  async #written(id: string, { row }: FreshNote, properties: object): Promise<number | undefined> {
    try {
      const answer = await this.#api.send<{ updated_time?: number }>('PUT', `notes/${id}`, {
        json: properties,
      });
      if (answer === undefined) throw refuse('not_found', id, 'does not exist any more', 'List the notes.');
      return answer.updated_time;
    } catch (error) {
      if (!isAway(error)) throw error;
      const now = await this.#mirror.fetch(id);
      const isDone =
        now !== undefined && now.row.updated_time !== row.updated_time && hasAll(now, properties);
      if (!isDone) throw error;
      return undefined;
    }
  }

  #changed(id: string): Error {
    return changedByOther(this.#mirror.tree.of(id)?.path ?? id);
  }

  /** Creates an item with an id chosen here, so that an unanswered request can be checked. */
  async post(kind: 'notes' | 'resources' | 'folders', id: string, request: JoplinRequest): Promise<void> {
    try {
      await this.#api.send('POST', kind, request);
    } catch (error) {
      if (!isAway(error)) throw error;
      if ((await this.#api.get(`${kind}/${id}`)) === undefined) throw error;
    }
  }
}

/** Whether a note has all these properties. Tags are not part of the row and are not compared. */
function hasAll(note: FreshNote, properties: object): boolean {
  const now = valuesOf(note);
  return Object.entries(properties).every(([key, value]) => !(key in now) || now[key] === value);
}

/**
 * Whether a version that was seen came from another program, is older than the write, and differs in a
 * written property.
 */
function isOverwritten(seen: FreshNote, written: number, before: FreshNote, properties: object): boolean {
  const { updated_time } = seen.row;
  if (updated_time === before.row.updated_time || updated_time > written || hasAll(seen, properties))
    return false;
  const [theirs, old] = [valuesOf(seen), valuesOf(before)];
  return Object.keys(properties).some((key) => key in theirs && theirs[key] !== old[key]);
}

function valuesOf({ row, body }: FreshNote): Readonly<Record<string, unknown>> {
  return { ...row, body };
}
