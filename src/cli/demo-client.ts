import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { LecternError } from '../errors.ts';

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/** A minimal MCP client over stdio for the demo and for `init`. */
export class DemoClient {
  readonly #server: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<number | null>;
  #nextId = 1;

  /** @param command the server's program and arguments */
  constructor(command: readonly [string, ...string[]]) {
    const [program, ...args] = command;
    this.#server = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#server.stderr.pipe(process.stderr, { end: false });
    // The exit of a server that ends early is reported; a failed write to it must not be a second error.
    this.#server.stdin.on('error', () => {});
    createInterface({ input: this.#server.stdout }).on('line', (line) => this.#onLine(line));
    this.#exited = new Promise((resolve) => {
      this.#server.once('exit', (code) => resolve(code));
      this.#server.once('error', () => resolve(null));
    });
    void this.#exited.then(() => this.#failAll());
  }

  /**
   * Initializes the session.
   *
   * @throws LecternError `internal` for a JSON-RPC error, `unavailable` when the server ends
   */
  async handshake(): Promise<{ name: string; version: string; protocol: string }> {
    const result = await this.#request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'lectern-demo', version: '1' },
    });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const info = result.serverInfo as { name: string; version: string };
    return { name: info.name, version: info.version, protocol: String(result.protocolVersion) };
  }

  async toolNames(): Promise<string[]> {
    const result = await this.#request('tools/list', {});
    return (result.tools as { name: string }[]).map((tool) => tool.name);
  }

  /**
   * Calls a tool.
   *
   * @throws LecternError `unavailable` with the tool's own message when it failed, or when the server ends;
   *   `internal` for a JSON-RPC error
   */
  async call(name: string, args: object): Promise<{ text: string; structured: Record<string, unknown> }> {
    const result = await this.#request('tools/call', { name, arguments: args });
    const structured = (result.structuredContent ?? {}) as Record<string, unknown>;
    if (result.isError === true) {
      throw new LecternError('unavailable', String(structured.message), {
        next: String(structured.next ?? ''),
      });
    }
    const content = result.content as { type: string; text: string }[];
    return { text: content.map((block) => block.text).join('\n'), structured };
  }

  /** Closes the server's input and waits for its exit. @returns its exit code */
  async close(): Promise<number | null> {
    this.#server.stdin.end();
    return await this.#exited;
  }

  #request(method: string, params: object): Promise<Record<string, unknown>> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  #send(message: object): void {
    this.#server.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #onLine(line: string): void {
    const message = JSON.parse(line) as {
      id?: number;
      result?: Record<string, unknown>;
      error?: { message: string };
    };
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (message.id === undefined || waiting === undefined) return;
    this.#waiting.delete(message.id);
    if (message.error !== undefined) waiting.reject(new LecternError('internal', message.error.message));
    else waiting.resolve(message.result ?? {});
  }

  #failAll(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new LecternError('unavailable', 'The server ended before it answered.'));
    }
    this.#waiting.clear();
  }
}
