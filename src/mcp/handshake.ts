import type { CatalogueIdentity } from '../catalogues/catalogue.ts';
import type { Protocol } from '../catalogues/protocol.ts';
import { isRecord } from '../is-record.ts';

/** The stateless revision: it opens with `server/discover` and names its revision in every request. */
export const STATELESS_REVISION = '2026-07-28';

/**
 * How long, ms, clients of the stateless revision may cache the list of tools and the discovery. Both change
 * only with the program and the owner's settings, and clients are notified of a change of tools.
 */
export const CACHE_HINT = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;

const META = 'io.modelcontextprotocol/';

/**
 * Makes the answer to a connection's first message without loading the protocol layer, equal to that layer's
 * own answer: a client's whole start waits for it.
 *
 * @returns undefined for anything but a well-formed `initialize` or `server/discover`: the protocol layer
 *   answers those
 */
export function handshakeResult(
  message: unknown,
  identity: CatalogueIdentity,
  version: string,
): Record<string, unknown> | undefined {
  if (!isRecord(message) || !isRecord(message.params)) return undefined;
  const serverInfo = serverInfoOf(identity, version);
  if (message.method === 'initialize') return initializeResult(message.params, identity, serverInfo);
  if (message.method === 'server/discover') return discoverResult(message.params, identity, serverInfo);
  return undefined;
}

/** @param version Lectern's version, for catalogues whose system has none */
export function serverInfoOf(
  { server: { name, title, version: own } }: CatalogueIdentity,
  version: string,
): { name: string; title?: string; version: string } {
  return { name, ...(title !== undefined && { title }), version: own ?? version };
}

/** The revision to answer with when the client asked for this one. */
export function agreedRevision({ revisions }: Protocol, asked: unknown): string {
  return revisions.find((known) => known === asked) ?? revisions[0] ?? '2025-11-25';
}

function initializeResult(
  { protocolVersion, capabilities, clientInfo, _meta }: Record<string, unknown>,
  { instructions, protocol }: CatalogueIdentity,
  serverInfo: object,
): Record<string, unknown> | undefined {
  if (typeof protocolVersion !== 'string' || !isRecord(capabilities) || !isImplementation(clientInfo))
    return undefined;
  if (isRecord(_meta) && `${META}protocolVersion` in _meta) return undefined;
  return {
    protocolVersion: agreedRevision(protocol, protocolVersion),
    capabilities: protocol.capabilities,
    serverInfo,
    ...(instructions !== undefined && { instructions }),
  };
}

function discoverResult(
  { _meta }: Record<string, unknown>,
  { instructions, protocol }: CatalogueIdentity,
  serverInfo: object,
): Record<string, unknown> | undefined {
  if (!protocol.stateless) return undefined;
  if (!isRecord(_meta) || _meta[`${META}protocolVersion`] !== STATELESS_REVISION) return undefined;
  if (!isRecord(_meta[`${META}clientCapabilities`])) return undefined;
  const clientInfo = _meta[`${META}clientInfo`];
  if (clientInfo !== undefined && !isImplementation(clientInfo)) return undefined;
  return {
    supportedVersions: [STATELESS_REVISION],
    capabilities: protocol.capabilities,
    ...(instructions !== undefined && { instructions }),
    resultType: 'complete',
    ...CACHE_HINT,
    _meta: { [`${META}serverInfo`]: serverInfo },
  };
}

function isImplementation(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && typeof value.version === 'string';
}
