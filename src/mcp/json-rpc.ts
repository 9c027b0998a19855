import type { JSONRPCMessage } from '@modelcontextprotocol/server';

export type RpcId = string | number;

export type Decoded =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'batch'; readonly items: readonly unknown[] }
  /** To be answered with this error; `id` is null when the message had none that can be trusted. */
  | { readonly kind: 'error'; readonly id: RpcId | null; readonly code: number; readonly message: string };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

/** Decodes one line: a JSON-RPC 2.0 message, a batch of them, or what to answer to anything else. */
export function decodeLine(text: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'error', id: null, code: PARSE_ERROR, message: 'Parse error: the line is not JSON.' };
  }
  return Array.isArray(value) && value.length > 0 ? { kind: 'batch', items: value } : decodeMessage(value);
}

/** Checks the shape of one message; its content is the protocol layer's business. */
export function decodeMessage(value: unknown): Decoded {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(null, 'not an object');
  const record = value as Record<string, unknown>;
  const id = isId(record.id) ? record.id : undefined;
  if (record.jsonrpc !== '2.0') return invalid(id ?? null, 'jsonrpc must be "2.0"');
  if ('id' in record && id === undefined) return invalid(null, 'id must be a string or an integer');
  if (typeof record.method === 'string') {
    if (record.params !== undefined && (typeof record.params !== 'object' || record.params === null)) {
      return invalid(id ?? null, 'params must be an object');
    }
    return { kind: 'message', message: value as JSONRPCMessage };
  }
  if (id !== undefined && ('result' in record || 'error' in record)) {
    return { kind: 'message', message: value as JSONRPCMessage };
  }
  return invalid(id ?? null, 'neither a request nor a response');
}

function invalid(id: RpcId | null, why: string): Decoded {
  return { kind: 'error', id, code: INVALID_REQUEST, message: `Invalid request: ${why}.` };
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value));
}

/** The id of a request, or undefined for notifications and responses. */
export function requestId(message: JSONRPCMessage): RpcId | undefined {
  return 'method' in message && 'id' in message && isId(message.id) ? message.id : undefined;
}

/** The id a response answers, or undefined for requests and notifications. */
export function answeredId(message: JSONRPCMessage): RpcId | undefined {
  return !('method' in message) && 'id' in message && isId(message.id) ? message.id : undefined;
}

/** The id a `notifications/cancelled` takes back. */
export function cancelledId(message: JSONRPCMessage): RpcId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return isId(id) ? id : undefined;
}
