import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { HttpSettings } from '../config/http-settings.ts';
import type { Log } from '../config/log.ts';
import type { AuditLog } from '../journal/audit.ts';
import { ClientAddress } from './client-address.ts';
import { HostGuard } from './host-guard.ts';

/** An authorization server that brings its own routes; it works on Node's own requests. */
export interface AuthorizationRoutes {
  handles(path: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse, address: string): Promise<void>;
}

export interface AuthorizationRoutesOptions {
  readonly settings: HttpSettings;
  readonly authorization?: AuthorizationRoutes;
  readonly audit: AuditLog;
  readonly log: Log;
}

/**
 * Puts the authorization server in front of the app, behind the same check of Host. Origin is its own
 * business: clients in browsers may ask for tokens from anywhere, its forms come from its own pages.
 */
export function withAuthorization(
  app: (request: IncomingMessage, response: ServerResponse) => unknown,
  { settings, authorization, audit, log }: AuthorizationRoutesOptions,
): RequestListener {
  if (authorization === undefined) return app;
  const guard = new HostGuard(settings);
  const addresses = new ClientAddress(settings.trustedProxies);
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (!authorization.handles(path)) return void app(request, response);
    // What was refused half read would stand in the way of the connection's next request.
    response.once('finish', () => request.resume());
    const forwarded = request.headers['x-forwarded-for'];
    const peer = request.socket.remoteAddress ?? '';
    const address = addresses.of(peer, Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? null));
    if (!guard.isOwnHost(request.headers.host ?? null)) {
      const time = new Date().toISOString();
      audit.append({ time, event: 'refused', address, outcome: 'refused', code: 'bad_host' });
      response.writeHead(403).end();
      return;
    }
    authorization.handle(request, response, address).catch((error: unknown) => {
      log.error({ err: error }, 'authorization failed unexpectedly');
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  };
}
