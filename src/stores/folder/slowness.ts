/**
 * Decides from response times whether a drive is too slow for synchronous access. One slow answer proves
 * nothing, since on a busy machine the process may have been preempted; several within a few requests do. The
 * drive is then accessed asynchronously for a number of requests, which doubles each time it proves slow
 * again.
 */
export class Slowness {
  #slow = 0;
  #goodInARow = 0;
  #detour = 0;
  #nextDetour = FIRST_DETOUR;

  /** Whether requests are asynchronous now. */
  get isProven(): boolean {
    return this.#detour > 0;
  }

  /** Counts an asynchronous request. */
  spared(): void {
    this.#detour--;
  }

  /** @param tookMs duration of a synchronous answer */
  note(tookMs: number): void {
    if (tookMs <= SLOW_MS) {
      this.#goodInARow++;
      if (this.#goodInARow >= FORGIVEN_AFTER) this.#slow = 0;
      if (this.#goodInARow >= FORGOTTEN_AFTER) this.#nextDetour = FIRST_DETOUR;
      return;
    }
    this.#goodInARow = 0;
    this.#slow++;
    if (this.#slow < PROOF) return;
    this.#slow = 0;
    this.#detour = this.#nextDetour;
    this.#nextDetour = Math.min(this.#nextDetour * 2, LONGEST_DETOUR);
  }
}

const SLOW_MS = 5;
/** Slow answers that count as proof, with fewer than `FORGIVEN_AFTER` fast ones between them. */
const PROOF = 3;
const FORGIVEN_AFTER = 256;
/** Fast answers after which the number of asynchronous requests starts at its minimum again. */
const FORGOTTEN_AFTER = 16_384;
const FIRST_DETOUR = 1024;
const LONGEST_DETOUR = 65_536;
