import { isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from '../is-record.ts';

/**
 * Whether a request belongs to a revision before 2026-07-28. That is the SDK's decision; asking it is to check
 * the message against three schemas, which the stateless era's handler does once more anyhow. So it is only asked when the
 * answer is not plain to see.
 */
export async function isLegacy(request: Request, body: unknown): Promise<boolean> {
  return !claimsStateless(body) && (await isLegacyRequest(request, body));
}

/** A message that names its own revision, as every one of the stateless era does; of those before, none does. */
function claimsStateless(body: unknown): boolean {
  if (!isRecord(body) || typeof body.method !== 'string' || body.method === 'initialize') return false;
  // With one of these it may pass for an answer, which has no revision.
  if ('result' in body || 'error' in body || !isRecord(body.params)) return false;
  const { _meta: meta } = body.params;
  return isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta;
}
