/**
 * Judges by its answers whether a drive is too slow to be asked while everybody waits. One slow answer proves
 * nothing, since on a busy machine the processor may have been with others; several among few do. The drive
 * is then asked in the background for a while, longer each time that it proves slow again.
 */
export class Slowness {
  #slow = 0;
  #goodInARow = 0;
  #detour = 0;
  #nextDetour = FIRST_DETOUR;

  /** Whether requests go by way of the background now. */
  get isProven(): boolean {
    return this.#detour > 0;
  }

  /** Counts a request that went by way of the background. */
  spared(): void {
    this.#detour--;
  }

  /** @param tookMs how long a direct answer took */
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
/** Slow answers that prove it, with fewer than `FORGIVEN_AFTER` good ones between them. */
const PROOF = 3;
const FORGIVEN_AFTER = 256;
/** Good answers after which the drive is taken for a new one. */
const FORGOTTEN_AFTER = 16_384;
const FIRST_DETOUR = 1024;
const LONGEST_DETOUR = 65_536;
