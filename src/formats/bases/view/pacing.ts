/** Gives way to other work between rows. */
export interface Pacing {
  isDue(): boolean;
  /** @throws when the query is to end */
  pause(): Promise<void>;
}
