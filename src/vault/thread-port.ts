/** A thread, as those who talk to it see it. */
export interface ThreadPort<Request, Reply> {
  post(request: Request): void;
  onReply(listener: (reply: Reply) => void): void;
  /** Told when the thread failed, and when it ended. */
  onExit(listener: (error: Error) => void): void;
  terminate(): Promise<void>;
}
