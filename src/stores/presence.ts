import { LecternError } from '../errors.ts';

/** A server that answered or failed within this many ms is not asked again. */
const HEARD_MS = 2_000;

/** Tracks whether the server behind a store answers. */
export class Presence {
  #heardAt = 0;
  #silentSince: number | undefined;
  #asking: Promise<void> | undefined;
  /** Time, ms since the epoch, before which a silent server is not asked again. */
  #quietUntil = 0;

  /** Records an answer. */
  heard(): void {
    this.#heardAt = Date.now();
    this.#silentSince = undefined;
    this.#quietUntil = 0;
  }

  /** Records a request without an answer, or with an incomplete one. */
  missed(): void {
    this.#silentSince ??= Date.now();
  }

  /**
   * Since when the server does not answer, ms since the epoch; undefined while it does. Calls at the same time
   * share one request. A server that takes connections and says nothing is asked a third of the time at most, so
   * that not every reader waits for it.
   * @param ask sends a request when the last one was too long ago; resolves to whether it was answered
   */
  async awaySince(ask: () => Promise<boolean>): Promise<number | undefined> {
    if (this.#silentSince === undefined && Date.now() - this.#heardAt < HEARD_MS) return undefined;
    if (this.#silentSince === undefined || Date.now() >= this.#quietUntil) {
      this.#asking ??= this.#ask(ask).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    return this.#silentSince;
  }

  async #ask(ask: () => Promise<boolean>): Promise<void> {
    const began = Date.now();
    if (await ask()) {
      this.heard();
      return;
    }
    this.missed();
    const ended = Date.now();
    this.#quietUntil = ended + 2 * (ended - began);
  }
}

/** The server cannot be reached, or its answer is cut off. */
export class Away extends LecternError {
  constructor(message: string, options: { readonly next: string; readonly cause?: unknown }) {
    super('unavailable', message, options);
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof Away;
}
