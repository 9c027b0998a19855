import { setTimeout as sleep } from 'node:timers/promises';
import type { McpProcess } from './mcp-process.ts';

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
    if (isError || structured.index === 'failed') throw new Error(`indexing failed: ${text}`);
    if (structured.index === 'ready')
      return { notes: Number(structured.notes), bytes: Number(structured.bytes) };
    await meanwhile();
    // Looking takes time of the server that is being measured: seldom enough to be nothing beside its work.
    await sleep(Math.max(25, ms * 4));
  }
}

const MODE_LIMIT_MS = 300_000;
const MODE_GRACE_MS = 20_000;

/**
 * Waits until searches run in a mode in full: what it needs beyond the index is made in the background.
 * @returns ms waited; undefined when the mode never came, as on a vault too small for it
 */
export async function modeReady(
  server: McpProcess,
  mode: string,
  q: string,
  meanwhile: (ms: number) => void = () => {},
): Promise<number | undefined> {
  const started = performance.now();
  while (performance.now() - started < MODE_LIMIT_MS) {
    const { ms, isError, structured } = await server.call({ name: 'vault_search', arguments: { q, mode } });
    const inProgress = /\d+\/\d+/.test(String(structured.notice ?? ''));
    if (!isError && structured.mode_used === mode && !inProgress) return performance.now() - started;
    // A mode that is not even being prepared will not come.
    if (!isError && !inProgress && performance.now() - started > MODE_GRACE_MS) return undefined;
    meanwhile(ms);
    await sleep(Math.max(50, ms * 4));
  }
  return undefined;
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
