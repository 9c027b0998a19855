import type { CatalogueIdentity } from '../catalogue.ts';

/** No answer to a call may take longer, by the contract. */
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
