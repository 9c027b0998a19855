import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What the clients of both generations have in common. */
export interface SdkClient {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<{ resources: unknown[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: unknown[] }>;
  readResource(request: { uri: string }): Promise<{ contents: unknown[] }>;
  getServerVersion(): { name: string } | undefined;
}

const INFO = { name: 'lectern-test', version: '1.0.0' };

const newer = (mode: 'auto' | 'legacy') => (): SdkClient =>
  new Client(INFO, { versionNegotiation: { mode } }) as unknown as SdkClient;

const NewerTransport = StreamableHTTPClientTransport as unknown as typeof TransportV1;

/** The SDK's clients, as they come to a dialect that speaks no more than older revisions, each with its transport over HTTP. */
export const SDK_CLIENTS: readonly (readonly [string, () => SdkClient, typeof TransportV1])[] = [
  ['v2, auto', newer('auto'), NewerTransport],
  ['v2, legacy', newer('legacy'), NewerTransport],
  ['v1', () => new ClientV1(INFO) as unknown as SdkClient, TransportV1],
];
