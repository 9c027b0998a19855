import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { HttpSettings } from '../config/http-settings.ts';
import type { Log } from '../config/log.ts';
import type { AuditLog } from '../journal/audit.ts';
import { ClientAddress } from './client-address.ts';
import { HostGuard } from './host-guard.ts';

/** An authorization server with routes of its own; it handles Node's requests directly. */
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
 * Puts the authorization server in front of the app, behind the same check of Host. It checks Origin itself:
 * clients in browsers may request tokens from anywhere, while its forms must come from its own pages.
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
    // The unread rest of a refused request would block the next one on this connection.
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
