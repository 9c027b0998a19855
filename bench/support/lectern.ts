import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Command } from './mcp-process.ts';

const BINARY = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));
const PROBE = fileURLToPath(new URL('./event-loop.probe.mjs', import.meta.url));

/** The built binary serving `vault`, with its index and journal in `state`. */
export function lectern(
  vault: string,
  state: string,
  options: { readonly probed?: boolean; readonly catalogue?: string } = {},
): Command {
  if (!existsSync(BINARY)) throw new Error('dist/lectern.js is missing: run node scripts/build.mjs first.');
  return {
    program: process.execPath,
    args: [
      ...(options.probed ? ['--import', pathToFileURL(PROBE).href] : []),
      BINARY,
      ...['mcp', 'serve', '--vault', vault, '--state', state],
      ...(options.catalogue === undefined ? [] : ['--catalogue', options.catalogue]),
    ],
  };
}
