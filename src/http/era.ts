import { isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from '../is-record.ts';

/**
 * Whether a request belongs to a revision before 2026-07-28. The SDK decides that by checking the message
 * against three schemas, which the handler of the stateless era does again; so the SDK is asked only when a
 * simple check is not sufficient.
 */
export async function isLegacy(request: Request, body: unknown): Promise<boolean> {
  return !claimsStateless(body) && (await isLegacyRequest(request, body));
}

/** A message that names its revision, as every message of the stateless era does and no earlier one. */
function claimsStateless(body: unknown): boolean {
  if (!isRecord(body) || typeof body.method !== 'string' || body.method === 'initialize') return false;
  // With one of these members it may be a response, which has no revision.
  if ('result' in body || 'error' in body || !isRecord(body.params)) return false;
  const { _meta: meta } = body.params;
  return isRecord(meta) && PROTOCOL_VERSION_META_KEY in meta;
}
