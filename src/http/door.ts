import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { mounted } from '../catalogues/mounted.ts';
import { identityForVaults } from '../catalogues/several-vaults.ts';
import type { HttpSettings } from '../config/http-settings.ts';
import type { Log } from '../config/log.ts';
import { hostInUrl } from '../config/loopback.ts';
import { LecternError } from '../errors.ts';
import type { AuditLog } from '../journal/audit.ts';
import type { McpServerOptions } from '../mcp/server.ts';
import type { Assistants } from '../operations/call/assistants.ts';
import { httpApp } from './app.ts';
import type { Authenticator } from './authenticate.ts';
import { type AuthorizationRoutes, withAuthorization } from './authorization-routes.ts';
import type { Readiness } from './health.ts';
import { InFlight } from './in-flight.ts';
import { McpMounts, type McpMountsOptions, type ServedCatalogues } from './mcp-mounts.ts';
import { GrantedOffers, narrowedVaults, type OpenVault, type ServedOffer } from './narrowing.ts';
import { restCallers } from './rest/callers.ts';
import { needsMoreScope } from './step-up.ts';

export interface HttpDoorOptions {
  readonly settings: HttpSettings;
  readonly version: string;
  /** Every operation, those the owner's settings leave, and the vaults. */
  readonly served: ServedOffer;
  readonly catalogues: ServedCatalogues;
  readonly onListsChanged?: McpServerOptions['onListsChanged'];
  readonly vault: OpenVault;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  /** Answers tools that ask a language model; undefined = no model. */
  readonly assistants?: Assistants | undefined;
  readonly readiness: () => Promise<Readiness>;
  readonly log: Log;
  /** Handles OAuth requests in place of the app. */
  readonly authorization?: AuthorizationRoutes;
  /** Other time limits for slow senders than the default. */
  readonly patience?: Partial<typeof PATIENCE>;
}

export interface HttpDoor {
  /** The address it listens on, e.g. `http://127.0.0.1:7862`. */
  readonly url: string;
  readonly sessions: { readonly size: number };
  /** Accepts no more requests, finishes those in progress, then closes the connections. */
  stop(): Promise<void>;
}

/**
 * Time for requests in progress at shutdown, ms: longer than any call may take by default. A write still
 * running then is safe.
 */
const FINISH_LIMIT_MS = 60_000;
/** Time for responses to be sent after all work is done, ms. */
const FLUSH_LIMIT_MS = 2000;
const SWEEP_EVERY_MS = 10_000;

/** Slow senders: headers within 10 s, the whole request within 30 s, checked every 2 s. */
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};

/**
 * Starts the HTTP server.
 *
 * @throws LecternError `unavailable` when it cannot listen or the TLS files cannot be used
 */
export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { settings, log, authenticator } = options;
  const inFlight = new InFlight();
  let stopping = false;
  const offers = new GrantedOffers(options.served);
  const mcp = new McpMounts({
    ...settings,
    catalogues: options.catalogues,
    optionsFor: callerOptions(options, offers, inFlight),
    stepUp: stepUp(options, offers),
    onError,
  });
  const rest = restCallers(options, inFlight);
  const app = httpApp({ ...options, mcp, rest, isStopping: () => stopping });
  const listener = withAuthorization(getRequestListener(app.fetch), options);
  const server = await createNodeServer(options, listener);
  await listen(server, settings);
  const sweep = setInterval(() => {
    mcp.sweep((principal) => authenticator.stillWorks(principal)).catch(onError);
  }, SWEEP_EVERY_MS);
  sweep.unref();
  return { url: urlOf(server, settings), sessions: mcp.sessions, stop };

  async function stop(): Promise<void> {
    stopping = true;
    clearInterval(sweep);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    if (!(await inFlight.idle(FINISH_LIMIT_MS))) log.warn({}, 'left with calls unfinished');
    await mcp.exchanges.idle(FLUSH_LIMIT_MS);
    await mcp.close();
    server.closeIdleConnections();
    const flushed = setTimeout(() => server.closeAllConnections(), FLUSH_LIMIT_MS);
    await closed;
    clearTimeout(flushed);
  }

  /** Only the error's text, shortened: messages of the protocol layer may quote what the client sent. */
  function onError(error: Error): void {
    log.debug({ error: error.message.slice(0, 200) }, 'protocol error');
  }
}

function stepUp(
  { served, authenticator, vault, log }: HttpDoorOptions,
  offers: GrantedOffers,
): McpMountsOptions['stepUp'] {
  return async ({ load }, { principal, address }, body) => {
    const tool = await needsMoreScope(body, principal, async (grant) =>
      mounted(await load(), offers.for(grant)),
    );
    if (tool === undefined) return undefined;
    const { id, name, grant } = principal;
    narrowedVaults(
      grant,
      served,
      vault,
    )({ kind: 'mcp', name, session: id, address }).then(
      (session) => session.failed({ tool, code: 'insufficient_scope', writes: false }),
      (error: unknown) => log.warn({ err: error }, 'a refused call is not in the audit log'),
    );
    return authenticator.insufficientScope();
  };
}

function callerOptions(
  options: HttpDoorOptions,
  offers: GrantedOffers,
  inFlight: InFlight,
): McpMountsOptions['optionsFor'] {
  const { version, log, settings, served } = options;
  return ({ identity, load }, { principal, address }) => {
    const { id, name, kind, grant } = principal;
    // A grant that names an unknown tool or vault is refused now, not at the first call.
    const { vaults = [] } = offers.for(grant);
    return {
      identity: identityForVaults(identity, vaults),
      version,
      log,
      catalogue: async () => mounted(await load(), offers.for(grant)),
      ...(options.onListsChanged && { onListsChanged: options.onListsChanged }),
      vault: narrowedVaults(grant, served, options.vault),
      callLimitMs: settings.callLimitMs,
      watch: inFlight,
      assistants: options.assistants,
      caller: (client) =>
        kind === 'open'
          ? { name: client, session: `${id}:${client}`, address }
          : { name, session: id, client, address },
    };
  };
}

async function createNodeServer(
  { settings, patience }: HttpDoorOptions,
  listener: RequestListener,
): Promise<Server> {
  const limits = { ...PATIENCE, ...patience };
  const { tls } = settings;
  if (tls === undefined) return createServer(limits, listener);
  try {
    const [cert, key] = await Promise.all([readFile(tls.cert), readFile(tls.key)]);
    return createTlsServer({ ...limits, cert, key, minVersion: 'TLSv1.2' }, listener);
  } catch (error) {
    throw new LecternError('unavailable', 'The TLS certificate or its key cannot be used.', {
      cause: error,
      next: 'Check that both are readable PEM files that belong together.',
    });
  }
}

async function listen(server: Server, { host, port }: HttpSettings): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        new LecternError(
          'unavailable',
          `Cannot listen on ${host}:${port} (${error.code ?? error.message}).`,
          {
            cause: error,
            next: taken
              ? 'Another program has the port: choose one with --port.'
              : 'Choose another --host or --port.',
          },
        ),
      );
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
  });
}

function urlOf(server: Server, { tls, host }: HttpSettings): string {
  const { port } = server.address() as AddressInfo;
  return `${tls === undefined ? 'http' : 'https'}://${hostInUrl(host)}:${port}`;
}
