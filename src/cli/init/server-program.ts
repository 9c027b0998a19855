import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../app/package-root.ts';

export interface ServerProgram {
  /** Runtime and script, with whole paths: a program with windows has neither a shell's PATH nor its folder. */
  readonly command: readonly [runtime: string, script: string];
  /** What may make it stop working one day, as sentences. */
  readonly warnings: readonly string[];
}

/** Folders of Node whose `node` stays when Node is updated. */
const LASTING = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/home/linuxbrew/.linuxbrew/bin'];

/** How this very program is started again, by anybody on this machine. */
export function serverProgram(
  execPath: string = process.execPath,
  script: string = join(packageRoot(), 'dist', 'lectern.js'),
): ServerProgram {
  const warnings: string[] = [];
  if (/[\\/]_npx[\\/]/.test(script))
    warnings.push(
      'Lectern runs from the cache of npx, which npm may empty. Install it with npm install -g, then call this again.',
    );
  return { command: [lastingRuntime(execPath), script], warnings };
}

/**
 * The runtime by a name that an update leaves: Homebrew keeps every version in a folder of its own and takes away the
 * old one, with a link to the newest.
 */
function lastingRuntime(execPath: string): string {
  const [, prefix, formula] = /^(.*)\/Cellar\/([^/]+)\/[^/]+\/bin\/node$/.exec(execPath) ?? [];
  const links = LASTING.map((folder) => `${folder}/node`);
  if (prefix !== undefined) links.push(`${prefix}/opt/${formula}/bin/node`);
  return links.find((link) => isSameFile(link, execPath)) ?? execPath;
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
