/** The write lock of a vault, across all tasks and processes that have it open. */
export interface WriteLock {
  /**
   * @param prepare runs whenever this process has taken the lock, before any work. Unfinished groups it finds
   *   were left by a process that died, possibly by an earlier run of this one.
   */
  onTaken(prepare: () => Promise<void>): void;
  /**
   * Runs `work` under the lock. Work with the same key runs in order of arrival, work with different keys in
   * parallel, work without a key alone.
   * @throws LecternError `timeout` when another process keeps the lock too long; whatever `prepare` throws
   */
  run<T>(work: () => Promise<T>, key?: string): Promise<T>;
  /** Waits until the queue is empty. */
  close(): Promise<void>;
}
