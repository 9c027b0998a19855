import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { isRecord } from '../is-record.ts';
import { hasTooManyValues, idOf, MESSAGE_VALUES } from './json-values.ts';

export type RpcId = string | number;

export type Decoded =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'batch'; readonly items: readonly unknown[] }
  /** Must be answered with this error; `id` is null when the message had no valid one. */
  | { readonly kind: 'error'; readonly id: RpcId | null; readonly code: number; readonly message: string }
  /** An error response with an unknown id: answering it with an error could loop forever. */
  | { readonly kind: 'ignored' };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

/** Decodes one line: a JSON-RPC 2.0 message, a batch, or the error to answer with. */
export function decodeLine(text: string): Decoded {
  if (hasTooManyValues(text)) {
    const id = idOf(text);
    return invalid(isId(id) ? id : null, `more than ${MESSAGE_VALUES} values`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'error', id: null, code: PARSE_ERROR, message: 'Parse error: the line is not JSON.' };
  }
  return Array.isArray(value) && value.length > 0 ? { kind: 'batch', items: value } : decodeMessage(value);
}

/**
 * Checks the shape of one message as strictly as the protocol layer, which drops malformed messages without
 * an answer. Parameters are checked by that layer.
 */
export function decodeMessage(value: unknown): Decoded {
  if (!isRecord(value)) return invalid(null, 'not an object');
  const id = isId(value.id) ? value.id : null;
  const isAnswer = !('method' in value) && ('result' in value || 'error' in value);
  const problem = isAnswer ? answerProblem(value, id !== null) : callProblem(value, id !== null);
  if (problem === undefined) return { kind: 'message', message: value as unknown as JSONRPCMessage };
  if (!isAnswer) return invalid(id, problem);
  // The id of a response was assigned by the server, not the client.
  return 'error' in value ? { kind: 'ignored' } : invalid(null, problem);
}

function callProblem(value: Readonly<Record<string, unknown>>, hasId: boolean): string | undefined {
  if (value.jsonrpc !== '2.0') return VERSION_PROBLEM;
  if ('id' in value && !hasId) return ID_PROBLEM;
  if (!('method' in value)) return 'neither a request nor a response';
  if (typeof value.method !== 'string') return 'method must be a string';
  return extraKey(value, CALL_KEYS) ?? paramsProblem(value.params);
}

function answerProblem(value: Readonly<Record<string, unknown>>, hasId: boolean): string | undefined {
  if (value.jsonrpc !== '2.0') return VERSION_PROBLEM;
  if ('id' in value ? !hasId : 'result' in value) return ID_PROBLEM;
  return extraKey(value, 'result' in value ? RESULT_KEYS : ERROR_KEYS) ?? outcomeProblem(value);
}

const VERSION_PROBLEM = 'jsonrpc must be "2.0"';
const ID_PROBLEM = 'id must be a string or an integer';

const CALL_KEYS: readonly string[] = ['jsonrpc', 'id', 'method', 'params'];
const RESULT_KEYS: readonly string[] = ['jsonrpc', 'id', 'result'];
const ERROR_KEYS: readonly string[] = ['jsonrpc', 'id', 'error'];

function extraKey(value: object, known: readonly string[]): string | undefined {
  const extra = Object.keys(value).find((key) => !known.includes(key));
  return extra === undefined ? undefined : `unknown key ${JSON.stringify(extra.slice(0, 60))}`;
}

function paramsProblem(params: unknown): string | undefined {
  if (params === undefined) return undefined;
  if (!isRecord(params)) return 'params must be an object';
  const { _meta: meta } = params;
  if (meta === undefined) return undefined;
  if (!isRecord(meta)) return 'params._meta must be an object';
  if (meta.progressToken !== undefined && !isId(meta.progressToken))
    return 'params._meta.progressToken must be a string or an integer';
  const task = meta[RELATED_TASK];
  if (task !== undefined && !(isRecord(task) && typeof task.taskId === 'string'))
    return `params._meta["${RELATED_TASK}"] must be an object with taskId`;
  return undefined;
}

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

function outcomeProblem({ result, error }: Readonly<Record<string, unknown>>): string | undefined {
  if (error === undefined) {
    if (!isRecord(result)) return 'result must be an object';
    return result._meta === undefined || isRecord(result._meta)
      ? undefined
      : 'result._meta must be an object';
  }
  const isError = isRecord(error) && Number.isSafeInteger(error.code) && typeof error.message === 'string';
  return isError ? undefined : 'error must be an object with code and message';
}

function invalid(id: RpcId | null, why: string): Decoded {
  return { kind: 'error', id, code: INVALID_REQUEST, message: `Invalid request: ${why}.` };
}

/** An integer beyond a double's precision would be answered with another number. */
function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** The id of a request, or undefined for notifications and responses. */
export function requestId(message: JSONRPCMessage): RpcId | undefined {
  return 'method' in message && 'id' in message && isId(message.id) ? message.id : undefined;
}

/** The id a response answers, or undefined for requests and notifications. */
export function answeredId(message: JSONRPCMessage): RpcId | undefined {
  return !('method' in message) && 'id' in message && isId(message.id) ? message.id : undefined;
}

/** The id of the request that a `notifications/cancelled` cancels. */
export function cancelledId(message: JSONRPCMessage): RpcId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return isId(id) ? id : undefined;
}
