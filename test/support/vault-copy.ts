import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const LECTERN = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));

export interface CopyRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The report of `--json`, as far as tests look at it. */
export interface JsonReport {
  readonly dry_run: boolean;
  readonly notes: { copied: number; there: number };
  readonly attachments: { copied: number; there: number };
  readonly folders: { copied: number; there: number };
  readonly links: { mapped: number; respelled: number };
  readonly not_carried: readonly { path: string; code: string; reason: string }[];
  readonly differences: readonly { path: string; what: string; detail: string }[];
  readonly remarks: readonly string[];
  readonly ms: number;
}

/** Runs `lectern vault copy` as a process of its own. */
export function copyRun(args: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [LECTERN, 'vault', 'copy', ...args], { env: environment });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]): CopyRun => ({ code: code as number | null, out, err }));
  return { child, ended };
}
