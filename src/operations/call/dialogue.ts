import { LecternError } from '../../errors.ts';

/** Requests a client may answer: to its user, its language model, its list of folders (MCP). */
export type InputKind = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

export interface InputRequest {
  readonly method: InputKind;
  /** As the protocol defines them for the method. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** By severity (RFC 5424). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The client behind a call. REST and the command line have none. */
export interface Dialogue {
  /** Whether the client declared that it answers such requests. */
  canAnswer(kind: InputKind): boolean;
  /**
   * The client's answers to the requests of {@link InputNeeded}, by key; undefined at first. Unchecked, and
   * no proof that anything was asked: only `state` is.
   */
  readonly answers: Readonly<Record<string, unknown>> | undefined;
  /** The user's input for one elicitation; undefined when there is no answer, or it was declined. */
  accepted(key: string): Readonly<Record<string, unknown>> | undefined;
  /** The state that {@link InputNeeded} returned in this call; signed, so that the client cannot have forged it. */
  readonly state: unknown;
  /** A line for the client's log, if it wants lines of this level. */
  log(level: LogLevel, data: unknown): void;
  /** Closes the stream the client waits on, if it can reconnect for the answer (HTTP, 2025-11-25). */
  letGo(): void;
}

/**
 * Thrown by an operation or a prompt that cannot continue without an answer of the client. Nothing may have
 * been changed before: it is run again from the start, with the answers in its {@link Dialogue}. Where there
 * is no client to ask, it is an ordinary error.
 */
export class InputNeeded extends LecternError {
  /**
   * @param requests the requests, by keys of the operation's choice; all are sent at once
   * @param state JSON returned in the next run's dialogue; signed, but readable by the client
   */
  constructor(
    readonly requests: Readonly<Record<string, InputRequest>>,
    readonly state?: unknown,
  ) {
    super('unavailable', 'This needs an answer of the user, who cannot be asked here.', {
      next: 'Use an MCP client that can ask.',
    });
  }
}
