import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const LECTERN = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
};

/** A tool's answer, or what the protocol refused. */
export interface RawAnswer {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly data: any;
  readonly refused: { code: number; message: string } | undefined;
}

/** The built binary as a process, spoken to in plain JSON-RPC lines. */
export class RawServer {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (message: never) => void>();
  readonly #exited: Promise<number | null>;
  #nextId = 1;
  #rest = '';
  stdout = '';
  stderr = '';

  /** @param command what runs the server, when it is not this user with this Node */
  constructor(args: readonly string[], command: readonly string[] = [process.execPath]) {
    const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...env } = process.env;
    const [program = '', ...before] = command;
    this.child = spawn(program, [...before, LECTERN, 'mcp', 'serve', '--stdio', ...args], { env });
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => this.#hear(chunk));
    this.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.#exited = new Promise((resolve) => this.child.once('close', (code) => resolve(code)));
    this.#send('initialize', INITIALIZE);
  }

  async call(name: string, args: unknown = {}): Promise<RawAnswer> {
    return (await this.#send('tools/call', { name, arguments: args })) as never;
  }

  /** Asks until the index is ready. */
  async ready(ms = 60_000): Promise<RawAnswer> {
    return this.until('vault_status', {}, ({ data }) => data?.index === 'ready', ms);
  }

  /** Asks the same until the answer is the one looked for; the last answer, right or not, after `ms`. */
  async until(
    name: string,
    args: unknown,
    isRight: (answer: RawAnswer) => boolean,
    ms = 30_000,
  ): Promise<RawAnswer> {
    const end = performance.now() + ms;
    for (;;) {
      const answer = await this.call(name, args);
      if (isRight(answer) || performance.now() > end) return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Ends the input and waits until the process has left. */
  async end(): Promise<number | null> {
    this.child.stdin?.end();
    return await this.#exited;
  }

  #send(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#exited.then((code) => reject(new Error(`left with ${code} before ${method}: ${this.stderr}`)));
      this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  #hear(chunk: string): void {
    this.stdout += chunk;
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line);
      this.#waiting.get(id)?.({
        isError: result?.isError === true,
        text: result?.content?.[0]?.text ?? '',
        data: result?.structuredContent,
        refused: error,
      } as never);
      this.#waiting.delete(id);
    }
  }
}
