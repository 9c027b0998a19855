import { INVALID_REQUEST, PARSE_ERROR, type RpcId } from '../mcp/json-rpc.ts';

/** JSON-RPC codes that the SDK's transports use for errors below the protocol. */
const TRANSPORT_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;
const INVALID_PARAMS = -32_602;

/** @param id of the request that is answered; null = it has none, or it is unknown */
export function jsonRpcError(
  status: number,
  code: number,
  message: string,
  headers?: Record<string, string>,
  id: RpcId | null = null,
): Response {
  return Response.json(errorMessage(code, message, id), { status, ...(headers && { headers }) });
}

function errorMessage(code: number, message: string, id: RpcId | null): object {
  return { jsonrpc: '2.0', error: { code, message }, id };
}

export function badRequest(message: string, id: RpcId | null = null): Response {
  return jsonRpcError(400, TRANSPORT_ERROR, message, undefined, id);
}

export function invalidParams(message: string, id: RpcId | null): Response {
  return jsonRpcError(400, INVALID_PARAMS, message, undefined, id);
}

/** The errors of a message, or of each message of a batch, which are answered as an array. */
export function invalidRequests(
  problems: readonly { readonly id: RpcId | null; readonly message: string }[],
  isBatch: boolean,
): Response {
  const errors = problems.map(({ id, message }) => errorMessage(INVALID_REQUEST, message, id));
  return Response.json(isBatch ? errors : errors[0], { status: 400 });
}

export function parseError(why: string): Response {
  return jsonRpcError(400, PARSE_ERROR, `Parse error: ${why}.`);
}

export function wrongMediaType(): Response {
  return jsonRpcError(415, TRANSPORT_ERROR, 'Unsupported media type: send application/json.');
}

export function tooLarge(maxBytes: number): Response {
  return jsonRpcError(413, TRANSPORT_ERROR, `The body is larger than ${maxBytes} bytes.`);
}

export function methodNotAllowed(): Response {
  return jsonRpcError(405, TRANSPORT_ERROR, 'Method not allowed.', { Allow: 'GET, POST, DELETE' });
}

/** The status on which a client initializes again. */
export function sessionNotFound(): Response {
  return jsonRpcError(404, SESSION_NOT_FOUND, 'Session not found: initialize again.');
}

export function forbiddenSource(what: 'Host' | 'Origin'): Response {
  return jsonRpcError(403, TRANSPORT_ERROR, `This ${what} is not served here.`);
}

export function tooMany(retryAfter: number): Response {
  return jsonRpcError(429, TRANSPORT_ERROR, `Too many requests: wait ${retryAfter} s.`, {
    'Retry-After': String(retryAfter),
  });
}

export function shuttingDown(): Response {
  return jsonRpcError(503, TRANSPORT_ERROR, 'The server is shutting down.', {
    'Retry-After': '5',
    Connection: 'close',
  });
}
