import type { CatalogueIdentity } from '../catalogue.ts';
import { refused } from './http-words.ts';

/** The revisions of the system's SDK: the client's one if it is among them, otherwise the first. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** Claude's redirect URIs; the system itself accepts any address that a request names. */
const CLAUDE = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'];

export const silverbulletIdentity: CatalogueIdentity = {
  server: { name: 'silverbullet', version: '0.6.0' },
  protocol: {
    revisions: REVISIONS,
    stateless: false,
    capabilities: { tools: { listChanged: true } },
    http: { port: 8080, redirectUris: CLAUDE, refused, sessionEnded: 204 },
  },
  variables: {
    SB_URL: 'LECTERN_SILVERBULLET_URL',
    SB_TOKEN: 'LECTERN_SILVERBULLET_TOKEN',
    MCP_TOKEN: 'LECTERN_HTTP_TOKEN',
    OWNER_TOKEN: 'LECTERN_OAUTH_PASSPHRASE',
    JWT_SIGNING_KEY: 'LECTERN_OAUTH_KEY',
    PORT: 'LECTERN_PORT',
    PUBLIC_URL: 'LECTERN_PUBLIC_URL',
    OAUTH_CLIENT_ID: 'LECTERN_OAUTH_CLIENT',
    OAUTH_CLIENT_SECRET: 'LECTERN_OAUTH_CLIENT_SECRET',
  },
};
