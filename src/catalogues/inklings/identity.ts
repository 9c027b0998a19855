import type { CatalogueIdentity } from '../catalogue.ts';

/** No request may take longer, by the system's own reference. */
const CALL_LIMIT_MS = 60_000;

export const inklingsIdentity: CatalogueIdentity = {
  server: { name: 'inklings' },
  protocol: {
    // What came with Streamable HTTP, its only transport; the older one is for clients that ask for it.
    revisions: ['2025-06-18', '2025-03-26', '2024-11-05'],
    stateless: false,
    capabilities: { tools: {}, resources: {} },
    callLimitMs: CALL_LIMIT_MS,
    http: { port: 7862 },
  },
};
