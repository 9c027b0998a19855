import {
  isJSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import { isRecord } from '../is-record.ts';
import { STATELESS_REVISION } from './handshake.ts';
import { isMissingResource } from './resource-errors.ts';

/** "Resource not found" up to 2025-11-25; the stateless revision says -32602 instead. */
const RESOURCE_NOT_FOUND = -32_002;

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/**
 * The SDK's low-level server, with two corrections: the SDK answers invalid parameters with an internal
 * error, and a missing resource with the newest revision's code in every revision.
 */
export class ProtocolServer extends Server {
  /** Requests that a dialect answers with that code, which the SDK would replace by the newest revision's. */
  readonly #notFound = new Set<unknown>();

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, (request, context) => {
      let answer: Promise<Result>;
      try {
        answer = handler(request, context);
      } catch (error) {
        // Before the asynchronous work of the handler only the parameters are checked.
        throw error instanceof ProtocolError ? error : invalidParams(method, error);
      }
      return answer;
    });
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        if (error instanceof ProtocolError && error.code === RESOURCE_NOT_FOUND)
          this.#notFound.add(context.mcpReq.id);
        const isCheck =
          error instanceof ProtocolError && error.message.startsWith(`Invalid ${method} request: [`);
        throw isCheck ? invalidParams(method, error) : error;
      }
    };
  }

  override async connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(this.#inItsRevision(message), options);
    await super.connect(transport);
  }

  #inItsRevision(message: JSONRPCMessage): JSONRPCMessage {
    const isNotFound = 'id' in message && this.#notFound.delete(message.id);
    if (this.getNegotiatedProtocolVersion() === STATELESS_REVISION) return message;
    if (!isJSONRPCErrorResponse(message) || message.error.code !== ProtocolErrorCode.InvalidParams)
      return message;
    if (!isNotFound && !isMissingResource(message.error.data)) return message;
    return { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } };
  }
}

/** The SDK's message is a JSON list of the invalid parameters. */
function invalidParams(method: string, error: unknown): ProtocolError {
  const text = error instanceof Error ? error.message : '';
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Invalid params for ${method}${problemsIn(text.slice(Math.max(0, text.indexOf('['))))}.`,
  );
}

function problemsIn(json: string): string {
  let issues: unknown;
  try {
    issues = JSON.parse(json);
  } catch {
    return '';
  }
  if (!Array.isArray(issues)) return '';
  const said = issues
    .filter(isRecord)
    .slice(0, 5)
    .map(({ path, message }) => `${Array.isArray(path) ? path.join('.') : 'params'}: ${String(message)}`);
  return said.length === 0 ? '' : `: ${said.join('; ').slice(0, 500)}`;
}
