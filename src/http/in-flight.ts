import type { CallWatcher } from '../mcp/tool-call.ts';

/** Counts the work that must be finished before the process may leave. */
export class InFlight implements CallWatcher {
  #count = 0;
  #waiters: (() => void)[] = [];

  /** @returns to be called once, when the work is over */
  begin(): () => void {
    this.#count++;
    return () => {
      this.#count--;
      if (this.#count === 0) for (const wake of this.#waiters.splice(0)) wake();
    };
  }

  /** @returns false when work was still going on after `limitMs` */
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
