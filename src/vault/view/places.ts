import { randomBytes } from 'node:crypto';
import { LecternError } from '../../errors.ts';
import type { Access } from '../access.ts';
import { seal, unseal } from './seal.ts';

/** What identifies a position in a list for later. */
interface Placed {
  readonly nextCursor: string | null;
}

/**
 * Positions in lists and in the order of changes, as one caller gets them. They contain numbers of the index,
 * which count every file: a caller that may not see all of them gets them encrypted.
 */
export class Places {
  readonly #secret: () => Uint8Array;
  readonly #access: Access;

  constructor(secret: () => Uint8Array, access: Access) {
    this.#secret = secret;
    this.#access = access;
  }

  /** The index's cursor for one given to the caller. @throws LecternError `invalid_input` */
  cursor(held: string | undefined): string | undefined {
    if (held === undefined || this.#isWhole) return held;
    const cursor = unseal(this.#secret(), 'cursor', held);
    if (cursor !== undefined) return cursor;
    throw new LecternError('invalid_input', 'The cursor is not one that an answer gave.', {
      details: { field: 'cursor' },
      next: 'Repeat the query without a cursor, or pass the next cursor of its last answer unchanged.',
    });
  }

  /** The request with the index's cursor. @throws LecternError `invalid_input` */
  request<Request extends { readonly cursor?: string }>(request: Request): Request {
    if (this.#isWhole || request.cursor === undefined) return request;
    return { ...request, cursor: this.cursor(request.cursor) };
  }

  /** The page with the caller's cursor. */
  page<Page extends Placed>(page: Page): Page {
    if (this.#isWhole || page.nextCursor === null) return page;
    return { ...page, nextCursor: seal(this.#secret(), 'cursor', page.nextCursor) };
  }

  /** An event's id. `heard` counts the events sent to the caller so far: numbered by that, the sequence has no gaps. */
  event({ epoch, sequence, heard }: EventPlace): { id: string; number: number } {
    if (this.#isWhole) return { id: `${epoch}-${sequence}`, number: sequence };
    // The newest position changes with every hidden change too, so every id is made unique.
    const place = JSON.stringify([epoch, sequence, heard, randomBytes(9).toString('base64')]);
    return { id: seal(this.#secret(), 'event', place), number: heard };
  }

  /**
   * The position of an event. An id from an index that no longer exists, or from a caller with another view,
   * is valid but belongs to no current epoch.
   * @throws LecternError `invalid_input` for a malformed id
   */
  placeOf(id: string): EventPlace {
    const [, epoch = '', sequence] = /^(?:([0-9a-f]{1,32})-)?(\d{1,15})$/.exec(id) ?? [];
    if (this.#isWhole && sequence !== undefined) return { epoch, sequence: Number(sequence), heard: 0 };
    const opened = this.#isWhole ? undefined : unseal(this.#secret(), 'event', id);
    if (opened !== undefined) {
      const [at, behind, heard] = JSON.parse(opened) as [string, number, number];
      return { epoch: at, sequence: behind, heard };
    }
    if (sequence !== undefined || SEALED.test(id)) return { epoch: '', sequence: 0, heard: 0 };
    throw new LecternError('invalid_input', `${JSON.stringify(id.slice(0, 40))} is no event id.`, {
      next: 'Send the id of the last event you saw as Last-Event-ID, or nothing to begin now.',
    });
  }

  get #isWhole(): boolean {
    return this.#access.filter === undefined;
  }
}

export interface EventPlace {
  readonly epoch: string;
  readonly sequence: number;
  readonly heard: number;
}

/** The format of an encrypted id, whatever its key. */
const SEALED = /^[\w-]{100,400}$/;
