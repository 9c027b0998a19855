import { type Grant, type Principal, VAULT_SCOPES } from '../auth/grant.ts';
import type { Catalogue } from '../catalogues/catalogue.ts';

/**
 * The tool that a client with an OAuth token calls beyond its scopes, if any: the client can request more
 * from the owner (RFC 6750 §3.1). Only for tools that the owner serves and has not denied to this grant by
 * name; a token from the command line cannot request more.
 *
 * @param catalogueFor what is offered to a grant
 */
export async function needsMoreScope(
  body: unknown,
  principal: Principal,
  catalogueFor: (grant: Grant) => Promise<Catalogue>,
): Promise<string | undefined> {
  if (principal.kind !== 'oauth') return undefined;
  const called = (Array.isArray(body) ? body : [body]).map(calledTool).filter((name) => name !== undefined);
  if (called.length === 0) return undefined;
  const has = namesOf(await catalogueFor(principal.grant));
  const could = namesOf(await catalogueFor({ ...principal.grant, scopes: VAULT_SCOPES.slice(0, 2) }));
  return called.find((name) => !has.has(name) && could.has(name));
}

function namesOf({ tools }: { tools: readonly { name: string }[] }): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name));
}

function calledTool(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('method' in message)) return undefined;
  if (message.method !== 'tools/call' || !('params' in message)) return undefined;
  const { params } = message;
  if (typeof params !== 'object' || params === null || !('name' in params)) return undefined;
  return typeof params.name === 'string' ? params.name : undefined;
}
