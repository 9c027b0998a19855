import type { HttpBindings } from '@hono/node-server';
import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server';
import type { Principal } from '../auth/grant.ts';
import type { HttpRefusal } from '../catalogues/protocol.ts';
import { isRecord } from '../is-record.ts';
import { serveConnection } from '../mcp/connection.ts';
import { createMcpServer } from '../mcp/server.ts';
import { collectJson, readable } from './accept.ts';
import { badRequest, invalidParams, methodNotAllowed, sessionNotFound, wrongMediaType } from './answers.ts';
import type { Caller, Endpoint, EndpointOptions } from './endpoint.ts';
import { isLegacy } from './era.ts';
import { isListen, ListenStreams, listenRequest } from './listen-streams.ts';
import { malformedAnswer, requestIds } from './malformed.ts';
import { requestJson } from './request-json.ts';
import { Sessions } from './sessions.ts';

const INITIALIZE_PARAMS =
  'Invalid params for initialize: protocolVersion must be a text, capabilities an object, clientInfo an object with name and version.';

const NO_SESSION = 'No session: send initialize first, then its Mcp-Session-Id with every request.';

/** Interval of keep-alive messages on an SSE stream, ms: proxies close idle connections after 30 s and more. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Streamable HTTP in both protocol eras: stateless for 2026-07-28 where the catalogue supports it, with
 * sessions for 2025-11-25 and older. The SDK decides which era a request belongs to.
 */
export class McpEndpoint implements Endpoint {
  readonly sessions: Sessions;
  readonly listens = new ListenStreams();
  readonly #options: EndpointOptions;
  readonly #modern: ReturnType<typeof createMcpHandler>;

  constructor(options: EndpointOptions) {
    const { optionsFor, onError, maxBodyBytes } = options;
    this.#options = options;
    this.sessions = new Sessions({
      idleMs: options.sessionIdleMs,
      maxSessions: options.maxSessions,
      onError,
    });
    this.#modern = createMcpHandler(({ authInfo }) => createMcpServer(optionsFor(callerOf(authInfo))), {
      legacy: 'reject',
      keepAliveMs: KEEP_ALIVE_MS,
      maxRequestBodySize: maxBodyBytes,
      onerror: onError,
    });
  }

  /** @param bindings Node's own request and response */
  async handle(
    request: Request,
    caller: Caller,
    { incoming, outgoing }: Pick<HttpBindings, 'incoming' | 'outgoing'>,
  ): Promise<Response> {
    const onClosed = (done: () => void) => void outgoing.once('close', done);
    switch (request.method) {
      case 'POST':
        return await this.#post(request, incoming, caller, onClosed);
      case 'GET':
      case 'DELETE':
        // Without sessions there is no stream to open and none to delete.
        if (!request.headers.has('mcp-session-id'))
          return this.#refuse('wrong_method', methodNotAllowed(), request);
        return await this.#inSession(readable(request).request, undefined, caller, onClosed);
      default:
        return this.#refuse('wrong_method', methodNotAllowed(), request);
    }
  }

  /** Ends every stream and session; call it when no request is in progress. */
  async close(): Promise<void> {
    await Promise.all([this.sessions.close(), this.listens.close(), this.#modern.close()]);
  }

  /** Ends unused sessions, and those whose credential is no longer valid. */
  async sweep(stillWorks: (principal: Principal) => boolean): Promise<void> {
    await Promise.all([this.sessions.sweep(stillWorks), this.listens.sweep(stillWorks)]);
  }

  /** @param onClosed registers a callback for when the response was sent or aborted */
  async #post(
    request: Request,
    incoming: HttpBindings['incoming'],
    caller: Caller,
    onClosed: (done: () => void) => void,
  ): Promise<Response> {
    if (!isJsonContentType(request.headers.get('content-type')))
      return this.#refuse('wrong_media_type', wrongMediaType(), request);
    const sent = await requestJson(incoming, this.#options.maxBodyBytes);
    if (sent.kind === 'refused') return this.#refuse(sent.why, sent.response, request);
    const { body } = sent;
    const malformed = malformedAnswer(body);
    if (malformed !== undefined) return malformed;
    const refused = await this.#options.stepUp(caller, body);
    if (refused !== undefined) return refused;
    if (!isListen(body)) onClosed(this.#options.exchanges.begin());
    const { stateless } = this.#options.identity.protocol;
    if (stateless && !(await isLegacy(request, body))) {
      const listen = listenRequest(request, body);
      if (listen !== undefined) return this.#listen(listen, caller);
      return await this.#modern.fetch(request, { parsedBody: body, authInfo: authInfoOf(caller) });
    }
    const { request: forwarded, form } = readable(request);
    const response = await this.#legacy(forwarded, body, caller, onClosed);
    return form === 'json' ? await collectJson(response, Array.isArray(body)) : response;
  }

  #refuse(why: HttpRefusal, standard: Response, { method }: Request): Response {
    return this.#options.identity.protocol.http?.refused?.(why, standard, method) ?? standard;
  }

  async #inSession(
    request: Request,
    body: unknown,
    { principal }: Caller,
    onClosed: (done: () => void) => void,
  ): Promise<Response> {
    const response = await this.sessions.handle(request, body, principal, onClosed);
    if (response === undefined) return this.#refuse('no_session', sessionNotFound(), request);
    const { sessionEnded = response.status } = this.#options.identity.protocol.http ?? {};
    if (request.method !== 'DELETE' || response.status !== 200) return response;
    return new Response(null, { status: sessionEnded });
  }

  /** The SDK would use one bus for all subscriptions, but callers may see different changes. */
  #listen(request: JSONRPCRequest, caller: Caller): Response {
    const options = this.#options.optionsFor(caller);
    return this.listens.serve(request, caller.principal, KEEP_ALIVE_MS, (transport) =>
      serveConnection(transport, options),
    );
  }

  async #legacy(
    request: Request,
    body: unknown,
    caller: Caller,
    onClosed: (done: () => void) => void,
  ): Promise<Response> {
    if (request.headers.has('mcp-session-id')) {
      return await this.#inSession(request, body, caller, onClosed);
    }
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (!messages.some((message) => isInitializeRequest(message))) {
      const [id = null] = requestIds(body);
      return isRecord(body) && body.method === 'initialize'
        ? invalidParams(INITIALIZE_PARAMS, id)
        : this.#refuse('no_session', badRequest(NO_SESSION, id), request);
    }
    const server = createMcpServer(this.#options.optionsFor(caller));
    return await this.sessions.open(request, body, caller.principal, server);
  }
}

/** The SDK passes this to the factory; it is not sent to a client. */
function authInfoOf(caller: Caller): AuthInfo {
  const { id, grant } = caller.principal;
  return { token: '', clientId: id, scopes: [...grant.scopes], extra: { caller } };
}

function callerOf(authInfo: AuthInfo | undefined): Caller {
  const caller = authInfo?.extra?.caller;
  if (caller === undefined) throw new Error('A request without a caller reached the protocol layer.');
  return caller as Caller;
}
