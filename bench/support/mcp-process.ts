import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { cpuSecondsOf, memoryOf } from './process-usage.ts';

/** A program with its arguments and what it needs in its environment. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Answer {
  /** From writing the request to having the whole line of the answer. */
  readonly ms: number;
  /** Of the JSON-RPC message as it came over the pipe. */
  readonly wireBytes: number;
  /** What a model is shown by clients that pass on text: all text blocks and text resources. */
  readonly text: string;
  readonly isError: boolean;
  readonly structured: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly id?: unknown;
  readonly result?: {
    readonly content?: readonly { readonly text?: string; readonly resource?: { readonly text?: string } }[];
    readonly structuredContent?: Record<string, unknown>;
    readonly isError?: boolean;
  };
  readonly error?: { readonly message: string };
}

type Heard = (message: Message, wireBytes: number) => void;

const START_LIMIT_MS = 180_000;
const ANSWER_LIMIT_MS = 120_000;

/**
 * A server on the other end of a pipe, spoken to as the simplest client would: one JSON line out, one
 * back. Nothing lies between the pipe and the clock, so times compare across servers.
 */
export class McpProcess {
  readonly spawnedAt = performance.now();
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Map<number, Heard>();
  readonly #exited: Promise<void>;
  #pending: Buffer[] = [];
  #nextId = 1;
  #errors = '';

  constructor(command: Command) {
    this.#child = spawn(command.program, command.args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...command.env },
    });
    this.#child.stdout.on('data', (chunk: Buffer) => this.#onData(chunk));
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-200_000);
    });
    this.#child.stdin.on('error', () => {});
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve());
    });
    void this.#exited.then(() => {
      const gone = { error: { message: `the server ended: ${this.#errors.slice(-500)}` } };
      for (const heard of this.#waiting.values()) heard(gone, 0);
      this.#waiting.clear();
    });
  }

  /** What the server wrote to standard error so far (its last 200 KB). */
  get errorOutput(): string {
    return this.#errors;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @returns ms from starting the process to having its answer */
  async initialize(): Promise<number> {
    await this.#request(
      'initialize',
      {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'lectern-bench', version: '1' },
      },
      START_LIMIT_MS,
    );
    const ms = performance.now() - this.spawnedAt;
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return ms;
  }

  /** @returns bytes of the answer to `tools/list` */
  async toolListBytes(): Promise<number> {
    return (await this.#request('tools/list', {}, ANSWER_LIMIT_MS)).wireBytes;
  }

  /** @returns ms from asking to having the answer */
  async timed(method: 'initialize' | 'tools/list'): Promise<number> {
    const started = performance.now();
    await this.#request(method, {}, ANSWER_LIMIT_MS);
    return performance.now() - started;
  }

  /** A failed call is an answer with `isError`, whichever way the server said so. */
  async call(call: ToolCall): Promise<Answer> {
    const started = performance.now();
    const { message, wireBytes } = await this.#request('tools/call', call, ANSWER_LIMIT_MS);
    const ms = performance.now() - started;
    const { result, error } = message;
    return {
      ms,
      wireBytes,
      text:
        error?.message ??
        (result?.content ?? []).map((part) => part.text ?? part.resource?.text ?? '').join('\n'),
      isError: error !== undefined || result?.isError === true,
      structured: result?.structuredContent ?? {},
    };
  }

  memory(): ReturnType<typeof memoryOf> {
    return memoryOf(this.#child.pid);
  }

  cpuSeconds(): number | undefined {
    return cpuSecondsOf(this.#child.pid);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the input, as a client does that hangs up; a server that stays is killed. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), 5000);
    await this.#exited;
    clearTimeout(kill);
  }

  #request(
    method: string,
    params: object,
    limitMs: number,
  ): Promise<{ message: Message; wireBytes: number }> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method} was not answered within ${limitMs / 1000} s`));
      }, limitMs);
      this.#waiting.set(id, (message, wireBytes) => {
        clearTimeout(late);
        if (method !== 'tools/call' && message.error)
          reject(new Error(`${method}: ${message.error.message}`));
        else resolve({ message, wireBytes });
      });
      this.#send({ jsonrpc: '2.0', id, method, params });
    });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #onData(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      this.#pending.push(chunk.subarray(from, end));
      this.#onLine(Buffer.concat(this.#pending));
      this.#pending = [];
      from = end + 1;
    }
    if (from < chunk.length) this.#pending.push(chunk.subarray(from));
  }

  #onLine(line: Buffer): void {
    let message: Message;
    try {
      message = JSON.parse(line.toString()) as Message;
    } catch {
      return; // Some peers log to standard output; a client skips such lines.
    }
    const id = Number(message.id);
    const heard = this.#waiting.get(id);
    this.#waiting.delete(id);
    heard?.(message, line.length);
  }
}
