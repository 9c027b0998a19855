import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { makePrivate } from '../config/private-folder.ts';
import { stateHome } from '../config/state-folder.ts';

/** Builds whose compiled code stays on the disk, about 2 MB each: several installations may take turns. */
const KEPT_BUILDS = 3;

/** Since Node 22.8. */
type CompileCache = {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly getCompileCacheDir?: () => string | undefined;
};
const { enableCompileCache, getCompileCacheDir } = nodeModule as CompileCache;

/**
 * Lets Node keep the compiled form of the code that it loads from now on, so that the next start does not compile it
 * again. The folder is private, since Node runs what it finds there; it is made only where the platform's state
 * folder of Lectern is there already, so that asking for the version leaves nothing behind. Never throws: without the
 * cache a start takes longer.
 *
 * @param entry path of the program's file, whose time of change tells builds apart
 */
export function keepCompiledCode(
  entry: string,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  if (enableCompileCache === undefined) return;
  try {
    const home = join(stateHome(environment), 'lectern');
    if (!existsSync(home)) return;
    const all = join(home, 'compiled');
    const folder = join(all, Math.trunc(statSync(entry).mtimeMs).toString(36));
    const isNew = !existsSync(folder);
    for (const each of [home, all, folder]) makePrivate(each);
    if (isNew) removeOldBuilds(all);
    enableCompileCache(folder);
  } catch {
    // Somebody else's folder, a full or read-only disk.
  }
}

/** The environment of a thread, which does not take the cache over from the process that starts it. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir?.();
  // Node puts a folder for its own version into the one that it is given.
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

function removeOldBuilds(folder: string): void {
  const builds = readdirSync(folder).map((name) => join(folder, name));
  const changed = new Map(builds.map((path) => [path, statSync(path).mtimeMs]));
  builds.sort((a, b) => (changed.get(b) ?? 0) - (changed.get(a) ?? 0));
  for (const old of builds.slice(KEPT_BUILDS)) rmSync(old, { recursive: true, force: true });
}
