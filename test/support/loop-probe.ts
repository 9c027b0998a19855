import { fileURLToPath, pathToFileURL } from 'node:url';

const PROBE = fileURLToPath(new URL('../../bench/support/event-loop.probe.mjs', import.meta.url));

/** What Node has to be started with, so that {@link longestTurn} can be asked. */
export const PROBED: readonly string[] = ['--import', pathToFileURL(PROBE).href];

/** A process that was started with {@link PROBED}. */
export interface Probed {
  readonly pid: number;
  /** All that it wrote there so far. */
  readonly stderr: string;
  /** Whether it has ended. */
  readonly isGone?: boolean;
}

/**
 * ms of processor time, the most that the main thread used between two turns of its loop since this was asked last. On
 * Linux of that thread alone, so that other threads and programs do not count.
 */
export async function longestTurn(server: Probed): Promise<number> {
  const before = server.stderr.length;
  if (server.isGone !== true) process.kill(server.pid, 'SIGUSR2');
  for (;;) {
    const [report] = /^\{"probe".*\}$/m.exec(server.stderr.slice(before)) ?? [];
    if (report !== undefined) return (JSON.parse(report) as { longestCpuMs: number }).longestCpuMs;
    if (server.isGone === true) throw new Error(`The server left: ${server.stderr.slice(-500)}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
