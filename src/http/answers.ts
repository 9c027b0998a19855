/** JSON-RPC codes that the SDK's transports use for what happens below the protocol. */
const TRANSPORT_ERROR = -32_000;
const SESSION_NOT_FOUND = -32_001;
const PARSE_ERROR = -32_700;

export function jsonRpcError(
  status: number,
  code: number,
  message: string,
  headers?: Record<string, string>,
): Response {
  return Response.json(
    { jsonrpc: '2.0', error: { code, message }, id: null },
    { status, ...(headers && { headers }) },
  );
}

export function badRequest(message: string): Response {
  return jsonRpcError(400, TRANSPORT_ERROR, message);
}

export function parseError(): Response {
  return jsonRpcError(400, PARSE_ERROR, 'Parse error: the body is not JSON.');
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

/** The status that makes a client initialise again. */
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
