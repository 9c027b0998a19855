/** One writer at a time on a vault, over every task and every process that has it open. */
export interface WriteLock {
  /**
   * Runs `work` when its turn comes, in order of arrival within the process.
   * @throws LecternError `timeout` when another process keeps the lock too long
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for the queue to empty. */
  close(): Promise<void>;
}
