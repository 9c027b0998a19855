import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { parseScopes } from '../../src/auth/grant.ts';
import { TokenStore } from '../../src/auth/tokens/token-store.ts';
import type { Catalogue } from '../../src/catalogues/catalogue.ts';
import { indxCatalogue } from '../../src/catalogues/indx/catalogue.ts';
import { indxIdentity } from '../../src/catalogues/indx/identity.ts';
import { CATALOGUES, type CatalogueEntry, NATIVE } from '../../src/catalogues/list.ts';
import { type HttpFlags, type HttpSettings, resolveHttpSettings } from '../../src/config/http-settings.ts';
import type { Log } from '../../src/config/log.ts';
import { RotatingLog } from '../../src/config/rotating-log.ts';
import { Authenticator } from '../../src/http/authenticate.ts';
import { type HttpDoor, type HttpDoorOptions, openHttpDoor } from '../../src/http/door.ts';
import type { AuditRecord } from '../../src/journal/audit.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { statelessRequest } from './protocol.ts';
import { discard, openTestVault, type TestVault, type TestVaultOptions } from './test-vault.ts';

export interface TestDoor {
  readonly door: HttpDoor;
  readonly vault: TestVault;
  readonly tokens: TokenStore;
  readonly mcpUrl: URL;
  /** Everything that was logged, as one text. */
  readonly logged: () => string;
  /** A new token with these scope words. */
  token(name: string, ...words: string[]): string;
  audited(): Promise<AuditRecord[]>;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export interface TestDoorOptions {
  readonly flags?: HttpFlags;
  readonly settings?: Partial<HttpSettings>;
  /** What it serves; default: all of Lectern's own tools. */
  readonly catalogue?: Catalogue;
  /** More that it serves, each below `/mcp`. */
  readonly catalogues?: readonly CatalogueEntry[];
  readonly door?: Partial<HttpDoorOptions>;
  readonly vault?: TestVaultOptions;
}

/** A whole HTTP door on a free port: real vault, real tokens, real audit file. */
export async function openTestDoor(
  files: Record<string, string>,
  options: TestDoorOptions = {},
): Promise<TestDoor> {
  const state = mkdtempSync(join(tmpdir(), 'lectern-door-'));
  const tokens = new TokenStore(join(state, 'auth.db'));
  const auditPath = join(state, 'audit.log');
  const audit = new RotatingLog(auditPath, {
    onError: (error) => {
      throw error;
    },
  });
  const vault = await openTestVault(files, { ...options.vault, audit });
  const lines: string[] = [];
  const { catalogue = indxCatalogue } = options;
  const operations = [...new Set([...OPERATIONS, ...catalogue.tools.flatMap((tool) => tool.operations)])];
  const settings = { ...resolveHttpSettings({ port: '0', ...options.flags }, {}), ...options.settings };
  const credentials = {
    verify: (token: string) => tokens.verify(token),
    stillWorks: ({ id }: { id: string }) => tokens.stillWorks(id),
  };
  const door = await openHttpDoor({
    settings,
    version: '0.0.0',
    served: {
      all: operations,
      offer: { operations },
      vaults: [{ name: 'test', readOnly: false }],
    },
    catalogues: {
      all: [nativeEntry(catalogue), ...CATALOGUES.slice(1), ...(options.catalogues ?? [])],
      main: NATIVE,
      isOn: () => true,
    },
    vault: async (actor, narrowing) => vault.vault.session(actor, narrowing),
    authenticator: new Authenticator({ credentials: settings.noAuth ? undefined : credentials }),
    audit,
    assistants: () => EXTRACTIVE,
    readiness: async () => ({ store: 'ok', index: 'ready' }),
    log: recordingLog(lines),
    ...options.door,
  });
  const mcpUrl = new URL(`${door.url}/mcp`);
  return {
    door,
    vault,
    tokens,
    mcpUrl,
    logged: () => lines.join('\n'),
    token: (name, ...words) => tokens.create({ name, grant: parseScopes(words), expires: undefined }).token,
    async audited() {
      await audit.flush();
      return readFileSync(auditPath, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as AuditRecord);
    },
    post: (body, headers) =>
      fetch(mcpUrl, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
      }),
    async close() {
      await door.stop();
      await vault.close();
      await audit.flush();
      tokens.close();
      discard(vault);
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** A catalogue in the place of Lectern's own. */
export function nativeEntry(catalogue: Catalogue): CatalogueEntry {
  return { name: NATIVE, about: 'tests', identity: async () => indxIdentity, load: async () => catalogue };
}

function recordingLog(lines: string[]): Log {
  const write = (fields: object, message: string) => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test client', version: '1' },
  },
};

export function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

/** One tool call of 2026-07-28. */
export async function callTool(
  door: TestDoor,
  token: string,
  name: string,
  args: Record<string, unknown> = {},
) {
  const { body, headers } = statelessRequest('tools/call', { name, arguments: args });
  const response = await door.post(body, { ...headers, ...bearer(token) });
  return (await response.json()) as {
    result?: { isError?: boolean; structuredContent: Record<string, unknown> };
    error?: { code: number; message: string; data?: unknown };
  };
}
