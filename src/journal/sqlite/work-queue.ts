/** Queued work. */
export interface Task {
  /** The key of the work; undefined = everything. */
  readonly key: string | undefined;
  /** Runs the work; the promise never rejects. */
  run(): Promise<void>;
  /** Rejects the caller's promise instead of running the work. */
  refuse(error: unknown): void;
}

/**
 * Runs work on one key in order of arrival, work on different keys in parallel, and work on everything alone.
 * No work overtakes other work it would have to wait for, so none waits forever.
 */
export class WorkQueue {
  readonly #running = new Set<Task>();
  #waiting: Task[] = [];

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(task: Task): void {
    this.#waiting.push(task);
  }

  /** The work that may run now; it counts as running from here on. */
  admit(): readonly Task[] {
    const admitted: Task[] = [];
    const kept: Task[] = [];
    const busy = new Set([...this.#running].map(({ key }) => key));
    for (const task of this.#waiting) {
      const isFree = task.key === undefined ? busy.size === 0 : !busy.has(task.key) && !busy.has(undefined);
      // Waiting work keeps its key busy for later work.
      busy.add(task.key);
      if (isFree) admitted.push(task);
      else kept.push(task);
    }
    this.#waiting = kept;
    for (const task of admitted) this.#running.add(task);
    return admitted;
  }

  done(task: Task): void {
    this.#running.delete(task);
  }

  refuseFirst(error: unknown): void {
    this.#waiting.shift()?.refuse(error);
  }
}
