import type { HttpBindings } from '@hono/node-server';
import type { Principal } from '../auth/grant.ts';
import type { CatalogueIdentity } from '../catalogues/catalogue.ts';
import type { McpServerOptions } from '../mcp/server.ts';
import type { InFlight } from './in-flight.ts';

export interface Caller {
  readonly principal: Principal;
  readonly address: string;
}

/** What answers the requests of one mount. */
export interface Endpoint {
  /** @param bindings Node's own side of the request */
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
  /** What one caller is served: asked per request where there are no sessions, else per session. */
  readonly optionsFor: (caller: Caller) => McpServerOptions;
  /** Answers a message that asks for more than the caller was given, where it can be given more. */
  readonly stepUp: (caller: Caller, body: unknown) => Promise<Response | undefined>;
  readonly maxBodyBytes: number;
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  readonly onError: (error: Error) => void;
  /** Requests whose answers have not left yet; subscriptions, which have no end, not counted. */
  readonly exchanges: InFlight;
}
