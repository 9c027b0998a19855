import { type Principal, VAULT_SCOPES } from '../auth/grant.ts';
import type { GrantedTools } from './narrowing.ts';

/**
 * The tool that a client with an OAuth token calls beyond its scopes, if any: it can ask the owner for more (RFC
 * 6750 §3.1). Only for tools that the owner serves and did not keep from this grant by name; with a
 * token from the command line there is nobody to ask.
 */
export function needsMoreScope(body: unknown, principal: Principal, tools: GrantedTools): string | undefined {
  if (principal.kind !== 'oauth') return undefined;
  const called = (Array.isArray(body) ? body : [body]).map(calledTool).filter((name) => name !== undefined);
  if (called.length === 0) return undefined;
  const has = namesOf(tools.for(principal.grant));
  const could = namesOf(tools.for({ ...principal.grant, scopes: VAULT_SCOPES.slice(0, 2) }));
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
