import { PassThrough } from 'node:stream';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import type { Catalogue } from '../../src/catalogues/catalogue.ts';
import { indxCatalogue } from '../../src/catalogues/indx/catalogue.ts';
import { indxIdentity } from '../../src/catalogues/indx/identity.ts';
import { serveOverStdio } from '../../src/mcp/stdio.ts';
import type { Assistants } from '../../src/operations/call/assistants.ts';
import type { VaultSession } from '../../src/vault/session.ts';
import type { Era, WireMessage } from './protocol.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A raw client of the stdio door over pipes in memory, in either protocol era. */
export class McpWire {
  readonly messages: WireMessage[] = [];
  readonly #input = new PassThrough();
  readonly #door: ReturnType<typeof serveOverStdio>;
  readonly #era: Era;
  readonly #capabilities: Readonly<Record<string, unknown>>;
  #waiting: (() => void)[] = [];
  #nextId = 1;

  private constructor(
    vault: () => Promise<VaultSession>,
    era: Era,
    catalogue: Catalogue,
    capabilities: Readonly<Record<string, unknown>>,
    assistants: Assistants | 'none',
  ) {
    this.#era = era;
    this.#capabilities = capabilities;
    this.#door = serveOverStdio({
      identity: indxIdentity,
      version: '1.0.0',
      catalogue: async () => catalogue,
      vault,
      ...(assistants !== 'none' && { assistants }),
      log: quiet,
      input: this.#input,
      write: (chunk, done) => {
        for (const line of chunk.split('\n')) if (line !== '') this.messages.push(JSON.parse(line));
        for (const wake of this.#waiting.splice(0)) wake();
        setImmediate(done);
      },
    });
  }

  static async connect(
    session: VaultSession,
    era: Era = '2025-11-25',
    catalogue: Catalogue = indxCatalogue,
    capabilities: Readonly<Record<string, unknown>> = {},
    assistants: Assistants | 'none' = () => EXTRACTIVE,
  ): Promise<McpWire> {
    const wire = new McpWire(async () => session, era, catalogue, capabilities, assistants);
    if (era === '2026-07-28') {
      await wire.request('server/discover');
    } else {
      const clientInfo = { name: 'raw', version: '1' };
      await wire.request('initialize', { protocolVersion: era, capabilities, clientInfo });
      wire.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    return wire;
  }

  /** @returns the whole answer, result or error */
  async request(method: string, params: Record<string, unknown> = {}): Promise<WireMessage> {
    const id = this.send(method, params);
    return await this.until((message) => message.id === id && message.method === undefined);
  }

  /** @returns the request's id */
  send(method: string, params: Record<string, unknown> = {}): number {
    const id = this.#nextId++;
    this.#write({ jsonrpc: '2.0', id, method, params: this.#enveloped(params) });
    return id;
  }

  notify(method: string, params: Record<string, unknown> = {}): void {
    this.#write({ jsonrpc: '2.0', method, params: this.#enveloped(params) });
  }

  /** The client's answer to a request of the server. */
  answer(id: unknown, result: Record<string, unknown>): void {
    this.#write({ jsonrpc: '2.0', id, result });
  }

  async until(test: (message: WireMessage) => boolean): Promise<WireMessage> {
    for (;;) {
      const found = this.messages.find(test);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** URIs told of so far, in order. */
  updates(): string[] {
    return this.messages
      .filter((message) => message.method === 'notifications/resources/updated')
      .map((message) => String(message.params?.uri));
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#door.finished;
  }

  #enveloped(params: Record<string, unknown>): Record<string, unknown> {
    if (this.#era !== '2026-07-28') return params;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': this.#capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    return { ...params, _meta: { ..._meta, ...(params._meta as object | undefined) } };
  }

  #write(message: object): void {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }
}
