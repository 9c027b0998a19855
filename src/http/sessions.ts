import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/grant.ts';
import type { RpcId } from '../mcp/json-rpc.ts';
import { invalidRequests } from './answers.ts';
import { SessionEvents } from './event-store.ts';
import { requestIds } from './malformed.ts';

export interface SessionsOptions {
  readonly idleMs: number;
  readonly maxSessions: number;
  readonly onError: (error: Error) => void;
  readonly now?: () => number;
}

/** Time, ms, after which a client whose stream ended should reconnect for the rest. */
const RETRY_MS = 1000;

function idsInUse(ids: readonly RpcId[], isBatch: boolean): Response {
  const message = 'Invalid request: this id is still in use by a request in flight.';
  return invalidRequests(
    ids.map((id) => ({ id, message })),
    isBatch,
  );
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly principal: Principal;
  lastUsed: number;
  /** Requests and streams that are open now. */
  open: number;
  /** Ids of the requests among them. */
  readonly ids: Set<RpcId>;
}

/**
 * Sessions of clients of revision 2025-11-25 and older. A session belongs to the credential that opened it:
 * for any other caller it does not exist.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #now: () => number;
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session with an `initialize` request; a request that is not one leaves nothing behind. */
  async open(request: Request, body: unknown, principal: Principal, server: Server): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new SessionEvents(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        this.#makeRoom();
        this.#sessions.set(id, { transport, principal, lastUsed: this.#now(), open: 0, ids: new Set() });
      },
    });
    await server.connect(transport);
    // The protocol layer has set its own handlers in connect; these run before them.
    const { onclose } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      onclose?.();
    };
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /**
   * @param onClosed registers a callback for when the response was sent or aborted
   * @returns undefined when there is no such session
   */
  async handle(
    request: Request,
    body: unknown,
    principal: Principal,
    onClosed: (done: () => void) => void,
  ): Promise<Response | undefined> {
    const id = request.headers.get('mcp-session-id') ?? '';
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal.id !== principal.id) return undefined;
    const ids = requestIds(body);
    // The later request would take over the stream of the earlier one, which would never be answered.
    const inUse = ids.filter((each) => session.ids.has(each));
    if (inUse.length > 0) return idsInUse(inUse, Array.isArray(body));
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.lastUsed = this.#now();
    session.open++;
    for (const each of ids) session.ids.add(each);
    onClosed(() => {
      session.open--;
      for (const each of ids) session.ids.delete(each);
      session.lastUsed = this.#now();
    });
    return await session.transport.handleRequest(request, { parsedBody: body });
  }

  /** Ends sessions unused for long, and those whose credential is no longer valid. */
  async sweep(stillWorks: (principal: Principal) => boolean): Promise<void> {
    const before = this.#now() - this.#options.idleMs;
    const over = [...this.#sessions.values()].filter(
      ({ open, lastUsed, principal }) => (open === 0 && lastUsed <= before) || !stillWorks(principal),
    );
    await Promise.all(over.map((session) => this.#end(session)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  #makeRoom(): void {
    if (this.#sessions.size < this.#options.maxSessions) return;
    const all = [...this.#sessions.values()];
    const oldest = all.find((session) => session.open === 0) ?? all[0];
    if (oldest !== undefined) void this.#end(oldest);
  }

  async #end({ transport }: Session): Promise<void> {
    if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    try {
      await transport.close();
    } catch (error) {
      this.#options.onError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
