import type { CatalogueIdentity } from '../catalogue.ts';
import type { HttpRefusal } from '../protocol.ts';

/** The port of Joplin's Web Clipper service. */
const CLIPPER_PORT = 41_184;

/**
 * The clipper service's answers to refused calls; their bodies contain the message without the stack trace.
 */
const REFUSED: Partial<Record<HttpRefusal, readonly [status: number, message: string]>> = {
  unauthorized: [403, 'Missing "token" parameter'],
  invalid_token: [403, 'Invalid "token" parameter'],
  disabled: [403, 'MCP server is disabled'],
  wrong_method: [405, 'Method Not Allowed'],
  not_json: [400, 'Invalid JSON body'],
};

export const joplinIdentity: CatalogueIdentity = {
  server: { name: 'joplin-mcp', version: '1.0.0' },
  protocol: {
    revisions: ['2025-06-18'],
    stateless: false,
    capabilities: { tools: {} },
    plain: {
      invalidRequest: { code: -32_600, message: 'Invalid JSON-RPC request' },
      unknownMethod: (method) => ({ code: -32_601, message: `Method not found: ${method.slice(0, 200)}` }),
      invalidCall: { code: -32_602, message: 'Missing or invalid "name" parameter' },
      answersNullId: true,
    },
    http: {
      port: CLIPPER_PORT,
      tokenParameter: 'token',
      refused(why, standard) {
        const [status, message] = REFUSED[why] ?? [];
        if (message === undefined) return undefined;
        const answer = Response.json({ error: message }, { status: status ?? standard.status });
        if (status === 405) answer.headers.set('Allow', 'POST');
        return answer;
      },
    },
  },
};
