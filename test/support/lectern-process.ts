import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LECTERN = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));

/** A tool call that the server refused, with the code agents see. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The process died before it answered: the write may have happened or not. */
export class Died extends Error {}

interface Answer {
  id?: number;
  error?: { message: string };
  result?: {
    isError?: boolean;
    content?: { text?: string }[];
    structuredContent?: Record<string, unknown>;
  };
}

/** The built binary as an agent's client drives it: MCP over standard input and output, many calls under way at once. */
export class LecternProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
  stderr = '';
  readonly #waiting = new Map<
    number,
    { resolve: (answer: Answer) => void; reject: (error: Error) => void }
  >();
  #nextId = 1;
  #gone = false;

  constructor(vault: string, state: string, ...more: string[]) {
    const { LECTERN_VAULT: _vault, LECTERN_STATE: _state, ...env } = process.env;
    const args = [LECTERN, 'mcp', 'serve', '--vault', vault, '--state', state, ...more];
    this.child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.child.stdin?.on('error', () => {});
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    if (this.child.stdout)
      createInterface({ input: this.child.stdout }).on('line', (line) => this.#take(line));
    this.exited = new Promise((resolve) => {
      this.child.once('close', () => {
        this.#gone = true;
        for (const { reject } of this.#waiting.values()) reject(new Died('The process ended.'));
        this.#waiting.clear();
        resolve();
      });
    });
  }

  /** The MCP handshake. */
  async start(): Promise<this> {
    await this.#request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'campaign', version: '1' },
    });
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    return this;
  }

  /**
   * @returns the structured answer
   * @throws Refused, Died
   */
  async call(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { result, error } = await this.#request('tools/call', { name, arguments: args });
    if (error) throw new Refused('protocol', error.message);
    if (result?.isError) {
      const text = result.content?.[0]?.text ?? '';
      throw new Refused(
        String(result.structuredContent?.code ?? /"code":\s*"(\w+)"/.exec(text)?.[1] ?? text),
        text,
      );
    }
    return result?.structuredContent ?? {};
  }

  /** As a power cut would: nothing of the process runs any more. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async end(): Promise<void> {
    this.child.stdin?.end();
    await this.exited;
  }

  #request(method: string, params: object): Promise<Answer> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#gone) return reject(new Died('The process ended.'));
      this.#waiting.set(id, { resolve, reject });
      this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  #take(line: string): void {
    const answer = JSON.parse(line) as Answer;
    if (answer.id === undefined) return;
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
  }
}
