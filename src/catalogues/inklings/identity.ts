import type { CatalogueIdentity } from '../catalogue.ts';

/** Time limit of a request in the system's reference, ms. */
const CALL_LIMIT_MS = 60_000;

export const inklingsIdentity: CatalogueIdentity = {
  server: { name: 'inklings' },
  protocol: {
    // The revisions since Streamable HTTP, the system's only transport, and an older one for clients that ask
    // for it.
    revisions: ['2025-06-18', '2025-03-26', '2024-11-05'],
    stateless: false,
    capabilities: { tools: {}, resources: {} },
    callLimitMs: CALL_LIMIT_MS,
    http: { port: 7862 },
  },
};
