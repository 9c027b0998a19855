import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Principal } from '../auth/grant.ts';
import { isRecord } from '../is-record.ts';
import { STATELESS_REVISION } from '../mcp/handshake.ts';
import { tooMany } from './answers.ts';

/** One `subscriptions/listen` request as a connection of its own, whose messages are sent as events (SSE). */
class ListenTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly response: Response;
  readonly #request: JSONRPCRequest;
  readonly #encoder = new TextEncoder();
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(request: JSONRPCRequest, keepAliveMs: number) {
    this.#request = request;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stream = controller;
      },
      cancel: () => this.close(),
    });
    this.#keepAlive = setInterval(() => this.#write(': keepalive\n\n'), keepAliveMs);
    this.response = new Response(body, {
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
      },
    });
  }

  async start(): Promise<void> {
    queueMicrotask(() => this.onmessage?.(this.#request));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    // The answer to the request ends the stream.
    if (!('method' in message) && 'id' in message && message.id === this.#request.id) await this.close();
  }

  async close(): Promise<void> {
    if (this.#stream === undefined) return;
    const stream = this.#stream;
    this.#stream = undefined;
    clearInterval(this.#keepAlive);
    try {
      stream.close();
    } catch {
      // The client has disconnected: nothing is left to close.
    }
    this.onclose?.();
  }

  #write(text: string): void {
    this.#stream?.enqueue(this.#encoder.encode(text));
  }
}

/** The request, when headers and body agree; other requests are refused by the SDK. */
export function listenRequest(request: Request, body: unknown): JSONRPCRequest | undefined {
  if (!isListen(body)) return undefined;
  const meta = isRecord(body.params) && isRecord(body.params._meta) ? body.params._meta : {};
  const good =
    body.jsonrpc === '2.0' &&
    (typeof body.id === 'string' || Number.isInteger(body.id)) &&
    request.headers.get('mcp-protocol-version') === STATELESS_REVISION &&
    request.headers.get('mcp-method') === 'subscriptions/listen' &&
    meta[PROTOCOL_VERSION_META_KEY] === STATELESS_REVISION &&
    isRecord(meta[CLIENT_CAPABILITIES_META_KEY]);
  return good ? (body as unknown as JSONRPCRequest) : undefined;
}

export function isListen(body: unknown): body is Record<string, unknown> {
  return isRecord(body) && body.method === 'subscriptions/listen';
}

interface Connection {
  close(): Promise<void>;
}

/** A client needs one or two at a time; more are abandoned ones. */
const MAX_PER_PRINCIPAL = 50;

/** The open subscriptions of revision 2026-07-28. */
export class ListenStreams {
  readonly #open = new Map<Connection, Principal>();

  /** @param connect lets the protocol layer serve the request over the transport */
  serve(
    request: JSONRPCRequest,
    principal: Principal,
    keepAliveMs: number,
    connect: (transport: Transport) => Connection,
  ): Response {
    const mine = [...this.#open.values()].filter(({ id }) => id === principal.id).length;
    if (mine >= MAX_PER_PRINCIPAL) return tooMany(60);
    const transport = new ListenTransport(request, keepAliveMs);
    const connection = connect(transport);
    this.#open.set(connection, principal);
    const { onclose } = transport;
    transport.onclose = () => {
      this.#open.delete(connection);
      onclose?.();
    };
    return transport.response;
  }

  /** Ends those whose credential is no longer valid. */
  async sweep(stillWorks: (principal: Principal) => boolean): Promise<void> {
    await this.#end([...this.#open].filter(([, principal]) => !stillWorks(principal)));
  }

  async close(): Promise<void> {
    await this.#end([...this.#open]);
  }

  async #end(over: readonly (readonly [Connection, Principal])[]): Promise<void> {
    await Promise.all(
      over.map(async ([connection]) => {
        this.#open.delete(connection);
        await connection.close();
      }),
    );
  }
}
