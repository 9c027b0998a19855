import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { lectern } from './lectern.ts';

/** A server in a process of its own, listening at `url`. */
export interface ServerProcess {
  readonly process: ChildProcess;
  readonly url: URL;
  /** Asks it to leave and waits until it has. */
  stop(): Promise<void>;
}

/** A place for a vault and its state, served over HTTP by the built binary. */
export interface ServedPlace {
  readonly vault: string;
  readonly state: string;
}

/** @returns a new token for the vault, as the owner would make it */
export function createToken({ vault, state }: ServedPlace, name: string, scope: string): string {
  const { program, args } = lectern(vault, state);
  const create = ['token', 'create', '--name', name, '--scope', scope, '--vault', vault, '--state', state];
  return execFileSync(program, [args[0] ?? '', ...create], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** Serves the place without a rate limit and waits until its index is complete. */
export async function serveLectern({ vault, state }: ServedPlace): Promise<ServerProcess> {
  const { program, args } = lectern(vault, state);
  const options = ['serve', '--http', '--port', '0', '--rate-limit', '0', '--vault', vault, '--state', state];
  const server = await startServer(program, [args[0] ?? '', ...options]);
  while (!(await isIndexed(server.url))) await setTimeout(200);
  return server;
}

/** Starts a program that prints `… at http://…/mcp …` to standard error once it listens. */
export async function startServer(program: string, args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise<URL>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (data) => {
      said += String(data);
      const [, found] = / at (http:\S+\/mcp)\s/.exec(said) ?? [];
      if (found !== undefined) resolve(new URL(found));
    });
    child.once('exit', () => reject(new Error(said)));
  });
  const stop = async () => {
    const left = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await left;
  };
  return { process: child, url, stop };
}

async function isIndexed(url: URL): Promise<boolean> {
  const { index } = (await (await fetch(new URL('/readyz', url))).json()) as { index: string };
  return index === 'ready';
}
