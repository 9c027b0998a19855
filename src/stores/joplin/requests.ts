import type { JoplinApi } from './api.ts';
import { type KnownNote, NOTE_FIELDS, type NoteRow } from './rows.ts';

/** The fields of a note together with its text. */
export const TEXT_FIELDS = `${NOTE_FIELDS},body`;

/** A note as it was just requested, with its text. */
export interface FreshNote extends KnownNote {
  readonly body: string;
}

interface Events {
  readonly items: readonly { readonly item_id: string }[];
  readonly has_more: boolean;
  readonly cursor: string | number;
}

/** What the mirror asks of Joplin's Data API. Errors are those of {@link JoplinApi}. */
export class JoplinRequests {
  readonly #api: JoplinApi;

  constructor(api: JoplinApi) {
    this.#api = api;
  }

  /** The number of the latest event. */
  async latest(): Promise<string> {
    return String((await this.#api.get<Events>('events'))?.cursor ?? '0');
  }

  /** Pages of events after a number; each has the number to go on from. */
  async *events(cursor: string | undefined): AsyncGenerator<Events> {
    for (let from = cursor; ; ) {
      const page = await this.#api.get<Events>('events', { query: { cursor: from } });
      if (page === undefined) return;
      yield page;
      if (!page.has_more || page.items.length === 0) return;
      from = String(page.cursor);
    }
  }

  /** All rows of a listing, ordered by id. */
  async all<T>(path: string, fields: string): Promise<readonly T[]> {
    const rows: T[] = [];
    const query = { fields, order_by: 'id', order_dir: 'ASC' };
    for await (const page of this.#api.pages<T>(path, { query })) rows.push(...page);
    return rows;
  }

  /**
   * A note with its text; undefined when it does not exist, is in the trash, or is a copy from a sync
   * conflict.
   */
  async note(id: string): Promise<FreshNote | undefined> {
    const found = await this.#api.get<NoteRow & { body: string }>(`notes/${id}`, {
      query: { fields: TEXT_FIELDS },
    });
    if (found === undefined || isAbsent(found)) return undefined;
    const { body, ...row } = found;
    return { row, size: Buffer.byteLength(body), body };
  }
}

function isAbsent(row: NoteRow): boolean {
  return row.deleted_time > 0 || row.is_conflict === 1;
}
