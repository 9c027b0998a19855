import { randomUUID } from 'node:crypto';
import { JsonRpcError } from '../catalogues/json-rpc-error.ts';
import type { RpcError } from '../catalogues/protocol.ts';
import { isRecord } from '../is-record.ts';
import type { VaultSession } from '../vault/session.ts';
import { agreedRevision, serverInfoOf } from './handshake.ts';
import { INVALID_REQUEST } from './json-rpc.ts';
import type { McpServerOptions } from './server.ts';
import { callLimit, runToolCall } from './tool-call.ts';
import { toolList } from './tool-list.ts';

/** Limit of messages in a batch: rate limits count batches as one message. */
const MAX_BATCH = 100;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

type Id = string | number | null;

interface RpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: Id;
  readonly result?: object;
  readonly error?: object;
}

/**
 * A JSON-RPC dispatcher for catalogues with a protocol of their own: `initialize`, `ping`, `tools/list` and
 * `tools/call`, each answered independently. The only state between messages is the vault and the calls that
 * can still be cancelled.
 */
export class PlainServer {
  readonly #options: McpServerOptions;
  readonly #sessions = new Map<string | undefined, Promise<VaultSession>>();
  readonly #calls = new Map<Id, AbortController>();
  readonly #connection = randomUUID();
  #client: string;

  /** @param client name of the caller until it names itself */
  constructor(options: McpServerOptions, client = 'unnamed client') {
    this.#options = options;
    this.#client = client;
  }

  /**
   * Answers a message, or the messages of a batch in sequence.
   *
   * @param signal aborted when the client disconnects
   * @returns undefined when no part of it needs an answer
   */
  async answer(body: unknown, signal: AbortSignal): Promise<RpcAnswer | readonly RpcAnswer[] | undefined> {
    if (!Array.isArray(body)) return await this.#one(body, signal);
    if (body.length > MAX_BATCH)
      return failure(null, { code: INVALID_REQUEST, message: `A batch has at most ${MAX_BATCH} messages` });
    const answers: RpcAnswer[] = [];
    for (const message of body) {
      if (signal.aborted) break;
      const answer = await this.#one(message, signal);
      if (answer !== undefined) answers.push(answer);
    }
    return answers.length === 0 ? undefined : answers;
  }

  /** The client has disconnected: its requests need no answers. */
  close(): void {
    for (const call of this.#calls.values()) call.abort();
  }

  async #one(message: unknown, signal: AbortSignal): Promise<RpcAnswer | undefined> {
    const { plain = {} } = this.#options.identity.protocol;
    const invalid = plain.invalidRequest ?? { code: INVALID_REQUEST, message: 'Invalid Request' };
    if (!isRecord(message)) return failure(null, invalid);
    const { id, jsonrpc, method, params } = message;
    const isRequest = id !== undefined;
    if (jsonrpc !== '2.0' || typeof method !== 'string')
      return isRequest ? failure(isId(id) ? id : null, invalid) : undefined;
    if (!isRequest) {
      if (method === 'notifications/cancelled' && isRecord(params)) this.#cancel(params.requestId);
      return undefined;
    }
    if (!isId(id) && !(id === null && plain.answersNullId === true)) return failure(null, invalid);
    return await this.#request(id, method, params, signal);
  }

  async #request(
    id: Id,
    method: string,
    params: unknown,
    signal: AbortSignal,
  ): Promise<RpcAnswer | undefined> {
    const call = new AbortController();
    const abort = () => call.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#calls.set(id, call);
    try {
      const result = await this.#result(method, params, call.signal);
      return call.signal.aborted ? undefined : { jsonrpc: '2.0', id, result };
    } catch (error) {
      // The request was cancelled.
      return call.signal.aborted ? undefined : failure(id, this.#errorOf(error));
    } finally {
      signal.removeEventListener('abort', abort);
      this.#calls.delete(id);
    }
  }

  async #result(method: string, params: unknown, signal: AbortSignal): Promise<object> {
    const { identity, version, catalogue } = this.#options;
    const { protocol, instructions } = identity;
    switch (method) {
      case 'initialize':
        this.#introduce(params);
        return {
          protocolVersion: agreedRevision(protocol, isRecord(params) ? params.protocolVersion : undefined),
          capabilities: protocol.capabilities,
          serverInfo: serverInfoOf(identity, version),
          ...(instructions !== undefined && { instructions }),
        };
      case 'ping':
        return {};
      case 'tools/list':
        return toolList(await catalogue());
      case 'tools/call':
        return await this.#call(params, signal);
      default: {
        const { unknownMethod } = protocol.plain ?? {};
        const { code, message, data } = unknownMethod?.(method) ?? {
          code: METHOD_NOT_FOUND,
          message: 'Method not found',
        };
        throw new JsonRpcError(code, message, data);
      }
    }
  }

  async #call(params: unknown, signal: AbortSignal): Promise<object> {
    const { identity, catalogue } = this.#options;
    if (!isRecord(params) || typeof params.name !== 'string') {
      const { code, message, data } = identity.protocol.plain?.invalidCall ?? {
        code: INVALID_PARAMS,
        message: 'Invalid params',
      };
      throw new JsonRpcError(code, message, data);
    }
    const { name, arguments: given = {} } = params;
    const outcome = await runToolCall(
      {
        catalogue: await catalogue(),
        name,
        arguments: given,
        vault: (vault) => this.#session(vault),
        context: { signal, progress: () => {} },
      },
      { ...this.#options, callLimitMs: callLimit(this.#options) },
    );
    if (outcome.kind === 'answer') return outcome.answer;
    throw new Error('A question was asked where there is nobody to answer it.');
  }

  #errorOf(error: unknown): RpcError {
    if (error instanceof JsonRpcError) return error;
    this.#options.log.error({ err: error }, 'request failed unexpectedly');
    const { internal } = this.#options.identity.protocol.plain ?? {};
    return internal?.(error) ?? { code: INTERNAL_ERROR, message: 'Internal error' };
  }

  async #session(name: string | undefined): Promise<VaultSession> {
    const vault = name ?? (await this.#options.catalogue()).vaults?.[0];
    const known = this.#sessions.get(vault);
    if (known !== undefined) return await known;
    const caller = this.#options.caller?.(this.#client) ?? { name: this.#client, session: this.#connection };
    const opened = this.#options.vault({ kind: 'mcp', ...caller }, vault).catch((error: unknown) => {
      this.#sessions.delete(vault);
      throw error;
    });
    this.#sessions.set(vault, opened);
    return await opened;
  }

  #introduce(params: unknown): void {
    const info = isRecord(params) ? params.clientInfo : undefined;
    if (isRecord(info) && typeof info.name === 'string' && info.name !== '')
      this.#client = info.name.slice(0, 100);
  }

  #cancel(id: unknown): void {
    if (isId(id)) this.#calls.get(id)?.abort(new DOMException('Cancelled by the client.', 'AbortError'));
  }
}

function failure(id: Id, { code, message, data }: RpcError): RpcAnswer {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
