import { randomBytes } from 'node:crypto';
import { LecternError } from '../../errors.ts';
import type { Access } from '../access.ts';
import { seal, unseal } from './seal.ts';

/** What holds a place in a list for later. */
interface Placed {
  readonly nextCursor: string | null;
}

/**
 * Places in lists and in the order of changes as one caller holds them. They are made of the index's numbers, which
 * count every file: who may not see all of them holds them sealed.
 */
export class Places {
  readonly #secret: () => Uint8Array;
  readonly #access: Access;

  constructor(secret: () => Uint8Array, access: Access) {
    this.#secret = secret;
    this.#access = access;
  }

  /** The cursor of a list behind one that the caller holds. @throws LecternError `invalid_input` */
  cursor(held: string | undefined): string | undefined {
    if (held === undefined || this.#isWhole) return held;
    const cursor = unseal(this.#secret(), 'cursor', held);
    if (cursor !== undefined) return cursor;
    throw new LecternError('invalid_input', 'The cursor is not one that an answer gave.', {
      details: { field: 'cursor' },
      next: 'Repeat the query without a cursor, or pass the next cursor of its last answer unchanged.',
    });
  }

  /** The same request as the list takes it. @throws LecternError `invalid_input` */
  request<Request extends { readonly cursor?: string }>(request: Request): Request {
    if (this.#isWhole || request.cursor === undefined) return request;
    return { ...request, cursor: this.cursor(request.cursor) };
  }

  /** The same page as the caller gets it. */
  page<Page extends Placed>(page: Page): Page {
    if (this.#isWhole || page.nextCursor === null) return page;
    return { ...page, nextCursor: seal(this.#secret(), 'cursor', page.nextCursor) };
  }

  /** An event's id. `heard` events the caller has heard so far: numbered by them, an order has no gaps. */
  event({ epoch, sequence, heard }: EventPlace): { id: string; number: number } {
    if (this.#isWhole) return { id: `${epoch}-${sequence}`, number: sequence };
    // The newest place there is moves with every hidden change, too: no two ids are alike.
    const place = JSON.stringify([epoch, sequence, heard, randomBytes(9).toString('base64')]);
    return { id: seal(this.#secret(), 'event', place), number: heard };
  }

  /**
   * Where an event stood. An id of an index that is no more, or of a caller who saw more or less, is good, and of no
   * epoch there is.
   * @throws LecternError `invalid_input` for an id that is none
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

/** What a sealed id looks like, whoever sealed it. */
const SEALED = /^[\w-]{100,400}$/;
