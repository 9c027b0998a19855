import type { HttpBindings } from '@hono/node-server';
import type { HttpRefusal } from '../catalogues/protocol.ts';
import { PlainServer } from '../mcp/plain-server.ts';
import { badRequest, jsonRpcError, parseError, tooLarge } from './answers.ts';
import type { Caller, Endpoint, EndpointOptions } from './endpoint.ts';
import { requestText } from './request-text.ts';

/** `POST` for catalogues with a dispatcher of their own: one JSON body there, one back, no sessions and no streams. */
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
      );
    let text: string | undefined;
    try {
      text = await requestText(incoming, maxBodyBytes);
    } catch (error) {
      if (error instanceof TypeError) return this.#refuse('not_json', parseError('the body is not UTF-8'));
      return badRequest('The body did not arrive.');
    }
    if (text === undefined) return this.#refuse('too_large', tooLarge(maxBodyBytes));
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return this.#refuse('not_json', parseError('the body is not JSON'));
    }
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

  #refuse(why: HttpRefusal, standard: Response): Response {
    return this.#options.identity.protocol.http?.refused?.(why, standard) ?? standard;
  }
}
