import type { HttpBindings } from '@hono/node-server';
import type { Principal } from '../auth/grant.ts';
import type { CatalogueIdentity } from '../catalogues/catalogue.ts';
import type { McpServerOptions } from '../mcp/server.ts';
import type { InFlight } from './in-flight.ts';

export interface Caller {
  readonly principal: Principal;
  readonly address: string;
}

/** Answers the requests of one mounted catalogue. */
export interface Endpoint {
  /** @param bindings Node's own request and response */
  handle(
    request: Request,
    caller: Caller,
    bindings: Pick<HttpBindings, 'incoming' | 'outgoing'>,
  ): Promise<Response>;
  readonly sessions: { readonly size: number };
  sweep(stillWorks: (principal: Principal) => boolean): Promise<void>;
  close(): Promise<void>;
}

export interface EndpointOptions {
  readonly identity: CatalogueIdentity;
  /** What one caller is served: determined per request without sessions, otherwise per session. */
  readonly optionsFor: (caller: Caller) => McpServerOptions;
  /** Answers a message that needs more scopes than the caller has, where the caller can request them. */
  readonly stepUp: (caller: Caller, body: unknown) => Promise<Response | undefined>;
  readonly maxBodyBytes: number;
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  readonly onError: (error: Error) => void;
  /** Requests whose responses are not sent yet, except for subscriptions, which do not end. */
  readonly exchanges: InFlight;
}
