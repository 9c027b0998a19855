/** MCP as it goes over the wire. Nothing of the server is loaded with it: tests of processes start sooner. */

export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

/** What a message really has is what tests check. */
export interface WireMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result: Record<string, unknown>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: { readonly code: string; readonly details: Record<string, unknown> };
  };
}

/** Fields of a request of 2026-07-28 beside its method and arguments. */
export function statelessRequest(
  method: string,
  params: Record<string, unknown> = {},
  capabilities: Record<string, unknown> = {},
): { body: Record<string, unknown> & { readonly params: object }; headers: Record<string, string> } {
  const name = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : undefined;
  return {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': capabilities,
          'io.modelcontextprotocol/clientInfo': { name: 'test client', version: '1' },
        },
      },
    },
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...name },
  };
}
