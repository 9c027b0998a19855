import type { CallWatcher } from '../mcp/tool-call.ts';

/** Counts work that must finish before the process exits. */
export class InFlight implements CallWatcher {
  #count = 0;
  #waiters: (() => void)[] = [];

  /** @returns a function to call once, when the work is done */
  begin(): () => void {
    this.#count++;
    return () => {
      this.#count--;
      if (this.#count === 0) for (const wake of this.#waiters.splice(0)) wake();
    };
  }

  /** @returns false when work was still running after `limitMs` */
  async idle(limitMs: number): Promise<boolean> {
    if (this.#count === 0) return true;
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      this.#waiters.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}
