import { decodeMessage, type RpcId, requestId } from '../mcp/json-rpc.ts';
import { invalidRequests } from './answers.ts';

/**
 * What to answer to a body that the protocol layer would drop or refuse without naming its id: a message that is not
 * well-formed, or a batch with one. Of such a batch nothing is done, and every id in it is answered.
 *
 * @returns undefined for a message, or a batch of messages, in good order
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
