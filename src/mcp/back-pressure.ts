import type { Readable } from 'node:stream';

/** What may wait, to be done or to be read by the client, before no more is taken: bytes. */
export const MOST_WAITING = 64 * 1024 * 1024;
/** What a request in work counts beside its own length. */
const REQUEST = 16 * 1024;

/** Holds the input up while the client sends more than is done, or does not read what it asked for. */
export class BackPressure {
  readonly #input: Readable;
  readonly #requests = new Map<string | number, number>();
  #asked = 0;
  #unread = 0;
  #isHeld = false;
  #isOver = false;

  constructor(input: Readable) {
    this.#input = input;
  }

  /** Whether the client has left alone more than may wait. */
  get isUnread(): boolean {
    return this.#unread > MOST_WAITING;
  }

  /** @param bytes of the line it came in */
  begin(request: string | number, bytes: number): void {
    this.end(request);
    this.#requests.set(request, REQUEST + bytes);
    this.#asked += REQUEST + bytes;
    this.#look();
  }

  end(request: string | number): void {
    this.#asked -= this.#requests.get(request) ?? 0;
    this.#requests.delete(request);
    this.#look();
  }

  sent(bytes: number): void {
    this.#unread += bytes;
    this.#look();
  }

  read(bytes: number): void {
    this.#unread -= bytes;
    this.#look();
  }

  /** No more input is taken in any case. */
  stop(): void {
    this.#isOver = true;
  }

  #look(): void {
    const waiting = this.#asked + this.#unread;
    if (this.#isOver) return;
    if (!this.#isHeld && waiting > MOST_WAITING) {
      this.#isHeld = true;
      this.#input.pause();
    } else if (this.#isHeld && waiting < MOST_WAITING / 2) {
      this.#isHeld = false;
      this.#input.resume();
    }
  }
}
