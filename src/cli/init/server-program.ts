import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../app/package-root.ts';

export interface ServerProgram {
  /**
   * Absolute paths of runtime and script, as desktop programs have neither a shell's PATH nor its working
   * folder.
   */
  readonly command: readonly [runtime: string, script: string];
  /** Reasons why it may stop working later, as sentences. */
  readonly warnings: readonly string[];
}

/** Folders whose `node` remains after an update of Node. */
const LASTING = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/home/linuxbrew/.linuxbrew/bin'];

/** The command that starts this program from any program on this machine. */
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
 * A path of the runtime that remains after an update: Homebrew has one folder per version, deletes old ones,
 * and keeps a link to the newest.
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
