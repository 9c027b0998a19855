/** How a catalogue's system uses MCP: the handshake and what follows it. */
export interface Protocol {
  /**
   * Supported revisions that open with `initialize`, newest first. A client that asks for another one is
   * answered with the first.
   */
  readonly revisions: readonly string[];
  /** Whether the stateless revision, 2026-07-28, is supported too. */
  readonly stateless: boolean;
  /** Sent unchanged. */
  readonly capabilities: Readonly<Record<string, object>>;
  /**
   * Set for systems that have their own dispatcher instead of the whole protocol: only tools, each request
   * answered independently, no sessions and no messages from the server. Contains their exact error messages.
   */
  readonly plain?: PlainRules;
  /** Time limit of a call before it fails with `timeout`, ms. Default: that of the transport. */
  readonly callLimitMs?: number;
  readonly http?: HttpRules;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Differences of a plain dispatcher from the defaults in `mcp/plain-server.ts`. */
export interface PlainRules {
  /** -32600: not a JSON-RPC 2.0 request. */
  readonly invalidRequest?: RpcError;
  /** -32601 */
  readonly unknownMethod?: (method: string) => RpcError;
  /** -32602: `tools/call` without a tool name. */
  readonly invalidCall?: RpcError;
  /** -32603: an unexpected error. By default its message is only logged. */
  readonly internal?: (error: unknown) => RpcError;
  /** Whether `id: null` is a request, answered with `id: null`. By default it is an invalid request. */
  readonly answersNullId?: boolean;
}

/** A system's differences at `POST /mcp`. */
export interface HttpRules {
  /** The port that its clients expect, for a server that serves this catalogue at `/mcp`. */
  readonly port?: number;
  /** Redirect URIs of a client that the owner registered without naming any. */
  readonly redirectUris?: readonly string[];
  /** Name of a query parameter that may contain the token instead of the Authorization header. */
  readonly tokenParameter?: string;
  /** Rewrites a refusal in the system's form; undefined = unchanged. */
  readonly refused?: (why: HttpRefusal, standard: Response, method: string) => Response | undefined;
  /** Status of an answer without a body, when only notifications were sent. Default 202. */
  readonly nothingToSay?: 200 | 202 | 204;
  /** Status of the answer when a client ends its session. Default 200. */
  readonly sessionEnded?: 200 | 204;
}

/** Why a request was refused before it reached the catalogue. */
export type HttpRefusal =
  | 'unauthorized'
  | 'invalid_token'
  | 'too_many_attempts'
  /** The owner's settings or the token do not allow this catalogue. */
  | 'disabled'
  | 'wrong_method'
  | 'wrong_media_type'
  | 'too_large'
  /** The body is not JSON. */
  | 'not_json'
  /** The request needs a session and names none, or an unknown one. */
  | 'no_session';
