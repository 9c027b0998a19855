import { PassThrough } from 'node:stream';
import { mounted } from '../../src/catalogues/mounted.ts';
import { obsidianCatalogue } from '../../src/catalogues/obsidian/catalogue.ts';
import { obsidianIdentity } from '../../src/catalogues/obsidian/identity.ts';
import { serveOverStdio } from '../../src/mcp/stdio.ts';
import { offered } from '../../src/operations/offer.ts';
import type { Scope } from '../../src/operations/operation.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { openTestVault, type TestVault, type TestVaultOptions } from '../support/test-vault.ts';

/** The dialect over standard input and output, as bytes, on a vault in a folder. */
export interface ObsidianWire {
  readonly vault: TestVault;
  /** Sends a line as it is. */
  line(text: string): void;
  /** The next line of the server, without its line break. */
  next(): Promise<string>;
  /** Sends a request and gives the line that answers it. */
  ask(method: string, params?: unknown, id?: number | string): Promise<string>;
  /** What a tool answers: `data`, or the JSON-RPC error. */
  call(name: string, given?: unknown): Promise<unknown>;
  /** Ends the input; resolves when the server is done. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export async function openObsidianWire(
  files: Record<string, string>,
  options: TestVaultOptions & {
    readonly scopes?: readonly Scope[];
    /** In place of the 30 s of the contract. */
    readonly callLimitMs?: number;
  } = {},
): Promise<ObsidianWire> {
  const vault = await openTestVault(files, options);
  const input = new PassThrough();
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  const offer = {
    operations: offered(OPERATIONS, {
      scopes: options.scopes ?? ['vault:read', 'vault:write'],
      allow: [],
      deny: [],
    }),
  };
  const served = serveOverStdio({
    identity: obsidianIdentity,
    version: '9.9.9',
    catalogue: async () => mounted(obsidianCatalogue, offer),
    vault: async () => vault.session,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    ...(options.callLimitMs !== undefined && { callLimitMs: options.callLimitMs }),
    input,
    write: (chunk, done) => {
      for (const line of chunk.split('\n').slice(0, -1)) {
        const taker = waiting.shift();
        if (taker === undefined) lines.push(line);
        else taker(line);
      }
      done();
    },
  });
  const line = (text: string): void => {
    input.write(`${text}\n`);
  };
  const next = async () => lines.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
  const ask = async (method: string, params?: unknown, id: number | string = 1): Promise<string> => {
    line(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return await next();
  };
  const end = async (): Promise<void> => {
    input.end();
    await served.finished;
  };
  return {
    vault,
    line,
    next,
    ask,
    async call(name, given) {
      const answer = JSON.parse(await ask('tools/call', { name, arguments: given }));
      if (answer.error !== undefined) return answer.error;
      const { success, data } = JSON.parse(answer.result.content[0].text);
      return success === true ? data : answer;
    },
    end,
    async close() {
      await end();
      await vault.close();
    },
  };
}
