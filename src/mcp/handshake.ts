import type { CatalogueIdentity } from '../catalogues/catalogue.ts';
import { isRecord } from '../is-record.ts';

/** What every Lectern server can do, in either era. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** Revisions that open with `initialize`, newest first; the first answers a client that asks for an unknown one. */
export const HANDSHAKE_REVISIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The stateless revision: it opens with `server/discover` and names itself in every request. */
export const STATELESS_REVISION = '2026-07-28';

/** How long clients of the stateless revision may keep the list of tools and the discovery: both change with the program and the owner's settings only, and a change of tools is told. */
export const CACHE_HINT = { ttlMs: 5 * 60_000, cacheScope: 'private' } as const;

const META = 'io.modelcontextprotocol/';

/**
 * The answer to the first message of a connection, the same that the protocol layer gives, known
 * before that layer is loaded: a client waits for this one with its whole start.
 *
 * @returns undefined for anything but a well-formed `initialize` or `server/discover`: the protocol layer answers those
 */
export function handshakeResult(
  message: unknown,
  identity: CatalogueIdentity,
  version: string,
): Record<string, unknown> | undefined {
  if (!isRecord(message) || !isRecord(message.params)) return undefined;
  const serverInfo = { ...identity.server, version };
  if (message.method === 'initialize') return initializeResult(message.params, identity, serverInfo);
  if (message.method === 'server/discover') return discoverResult(message.params, identity, serverInfo);
  return undefined;
}

function initializeResult(
  { protocolVersion, capabilities, clientInfo, _meta }: Record<string, unknown>,
  { instructions }: CatalogueIdentity,
  serverInfo: object,
): Record<string, unknown> | undefined {
  if (typeof protocolVersion !== 'string' || !isRecord(capabilities) || !isImplementation(clientInfo))
    return undefined;
  if (isRecord(_meta) && `${META}protocolVersion` in _meta) return undefined;
  return {
    protocolVersion: HANDSHAKE_REVISIONS.includes(protocolVersion) ? protocolVersion : HANDSHAKE_REVISIONS[0],
    capabilities: CAPABILITIES,
    serverInfo,
    instructions,
  };
}

function discoverResult(
  { _meta }: Record<string, unknown>,
  { instructions }: CatalogueIdentity,
  serverInfo: object,
): Record<string, unknown> | undefined {
  if (!isRecord(_meta) || _meta[`${META}protocolVersion`] !== STATELESS_REVISION) return undefined;
  if (!isRecord(_meta[`${META}clientCapabilities`])) return undefined;
  const clientInfo = _meta[`${META}clientInfo`];
  if (clientInfo !== undefined && !isImplementation(clientInfo)) return undefined;
  return {
    supportedVersions: [STATELESS_REVISION],
    capabilities: CAPABILITIES,
    instructions,
    resultType: 'complete',
    ...CACHE_HINT,
    _meta: { [`${META}serverInfo`]: serverInfo },
  };
}

function isImplementation(value: unknown): boolean {
  return isRecord(value) && typeof value.name === 'string' && typeof value.version === 'string';
}
