/** Who may write to a vault at a time, over every task and every process that has it open: one process. */
export interface WriteLock {
  /**
   * @param prepare run whenever this process has become the one that may write, before any work. What it finds
   *   half done was left by a process that died, this one included.
   */
  onTaken(prepare: () => Promise<void>): void;
  /**
   * Runs `work` when its turn comes. Work with the same key runs in order of arrival, work with different keys
   * side by side, work without a key alone.
   * @throws LecternError `timeout` when another process keeps the lock too long; whatever `prepare` throws
   */
  run<T>(work: () => Promise<T>, key?: string): Promise<T>;
  /** Waits for the queue to empty. */
  close(): Promise<void>;
}
