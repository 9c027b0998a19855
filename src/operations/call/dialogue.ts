import { LecternError } from '../../errors.ts';

/** What a client can be asked: its user, its language model, its list of folders (MCP). */
export type InputKind = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

export interface InputRequest {
  readonly method: InputKind;
  /** As the protocol defines them for the method. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** By severity (RFC 5424). */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/** The client at the other end of a call, beyond question and answer. REST and the command line have none. */
export interface Dialogue {
  /** Whether the client said that it answers such requests. */
  canAnswer(kind: InputKind): boolean;
  /**
   * What the client sent for the requests of {@link InputNeeded}, by their keys; undefined at first.
   * Unchecked, and no proof that anything was asked: only `state` is.
   */
  readonly answers: Readonly<Record<string, unknown>> | undefined;
  /** What the user filled in for one elicitation; undefined when there is no answer, or none that accepts. */
  accepted(key: string): Readonly<Record<string, unknown>> | undefined;
  /** What {@link InputNeeded} gave to keep in this very call, as it was given; the client cannot have made it up. */
  readonly state: unknown;
  /** A line for the client's log, if it wants lines of this level. */
  log(level: LogLevel, data: unknown): void;
  /** Lets go of the stream that the client waits on, if it can come back for the answer (HTTP, 2025-11-25). */
  letGo(): void;
}

/**
 * Thrown by an operation or a prompt that cannot go on without an answer of the client. Nothing may
 * have been changed by then: it is called again from the start, with the answers in its
 * {@link Dialogue}. Where nobody can be asked, it is an error like any other.
 */
export class InputNeeded extends LecternError {
  /**
   * @param requests what to ask, by keys of the operation's own choice; all are asked at once
   * @param state JSON to find in the dialogue of the next call; signed, but the client can read it
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
