import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, McpProcess, ToolCall } from './mcp-process.ts';

/**
 * Waits until Lectern's index agrees with the vault.
 * @param meanwhile done between two looks, to keep the server at work
 * @throws Error when indexing failed
 */
export async function indexReady(
  server: McpProcess,
  meanwhile: () => Promise<void> = async () => {},
): Promise<{ readonly notes: number; readonly bytes: number }> {
  for (;;) {
    const { ms, isError, text, structured } = await server.call({ name: 'vault_status', arguments: {} });
    if (isError || structured.index === 'failed')
      throw new Error(`indexing failed: ${text}\n${server.errorOutput.slice(-1000)}`);
    if (structured.index === 'ready')
      return { notes: Number(structured.notes), bytes: Number(structured.bytes) };
    await meanwhile();
    // Looking takes time of the server that is being measured: seldom enough to be nothing beside its work.
    await sleep(Math.min(200, Math.max(50, ms * 10)));
  }
}

/** Longer than the indexer waits, once the index is ready, before it begins with the vectors. */
const SETTLE_MS = 800;

/**
 * Waits until the vectors for search by meaning are made, which goes on in the background whichever
 * mode is searched in, and would be timed with it.
 * @param meanwhile done between two looks, to keep the server at work
 * @returns ms from the call to vectors that are complete
 * @throws Error when they could not be made
 */
export async function vectorsReady(
  server: { call(tool: ToolCall): Promise<Omit<Answer, 'wireBytes'>> },
  meanwhile: () => Promise<void> = async () => {},
): Promise<number> {
  const started = performance.now();
  let working = 0;
  for (;;) {
    const { ms, isError, text, structured } = await server.call({ name: 'vault_status', arguments: {} });
    const state = String(structured.vectors);
    if (isError || state.startsWith('failed')) throw new Error(`no vectors: ${text}`);
    const idle = state.startsWith('up to date');
    const now = performance.now() - started;
    if (idle && now > SETTLE_MS) return working;
    if (!idle) working = now;
    await meanwhile();
    await sleep(Math.max(50, ms * 4));
  }
}

export interface LoopReport {
  readonly overMs: number;
  readonly turns: number;
  /** Longest absence of the main thread's event loop by the clock. */
  readonly longestMs: number;
  readonly p99Ms: number;
  /** Most processor time the main thread used between two turns. */
  readonly longestCpuMs: number;
}

/** Asks the probe inside a server (event-loop.probe.mjs) for what it saw since it was asked before. */
export class LoopProbe {
  #seen = 0;

  constructor(private readonly server: McpProcess) {}

  async report(): Promise<LoopReport> {
    this.server.signal('SIGUSR2');
    for (let tries = 0; tries < 400; tries++) {
      await sleep(25);
      const reports = this.server.errorOutput.split('\n').filter((line) => line.startsWith('{"probe"'));
      const latest = reports[this.#seen];
      if (latest?.endsWith('}')) {
        this.#seen += 1;
        return JSON.parse(latest) as LoopReport;
      }
    }
    throw new Error(`The probe does not answer: ${this.server.errorOutput.slice(-500)}`);
  }
}
