import { LecternError } from '../errors.ts';

/** A server that answered or failed within this many ms is not asked again. */
const HEARD_MS = 2_000;

/** Tracks whether the server behind a store answers. */
export class Presence {
  #heardAt = 0;
  #silentSince: number | undefined;

  /** Records an answer. */
  heard(): void {
    this.#heardAt = Date.now();
    this.#silentSince = undefined;
  }

  /** Records a request without an answer, or with an incomplete one. */
  missed(): void {
    this.#silentSince ??= Date.now();
  }

  /**
   * Since when the server does not answer, ms since the epoch; undefined while it does.
   * @param ask sends a request when the last one was too long ago; resolves to whether it was answered
   */
  async awaySince(ask: () => Promise<boolean>): Promise<number | undefined> {
    if (this.#silentSince === undefined && Date.now() - this.#heardAt < HEARD_MS) return undefined;
    if (await ask()) this.heard();
    else this.missed();
    return this.#silentSince;
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
