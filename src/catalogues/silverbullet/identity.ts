import type { CatalogueIdentity } from '../catalogue.ts';

/** As the server's own SDK answers: the client's revision when it is one of these, otherwise the first. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export const silverbulletIdentity: CatalogueIdentity = {
  server: { name: 'silverbullet', version: '0.6.0' },
  protocol: {
    revisions: REVISIONS,
    stateless: false,
    capabilities: { tools: { listChanged: true } },
    http: { port: 8080 },
  },
  variables: {
    PORT: 'LECTERN_PORT',
    PUBLIC_URL: 'LECTERN_PUBLIC_URL',
    OAUTH_CLIENT_ID: 'LECTERN_OAUTH_CLIENT',
    OAUTH_CLIENT_SECRET: 'LECTERN_OAUTH_CLIENT_SECRET',
  },
};
