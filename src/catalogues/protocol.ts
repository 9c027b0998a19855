/** How far a catalogue's system speaks the protocol: what a handshake says, and what comes after it. */
export interface Protocol {
  /** Revisions that open with `initialize`, newest first. A client that asks for another one is told the first. */
  readonly revisions: readonly string[];
  /** Whether the stateless revision, 2026-07-28, is spoken as well. */
  readonly stateless: boolean;
  /** Sent as they are. */
  readonly capabilities: Readonly<Record<string, object>>;
  /**
   * Set for systems with a dispatcher of their own instead of the whole protocol: tools alone, every
   * request answered by itself, no sessions, no messages of the server. Their exact words are here.
   */
  readonly plain?: PlainRules;
  /** How long a call may take before it fails with `timeout`, ms. Default: the door's own limit. */
  readonly callLimitMs?: number;
  readonly http?: HttpRules;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Where a plain dispatcher differs from the defaults of `mcp/plain-server.ts`. */
export interface PlainRules {
  /** -32600: no JSON-RPC 2.0 request. */
  readonly invalidRequest?: RpcError;
  /** -32601 */
  readonly unknownMethod?: (method: string) => RpcError;
  /** -32602: `tools/call` without the name of a tool. */
  readonly invalidCall?: RpcError;
  /** -32603: an error that is nobody's expectation. Default: its words stay in the log. */
  readonly internal?: (error: unknown) => RpcError;
  /** `id: null` is a request, answered with `id: null`. Default: it is an invalid one. */
  readonly answersNullId?: boolean;
}

/** What a system does differently at `POST /mcp`. */
export interface HttpRules {
  /** The port its clients expect, for a server that speaks this catalogue at `/mcp`. */
  readonly port?: number;
  /** Where a client that the owner entered by hand is answered, when the owner names no other places. */
  readonly redirectUris?: readonly string[];
  /** The name of a query parameter that may hold the token instead of the header Authorization. */
  readonly tokenParameter?: string;
  /** Puts a refusal into the system's words; undefined = as it is. */
  readonly refused?: (why: HttpRefusal, standard: Response, method: string) => Response | undefined;
  /** The status of an answer without a body, to notifications alone. Default 202. */
  readonly nothingToSay?: 200 | 202 | 204;
  /** The status of the answer to a client that ends its session. Default 200. */
  readonly sessionEnded?: 200 | 204;
}

/** Why a request did not reach the catalogue. */
export type HttpRefusal =
  | 'unauthorized'
  | 'invalid_token'
  | 'too_many_attempts'
  /** The owner's settings or the token keep this catalogue off. */
  | 'disabled'
  | 'wrong_method'
  | 'wrong_media_type'
  | 'too_large'
  /** The body is not JSON. */
  | 'not_json'
  /** A request that needs a session has none, or one that there is not. */
  | 'no_session';
