import { decodeMessage, type RpcId, requestId } from '../mcp/json-rpc.ts';
import { invalidRequests } from './answers.ts';

/**
 * The errors for a body that the protocol layer would drop or refuse without naming its id: a malformed
 * message, or a batch that contains one. Nothing of such a batch is done, and every id in it is answered.
 *
 * @returns undefined for a well-formed message or batch
 */
export function malformedAnswer(body: unknown): Response | undefined {
  const decoded = (isBatch(body) ? body : [body]).map(decodeMessage);
  const ids = decoded.flatMap((item) => (item.kind === 'message' ? (requestId(item.message) ?? []) : []));
  const isTwice = new Set(ids).size < ids.length;
  const errors = decoded.flatMap((item) => (item.kind === 'error' ? [item] : []));
  if (errors.length === 0 && !isTwice) return undefined;
  const why = isTwice ? 'an id is in the batch twice' : 'another message of the batch is not in order';
  const others = [...new Set(ids)].map((id) => ({
    id,
    message: `Invalid request: ${why}; nothing of it was done.`,
  }));
  return invalidRequests([...errors, ...others], isBatch(body));
}

/** The ids of the requests in a body. */
export function requestIds(body: unknown): readonly RpcId[] {
  return (isBatch(body) ? body : [body]).flatMap((message) => {
    const decoded = decodeMessage(message);
    return decoded.kind === 'message' ? (requestId(decoded.message) ?? []) : [];
  });
}

function isBatch(body: unknown): body is readonly unknown[] {
  return Array.isArray(body) && body.length > 0;
}
