import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono, type HonoRequest, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Principal } from '../auth/grant.ts';
import type { HttpRules } from '../catalogues/protocol.ts';
import type { HttpSettings } from '../config/http-settings.ts';
import type { Log } from '../config/log.ts';
import { isLecternError } from '../errors.ts';
import type { AuditLog } from '../journal/audit.ts';
import type { Offer } from '../operations/offer.ts';
import { forbiddenSource, jsonRpcError, shuttingDown, tooMany } from './answers.ts';
import { type Authenticator, isRefusal } from './authenticate.ts';
import { ClientAddress } from './client-address.ts';
import { healthRoutes, type Readiness } from './health.ts';
import { HostGuard } from './host-guard.ts';
import type { McpMounts } from './mcp-mounts.ts';
import type { ServedOffer } from './narrowing.ts';
import { RateLimiter } from './rate-limiter.ts';
import { type RestCaller, restApp } from './rest/app.ts';
import type { RestSource } from './rest/callers.ts';
import { openApiDocument } from './rest/openapi.ts';

/** The context of a request that has passed the guards. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: { address: string; principal: Principal };
}

export interface HttpAppOptions {
  readonly settings: HttpSettings;
  readonly authenticator: Authenticator;
  readonly mcp: McpMounts;
  readonly audit: AuditLog;
  readonly readiness: () => Promise<Readiness>;
  /** True once no more requests are accepted. */
  readonly isStopping: () => boolean;
  readonly rest: (source: RestSource) => RestCaller;
  /** Every existing operation, served or not, and the served vaults. */
  readonly served: Pick<ServedOffer, 'all' | 'vaults'>;
  readonly version: string;
  readonly log: Log;
}

/** What browsers of the allowed origins may send and read. */
const REQUEST_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Range',
];
const RESPONSE_HEADERS = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'Mcp-Session-Id',
  'Mcp-Protocol-Version',
  'Retry-After',
  'WWW-Authenticate',
  'X-Lectern-Kind',
  'X-Lectern-Downloaded',
  'X-Lectern-Notice',
  'X-Total-Count',
];

/** The HTTP app: health without authentication, everything else behind the guards. */
export function httpApp(options: HttpAppOptions): Hono<HttpEnv> {
  const { settings, log } = options;
  const guard = new HostGuard(settings);
  const app = new Hono<HttpEnv>();
  app.use(defaultHeaders);
  app.route('/', healthRoutes(options.readiness, options.isStopping));
  app.use(sourceGuard(guard, new ClientAddress(settings.trustedProxies), options));
  app.use(
    withOrigin(
      cors({
        origin: (origin) => (guard.mayRead(origin) ? origin : null),
        allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        allowHeaders: REQUEST_HEADERS,
        exposeHeaders: RESPONSE_HEADERS,
        maxAge: 600,
      }),
    ),
  );
  const admit = callerGuard(options);
  const mcpRoute = (c: Context<HttpEnv>) => answerMcp(c, c.req.param('catalogue'), admit, options);
  app.all('/mcp', mcpRoute);
  app.all('/mcp/:catalogue', mcpRoute);
  const { all, vaults } = options.served;
  const whole: Offer = {
    operations: all,
    vaults: vaults.length > 1 ? vaults.map(({ name }) => name) : undefined,
  };
  // The description is the same for every caller and needs no authentication, since the source is open. It
  // contains no names of vaults.
  app.get('/openapi.json', (c) => c.json(openApiDocument(whole, options.version)));
  app.use('/v1/*', async (c, next) => (await admit(c)) ?? (await next()));
  app.route('/v1', restRoutes(whole, options));
  app.notFound((c) =>
    c.json(
      {
        error: 'not_found',
        message: 'Nothing is served here.',
        next: 'The MCP endpoint is /mcp; REST is below /v1, described in /openapi.json.',
      },
      404,
    ),
  );
  app.onError((error) => {
    if (isLecternError(error)) {
      log.warn({ err: error }, 'request refused');
      return jsonRpcError(403, -32_000, error.message);
    }
    log.error({ err: error }, 'request failed unexpectedly');
    return jsonRpcError(500, -32_603, 'Internal error.');
  });
  return app;
}

function restRoutes(whole: Offer, { version, log, settings, rest }: HttpAppOptions): Hono<HttpEnv> {
  return restApp<HttpEnv>({
    whole,
    version,
    log,
    maxBodyBytes: settings.maxBodyBytes,
    caller: (c) =>
      rest({ principal: c.get('principal'), address: c.get('address'), agent: c.req.header('user-agent') }),
  });
}

/**
 * Responses must not be cached for others, interpreted as another type, or framed by other pages. Set as
 * Node's default headers, which the response's own override: changing a finished response would mean building
 * it again.
 */
const defaultHeaders: MiddlewareHandler<HttpEnv> = (c, next) => {
  const { outgoing } = c.env;
  outgoing.setHeader('X-Content-Type-Options', 'nosniff');
  outgoing.setHeader('Cache-Control', 'no-store');
  return next();
};

/** Only browsers send an origin, and only they check this response header. */
function withOrigin(middleware: MiddlewareHandler<HttpEnv>): MiddlewareHandler<HttpEnv> {
  return (c, next) => (c.req.raw.headers.has('origin') ? middleware(c, next) : next());
}

function sourceGuard(
  guard: HostGuard,
  addresses: ClientAddress,
  { audit }: HttpAppOptions,
): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const { headers } = c.req.raw;
    const peer = c.env.incoming.socket.remoteAddress ?? '';
    const address = addresses.of(peer, headers.get('x-forwarded-for'));
    c.set('address', address);
    const verdict = guard.check(headers);
    if (verdict !== 'good') {
      audit.append(refused(address, verdict));
      return forbiddenSource(verdict === 'bad_host' ? 'Host' : 'Origin');
    }
    await next();
  };
}

/** Accepts a request, or returns the response that refuses it. */
type Admit = (c: Context<HttpEnv>, rules?: HttpRules) => Promise<Response | undefined>;

function callerGuard({ authenticator, settings, isStopping, audit }: HttpAppOptions): Admit {
  const limiter = new RateLimiter(settings.ratePerMinute);
  return async (c, rules) => {
    if (isStopping()) return shuttingDown();
    const address = c.get('address');
    const result = await authenticator.authenticate(headersWithToken(c.req, rules), address);
    if (isRefusal(result)) {
      audit.append(refused(address, result.code));
      return rules?.refused?.(result.code, result.response, c.req.method) ?? result.response;
    }
    const wait = limiter.take(result.id);
    if (wait > 0) {
      audit.append({ ...refused(address, 'rate_limited'), who: result.name, credential: result.id });
      return tooMany(wait);
    }
    c.set('principal', result);
    return undefined;
  };
}

/** The request's headers, with the token from the query for catalogues whose clients put it there. */
function headersWithToken({ raw }: HonoRequest, rules: HttpRules | undefined): Headers {
  if (rules?.tokenParameter === undefined || raw.headers.has('authorization')) return raw.headers;
  const token = new URL(raw.url).searchParams.get(rules.tokenParameter);
  if (token === null) return raw.headers;
  const headers = new Headers(raw.headers);
  // A value that is invalid in a header is not a token either.
  headers.set('authorization', `Bearer ${encodeURIComponent(token)}`);
  return headers;
}

/** @param name of the catalogue in the path; undefined = the one at `/mcp` */
async function answerMcp(
  c: Context<HttpEnv>,
  name: string | undefined,
  admit: Admit,
  { mcp }: HttpAppOptions,
): Promise<Response> {
  const addressed = await mcp.at(name);
  const refusal = await admit(c, addressed?.identity.protocol.http);
  if (refusal !== undefined) return refusal;
  const caller = { principal: c.get('principal'), address: c.get('address') };
  const { catalogues } = caller.principal.grant;
  const own = name === undefined ? catalogues[0] : undefined;
  const mount = own === undefined ? addressed : await mcp.at(own);
  if (mount === undefined) return c.notFound() as Response;
  const isForCaller = catalogues.length === 0 || catalogues.includes(mount.entry.name);
  if (isForCaller && mcp.isOn(mount)) return await mount.endpoint.handle(c.req.raw, caller, c.env);
  const standard = c.notFound() as Response;
  return mount.identity.protocol.http?.refused?.('disabled', standard, c.req.method) ?? standard;
}

function refused(address: string, code: string) {
  return { time: new Date().toISOString(), event: 'refused', address, outcome: 'refused', code } as const;
}
