import { LecternError } from '../errors.ts';

/** What was heard of a server within this many ms is taken for how it is. */
const HEARD_MS = 2_000;

/** Whether the server behind a store answers, as far as was heard of it. */
export class Presence {
  #heardAt = 0;
  #silentSince: number | undefined;

  /** The server answered. */
  heard(): void {
    this.#heardAt = Date.now();
    this.#silentSince = undefined;
  }

  /** The server did not answer, or broke off. */
  missed(): void {
    this.#silentSince ??= Date.now();
  }

  /**
   * Since when the server does not answer, ms since the epoch; undefined when it does.
   * @param ask asks it, when nothing was heard of it for a moment; whether it answered
   */
  async awaySince(ask: () => Promise<boolean>): Promise<number | undefined> {
    if (this.#silentSince === undefined && Date.now() - this.#heardAt < HEARD_MS) return undefined;
    if (await ask()) this.heard();
    else this.missed();
    return this.#silentSince;
  }
}

/** The server cannot be reached, or what it says is cut off. */
export class Away extends LecternError {
  constructor(message: string, options: { readonly next: string; readonly cause?: unknown }) {
    super('unavailable', message, options);
  }
}

export function isAway(error: unknown): boolean {
  return error instanceof Away;
}
