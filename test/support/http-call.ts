import { type Agent, request } from 'node:http';

export interface ToolAnswer {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown };
  readonly error?: unknown;
}

/** One stateless call; node:http, because fetch() costs more than the server does. */
export function callTool(
  agent: Agent,
  url: URL,
  token: string,
  name: string,
  args: object,
): Promise<ToolAnswer> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
      },
    },
  });
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${token}`,
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(JSON.parse(text) as ToolAnswer);
        } catch {
          reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 200)}`));
        }
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
