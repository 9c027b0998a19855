import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../app/package-root.ts';
import { VERSION } from '../config/version.ts';
import { isRecord } from '../is-record.ts';
import { EXIT } from './commands/exit-codes.ts';

export interface UpdateAnswer {
  readonly status: 'current' | 'newer' | 'unknown';
  readonly version: string;
  /** The newest version, when known. */
  readonly newest?: string;
  /** Why the newest version is unknown. */
  readonly reason?: string;
}

/** Runs a program and returns its output; undefined when it does not exist or fails. */
export type Ask = (program: string, args: readonly string[]) => Promise<string | undefined>;

const LIMIT_MS = 20_000;

/** Prints whether there is a newer version. The exit code is 0 for none, 1 for a newer one, 3 for unknown. */
export async function checkForUpdate({ json = false }: { readonly json?: boolean }): Promise<void> {
  const root = packageRoot();
  const answer = await newestVersion(
    VERSION,
    manifestOf(root),
    existsSync(join(root, '.git')) ? root : undefined,
    ask,
  );
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${updateText(answer)}\n`);
  process.exitCode = { current: EXIT.done, newer: EXIT.failed, unknown: EXIT.absent }[answer.status];
}

/** The answer as a sentence. */
export function updateText({ status, version, newest, reason }: UpdateAnswer): string {
  switch (status) {
    case 'current':
      return `Lectern ${version} is the newest version.`;
    case 'newer':
      return `Lectern ${newest} is there; this is ${version}. Install it as you installed this one.`;
    case 'unknown':
      return `Nobody can tell whether there is a newer version than ${version}: ${reason}.`;
  }
}

/** The fields of package.json that identify the program. */
export interface Manifest {
  readonly name: string;
  readonly isPrivate: boolean;
  readonly repository: string | undefined;
}

/**
 * Looks up the newest version in npm's configured registry, or in the tags of the repository that this is a
 * clone of. A package of the same name with another repository is another program and is ignored.
 *
 * @param clone folder of the running clone; undefined for an installed package
 */
export async function newestVersion(
  version: string,
  { name, isPrivate, repository }: Manifest,
  clone: string | undefined,
  ask: Ask,
): Promise<UpdateAnswer> {
  const unknown = (reason: string): UpdateAnswer => ({ status: 'unknown', version, reason });
  const compared = (newest: string): UpdateAnswer => ({
    status: isNewer(newest, version) ? 'newer' : 'current',
    version,
    newest,
  });
  if (clone !== undefined) {
    const tags = await ask('git', ['-C', clone, 'ls-remote', '--tags', '--refs', 'origin']);
    if (tags === undefined) return unknown('the repository that this is a clone of does not answer');
    const newest = versionsIn(tags).reduce<string | undefined>(
      (best, each) => (best === undefined || isNewer(each, best) ? each : best),
      undefined,
    );
    return newest === undefined
      ? unknown('the repository that this is a clone of has no versions')
      : compared(newest);
  }
  if (isPrivate || repository === undefined)
    return unknown('this build was not published, and a package of its name may be somebody else’s');
  const text = await ask('npm', ['view', name, 'version', 'repository.url', '--json']);
  if (text === undefined) return unknown('npm is not there, or its registry does not answer');
  const found = parsed(text);
  const theirs = isRecord(found) ? found['repository.url'] : undefined;
  const newest = isRecord(found) ? found.version : undefined;
  if (typeof newest !== 'string' || !isVersion(newest)) return unknown('the registry knows no such package');
  if (typeof theirs !== 'string' || plainAddress(theirs) !== plainAddress(repository))
    return unknown('the package of this name in the registry is another program');
  return compared(newest);
}

function manifestOf(root: string): Manifest {
  const manifest = parsed(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name = 'lectern', private: isPrivate = false, repository } = isRecord(manifest) ? manifest : {};
  const url = isRecord(repository) ? repository.url : repository;
  return {
    name: String(name),
    isPrivate: isPrivate === true,
    repository: typeof url === 'string' ? url : undefined,
  };
}

function plainAddress(url: string): string {
  return url
    .replace(/^git\+/, '')
    .replace(/^(?:https?|ssh|git):\/\/(?:git@)?/, '')
    .replace(/\.git$/, '')
    .toLowerCase();
}

function versionsIn(tags: string): readonly string[] {
  return [...tags.matchAll(/refs\/tags\/v?(\S+)$/gm)].map(([, tag = '']) => tag).filter(isVersion);
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(text);
}

/** Whether a version is newer than another; a pre-release (`1.2.0-rc.1`) is older than its release. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [one, other].map((each) => (each.split('-')[0] ?? '').split('.').map(Number)) as [
    number[],
    number[],
  ];
  for (const at of [0, 1, 2]) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return !one.includes('-') && other.includes('-');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runs a program; on Windows npm is a shell script and needs a shell. */
function ask(program: string, args: readonly string[]): Promise<string | undefined> {
  const shell = process.platform === 'win32' && program === 'npm';
  return new Promise((resolve) => {
    execFile(program, args, { timeout: LIMIT_MS, shell, windowsHide: true }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
}
