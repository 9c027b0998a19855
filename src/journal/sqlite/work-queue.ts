/** Work that waits for its turn. */
export interface Task {
  /** What the work is about; undefined = everything. */
  readonly key: string | undefined;
  /** Never rejects. */
  run(): Promise<void>;
  refuse(error: unknown): void;
}

/**
 * Work on the same thing in order of arrival, work on different things side by side, work on everything
 * alone. Nobody overtakes work it would have to wait for, so that none waits for ever.
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

  /** What may run now, counted as running from here on. */
  admit(): readonly Task[] {
    const admitted: Task[] = [];
    const kept: Task[] = [];
    const busy = new Set([...this.#running].map(({ key }) => key));
    for (const task of this.#waiting) {
      const isFree = task.key === undefined ? busy.size === 0 : !busy.has(task.key) && !busy.has(undefined);
      // What has to wait keeps its key busy for whoever comes after it.
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
