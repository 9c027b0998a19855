import { isAway } from '../presence.ts';
import { changedByOther, refuse } from '../refusals.ts';
import type { JoplinApi, JoplinRequest } from './api.ts';
import type { FreshNote, JoplinMirror } from './mirror.ts';

/** A larger note is looked at once only while it is being written. */
const WATCHED_BYTES = 256 * 1024;

/** Writes of which it is known afterwards whether they were made, also when Joplin went away in the middle. */
export class SureWrites {
  readonly #api: JoplinApi;
  readonly #mirror: JoplinMirror;

  constructor(api: JoplinApi, mirror: JoplinMirror) {
    this.#api = api;
    this.#mirror = mirror;
  }

  /**
   * Sets properties of a note that is still in the version given. What Joplin did not answer to is looked up before it is
   * called a failure.
   *
   * Joplin has no conditional write. The time of the note is looked at right before it is written, and the note itself
   * while it is: what another program wrote in between, which the write went over, is put back.
   * @throws LecternError `conflict` when another program changed the note meanwhile, whose text is there then
   */
  async put(id: string, before: FreshNote, properties: Readonly<Record<string, unknown>>): Promise<void> {
    // The version was told from text and tags, which took two requests: this one is as near to the write as can be.
    const query = { fields: 'updated_time' };
    const now = await this.#api.get<{ updated_time: number }>(`notes/${id}`, { query });
    if (now !== undefined && now.updated_time !== before.row.updated_time) throw this.#changed(id);
    let isWritten = false;
    const looking = this.#watched(id, before, () => isWritten);
    const written = await this.#written(id, before, properties).finally(() => {
      isWritten = true;
    });
    const seen = (await looking).filter((note) => wentOver(note, written ?? 0, before, properties)).at(-1);
    if (seen === undefined) return;
    const current = await this.#mirror.peek(id);
    // Somebody has gone on from what was written: that is theirs to put right.
    if (current === undefined || current.row.updated_time !== written || !hasAll(current, properties)) return;
    const values = valuesOf(seen);
    const theirs = Object.fromEntries(Object.keys(properties).map((key) => [key, values[key]]));
    await this.#api.send('PUT', `notes/${id}`, { json: theirs });
    throw this.#changed(id);
  }

  /**
   * What a note is while it is being written, apart from what it was before: Joplin takes some milliseconds for that, in
   * which it takes other programs' writes as well.
   */
  async #watched(id: string, before: FreshNote, isOver: () => boolean): Promise<readonly FreshNote[]> {
    const seen: FreshNote[] = [];
    do {
      const note = await this.#mirror.peek(id).catch(() => undefined);
      if (note !== undefined && note.row.updated_time !== before.row.updated_time) seen.push(note);
    } while (!isOver() && before.size <= WATCHED_BYTES);
    return seen;
  }

  /** @returns the time of the note as it was written; undefined when it is not known */
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
function hasAll(note: FreshNote, properties: object): boolean {
  const now = valuesOf(note);
  return Object.entries(properties).every(([key, value]) => !(key in now) || now[key] === value);
}

/** Whether what was seen is another program's, older than the write, and had something else where it wrote. */
function wentOver(seen: FreshNote, written: number, before: FreshNote, properties: object): boolean {
  const { updated_time } = seen.row;
  if (updated_time === before.row.updated_time || updated_time > written || hasAll(seen, properties))
    return false;
  const [theirs, old] = [valuesOf(seen), valuesOf(before)];
  return Object.keys(properties).some((key) => key in theirs && theirs[key] !== old[key]);
}

function valuesOf({ row, body }: FreshNote): Readonly<Record<string, unknown>> {
  return { ...row, body };
}
