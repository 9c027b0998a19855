import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from './mcp-process.ts';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PROBE = fileURLToPath(new URL('./event-loop.probe.mjs', import.meta.url));

export interface ServerOptions {
  readonly probed?: boolean;
  readonly catalogue?: string;
}

/** The built binary serving `vault`, with its index and journal in `state`. */
export function lectern(vault: string, state: string, options: ServerOptions = {}, dist = DIST): Command {
  const binary = join(dist, 'lectern.js');
  if (!existsSync(binary)) throw new Error(`${binary} is missing: run node scripts/build.mjs first.`);
  return {
    program: process.execPath,
    args: [
      ...(options.probed ? ['--import', pathToFileURL(PROBE).href] : []),
      binary,
      ...['mcp', 'serve', '--vault', vault, '--state', state],
      ...(options.catalogue === undefined ? [] : ['--catalogue', options.catalogue]),
    ],
  };
}

/** A build that is measured: its column in the tables, and how it is started. */
export interface Build {
  readonly name: string;
  readonly command: (vault: string, state: string, options?: ServerOptions) => Command;
}

/** @param against the `dist` folder of another commit, which is measured in turn with this one */
export function builds(against: string | undefined): readonly Build[] {
  const of = (name: string, dist: string): Build => ({
    name,
    command: (vault, state, options) => lectern(vault, state, options, dist),
  });
  const now = of('now', DIST);
  return against === undefined ? [now] : [of('before', resolve(against)), now];
}
