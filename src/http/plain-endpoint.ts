import type { HttpBindings } from '@hono/node-server';
import type { HttpRefusal } from '../catalogues/protocol.ts';
import { PlainServer } from '../mcp/plain-server.ts';
import { jsonRpcError } from './answers.ts';
import type { Caller, Endpoint, EndpointOptions } from './endpoint.ts';
import { requestJson } from './request-json.ts';

/** `POST` for catalogues with a dispatcher of their own: one JSON body in, one out, no sessions and no streams. */
export class PlainEndpoint implements Endpoint {
  readonly sessions = { size: 0 };
  readonly #options: EndpointOptions;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  async handle(
    request: Request,
    caller: Caller,
    { incoming, outgoing }: Pick<HttpBindings, 'incoming' | 'outgoing'>,
  ): Promise<Response> {
    const { maxBodyBytes, exchanges, identity, optionsFor, stepUp } = this.#options;
    if (request.method !== 'POST')
      return this.#refuse(
        'wrong_method',
        jsonRpcError(405, -32_000, 'Method not allowed.', { Allow: 'POST' }),
        request,
      );
    const sent = await requestJson(incoming, maxBodyBytes);
    if (sent.kind === 'refused') return this.#refuse(sent.why, sent.response, request);
    const { body } = sent;
    const refused = await stepUp(caller, body);
    if (refused !== undefined) return refused;
    const done = exchanges.begin();
    outgoing.once('close', done);
    const agent = request.headers.get('user-agent')?.slice(0, 100);
    const server = new PlainServer(optionsFor(caller), agent || undefined);
    const answer = await server.answer(body, request.signal);
    if (answer === undefined)
      return new Response(null, { status: identity.protocol.http?.nothingToSay ?? 202 });
    return Response.json(answer);
  }

  async sweep(): Promise<void> {}

  async close(): Promise<void> {}

  #refuse(why: HttpRefusal, standard: Response, { method }: Request): Response {
    return this.#options.identity.protocol.http?.refused?.(why, standard, method) ?? standard;
  }
}
