import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Era, WireMessage } from './protocol.ts';

export const LECTERN = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));

/** The built binary over stdio in either protocol era, with everything it says kept. */
export class ProcessWire {
  readonly child: ChildProcess;
  readonly messages: WireMessage[] = [];
  readonly exited: Promise<number | null>;
  readonly lines: string[] = [];
  stderr = '';
  readonly #era: Era;
  #waiting: (() => void)[] = [];
  #nextId = 1;

  constructor(args: readonly string[], home: string, era: Era = '2025-11-25') {
    this.#era = era;
    const env = { PATH: process.env.PATH ?? '', HOME: home, XDG_STATE_HOME: `${home}/state` };
    this.child = spawn(process.execPath, [LECTERN, 'mcp', 'serve', ...args], { env, cwd: home });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
      this.#wake();
    });
    if (this.child.stdout)
      createInterface({ input: this.child.stdout }).on('line', (line) => {
        this.lines.push(line);
        this.messages.push(JSON.parse(line) as WireMessage);
        this.#wake();
      });
    this.exited = new Promise((resolve) =>
      this.child.once('close', (code) => {
        resolve(code);
        this.#wake();
      }),
    );
  }

  async open(): Promise<this> {
    if (this.#era === '2026-07-28') {
      await this.request('server/discover');
      return this;
    }
    const clientInfo = { name: 'raw', version: '1' };
    await this.request('initialize', { protocolVersion: this.#era, capabilities: {}, clientInfo });
    this.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }

  /** @returns the request's id */
  send(method: string, params: Record<string, unknown> = {}): number {
    const id = this.#nextId++;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    };
    this.write({
      jsonrpc: '2.0',
      id,
      method,
      params: this.#era === '2026-07-28' ? { ...params, _meta } : params,
    });
    return id;
  }

  async request(method: string, params: Record<string, unknown> = {}): Promise<WireMessage> {
    const id = this.send(method, params);
    return await this.until(() => this.messages.find((message) => message.id === id && !message.method));
  }

  /** @returns the structured answer of a tool, or `{code}` of what it was refused with */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    if (error !== undefined) return { code: error.code, message: error.message };
    return (result.structuredContent ?? {}) as Record<string, unknown>;
  }

  async tools(): Promise<string[]> {
    const { result } = await this.request('tools/list');
    return (result.tools as { name: string }[]).map(({ name }) => name);
  }

  /** Waits for something to appear in what the process says. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (this.child.exitCode !== null) throw new Error(`The process left. ${this.stderr}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async end(): Promise<number | null> {
    this.child.stdin?.end();
    return await this.exited;
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Any value as one line. */
  write(message: unknown): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

/** Where a `lectern serve` that was just started listens: the address of its MCP endpoint. */
export async function httpAddress(child: ChildProcess): Promise<string> {
  let said = '';
  return await new Promise((resolve, reject) => {
    child.stderr?.on('data', (data) => {
      said += String(data);
      const [, url] = / at (https?:\S+\/mcp) /.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(said)));
  });
}
