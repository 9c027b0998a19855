import type { CatalogueIdentity } from '../catalogue.ts';

/** Time limit of a call in the system's contract, ms. */
const CALL_LIMIT_MS = 30_000;

export const obsidianIdentity: CatalogueIdentity = {
  server: { name: 'obsidian-mcp', version: '1.0.0' },
  protocol: {
    revisions: ['2024-11-05'],
    stateless: false,
    capabilities: { tools: {} },
    plain: {},
    callLimitMs: CALL_LIMIT_MS,
  },
};
