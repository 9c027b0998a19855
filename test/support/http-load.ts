import { Agent } from 'node:http';
import { callTool } from './http-call.ts';

/** Many clients on one door at once, reading and writing, and what became of every write. */

export interface LoadOptions {
  readonly url: URL;
  /** One bearer token per client. */
  readonly tokens: readonly string[];
  readonly durationMs: number;
  /** Notes to read. */
  readonly notes: readonly string[];
  readonly words: readonly string[];
}

export interface LoadReport {
  readonly errors: readonly string[];
  /** Times of all requests by tool, ms. */
  readonly times: ReadonlyMap<string, readonly number[]>;
  /** Lines that were acknowledged as written, by note. */
  readonly written: ReadonlyMap<string, readonly string[]>;
}

/** All clients also write to this note. */
export const SHARED_NOTE = 'Load/Shared.md';

export function ownNote(client: number): string {
  return `Load/Client ${client}.md`;
}

/** Every client works through the same mix without pause until the time is over. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const errors: string[] = [];
  const times = new Map<string, number[]>();
  const written = new Map<string, string[]>();
  const agent = new Agent({ keepAlive: true, maxSockets: options.tokens.length });
  const end = performance.now() + options.durationMs;

  async function call(token: string, name: string, args: object): Promise<boolean> {
    const started = performance.now();
    const answer = await callTool(agent, options.url, token, name, args);
    const ms = performance.now() - started;
    const known = times.get(name);
    if (known === undefined) times.set(name, [ms]);
    else known.push(ms);
    const good = answer.error === undefined && answer.result?.isError !== true;
    if (!good) if (errors.length < 20) errors.push(`${name}: ${JSON.stringify(answer).slice(0, 300)}`);
    return good;
  }

  async function append(token: string, path: string, line: string): Promise<void> {
    if (!(await call(token, 'note_patch', { path, ops: [{ op: 'append_body', markdown: line }] }))) return;
    const known = written.get(path);
    if (known === undefined) written.set(path, [line]);
    else known.push(line);
  }

  async function client(token: string, number: number): Promise<void> {
    for (let turn = 0; turn === 0 || performance.now() < end; turn++) {
      const at = turn * 7 + number;
      await call(token, 'note_read', { path: options.notes[at % options.notes.length] });
      await call(token, 'vault_search', { q: options.words[at % options.words.length], limit: 5 });
      await call(token, 'note_list', { path_glob: 'Load/**' });
      await append(token, turn % 4 === 0 ? SHARED_NOTE : ownNote(number), `client ${number} turn ${turn}`);
    }
  }

  await Promise.all(
    options.tokens.map(async (token, number) => {
      try {
        await client(token, number);
      } catch (error) {
        errors.push(String(error));
      }
    }),
  );
  agent.destroy();
  return { errors, times, written };
}

/** @returns how many of the acknowledged lines are not in their note exactly once */
export function lostWrites(
  written: LoadReport['written'],
  read: (path: string) => string | undefined,
): number {
  let lost = 0;
  for (const [path, lines] of written) {
    const counts = new Map<string, number>();
    for (const line of (read(path) ?? '').split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1);
    lost += lines.filter((line) => counts.get(line) !== 1).length;
  }
  return lost;
}
