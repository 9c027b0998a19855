import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { RotatingLog } from '../../config/rotating-log.ts';

export interface ServiceRunOptions {
  /** Path of the server’s log file, which is rotated like the audit log. */
  readonly log: string;
  /** Path of a file with environment variables, one `NAME=value` per line; it may not exist. */
  readonly envFile: string | undefined;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs the server under a service manager that keeps no log and reads no environment file. Signals are passed
 * on to the server.
 *
 * @param program paths of Node and the script
 * @param args the server's arguments
 * @returns the server's exit code
 */
export async function runService(
  program: readonly [node: string, script: string],
  args: readonly string[],
  { log, envFile }: ServiceRunOptions,
): Promise<number> {
  const lines = new RotatingLog(log, {
    onError: (error) => process.stderr.write(`lectern: ${String(error)}\n`),
  });
  const [node, script] = program;
  const child = spawn(node, [script, ...args], {
    env: { ...process.env, ...variablesIn(envFile) },
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const said = createInterface({ input: child.stderr });
  said.on('line', (text) => lines.append({ time: new Date().toISOString(), text }));
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exit, signal) => resolve(exit ?? (signal === null ? 0 : 1)));
  });
  await lines.flush();
  return code;
}

/**
 * Parses an environment file by systemd's rules: comments, `NAME=value`, and optional quotes around a value.
 */
export function variablesIn(path: string | undefined): Record<string, string> {
  if (path === undefined || !existsSync(path)) return {};
  const pairs = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .flatMap((line) => {
      const [, name, value = ''] = /^\s*([A-Za-z_]\w*)=(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined) return [];
      const [, , inner] = /^(["'])(.*)\1$/s.exec(value) ?? [];
      return [[name, inner ?? value]];
    });
  return Object.fromEntries(pairs);
}
