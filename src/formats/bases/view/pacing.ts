/** Yields to other work between rows. */
export interface Pacing {
  /** Whether the current slice of time is used up. */
  isDue(): boolean;
  /**
   * Resolves after other work has run.
   *
   * @throws LecternError `timeout` when the query takes too long, or the signal's reason when it is cancelled
   */
  pause(): Promise<void>;
}
