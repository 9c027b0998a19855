import type { Readable } from 'node:stream';

/** Bytes of requests and answers that may wait before input stops. */
export const MOST_WAITING = 64 * 1024 * 1024;
/** Bytes counted per request in progress, in addition to its length. */
const REQUEST = 16 * 1024;

/** Stops reading input while the client sends faster than requests are done, or does not read its answers. */
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

  /** Whether the client has left more unread than may wait. */
  get isUnread(): boolean {
    return this.#unread > MOST_WAITING;
  }

  /** @param bytes length of its line */
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

  /** No more input is taken from here on. */
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
