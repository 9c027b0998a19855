import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivate } from '../../config/private-folder.ts';
import { LecternError } from '../../errors.ts';
import { missingFolders, removeEmpty } from '../made-folders.ts';
import { launchd } from './launchd.ts';
import { MARK, type ServiceFile, type ServiceManager, type Step } from './manager.ts';
import type { ServicePlan } from './plan.ts';
import { systemd } from './systemd.ts';
import { windowsTask } from './windows-task.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The result of a step. */
export interface StepResult {
  /** undefined = the program does not exist. */
  readonly code: number | undefined;
  readonly output: string;
}

export interface ServiceHost {
  readonly manager: ServiceManager;
  run(step: Step): Promise<StepResult>;
  /** Prints a line for the user. */
  say(line: string): void;
}

/** The service manager of a platform. @throws LecternError `unavailable` for an unknown platform */
export function managerOf(
  platform: NodeJS.Platform,
  environment: Environment,
  home: string,
  user = process.getuid?.() ?? 0,
): ServiceManager {
  if (platform === 'linux') return systemd(environment, home);
  if (platform === 'darwin') return launchd(home, user);
  if (platform === 'win32') return windowsTask(environment, home);
  throw new LecternError('unavailable', `Lectern knows no service manager of ${platform}.`, {
    next: 'Start lectern serve by what your system has for it.',
  });
}

/**
 * Writes the service's files where they differ, and starts the server.
 *
 * @throws LecternError `exists` for a file of another program, `unavailable` when a step fails
 */
export async function install(host: ServiceHost, plan: ServicePlan): Promise<void> {
  const { manager } = host;
  const files = manager.files(plan);
  for (const { path } of files) refuseForeign(path);
  const changed = files.filter((file) => !isWritten(file));
  for (const folder of plan.writable) if (!existsSync(folder)) makePrivate(folder);
  for (const file of changed) write(file);
  for (const { path } of files)
    host.say(changed.some((file) => file.path === path) ? `Wrote ${path}.` : `${path} is as it should be.`);
  // launchd refuses to start a running service, so it is stopped first.
  if (changed.length > 0 && manager.name === 'launchd') for (const step of manager.stop) await host.run(step);
  for (const step of manager.start) await carryOut(host, step);
  host.say('The server is started now, and whenever you log in. See lectern service status.');
}

/**
 * Stops the server and deletes the files that {@link install} wrote.
 *
 * @throws LecternError `exists` for a file that `service install` did not write
 */
export async function remove(host: ServiceHost): Promise<void> {
  const { manager } = host;
  const paths = manager.paths().filter(existsSync);
  if (paths.length === 0) {
    host.say('No service is installed.');
    return;
  }
  for (const path of paths) refuseForeign(path);
  // Failures are ignored, as a service that does not run cannot be stopped.
  for (const step of manager.stop) await host.run(step);
  for (const path of paths) {
    const folders = madeFolders(readText(path));
    rmSync(path);
    for (const folder of folders) removeEmpty(folder);
    host.say(`Removed ${path}.`);
  }
  for (const step of manager.forget) await host.run(step);
}

/** The text of `--dry-run`: the files and steps of {@link install}. */
export function planned({ manager }: Pick<ServiceHost, 'manager'>, plan: ServicePlan): string {
  const files = manager.files(plan).map(({ path, text }) => `# ${path}\n${text.replace(/^\ufeff/, '')}`);
  const steps = manager.start.map((step) => `$ ${step.join(' ')}`);
  return `${[...files, ...steps].join('\n')}\n`;
}

async function carryOut(host: ServiceHost, step: Step): Promise<void> {
  const { code, output } = await host.run(step);
  if (code === 0) return;
  const reason = code === undefined ? `there is no ${step[0]} here` : output.trim().split('\n').at(-1);
  throw new LecternError('unavailable', `${step.join(' ')} failed: ${reason ?? ''}.`.replace(/\.\.$/, '.'), {
    next: 'The files are written; run it yourself when you are logged in at that machine, or lectern service remove.',
  });
}

function refuseForeign(path: string): void {
  if (!existsSync(path) || readText(path).includes(MARK)) return;
  throw new LecternError('exists', `${path} is there and was not written by lectern service install.`, {
    next: 'Move it away, or go on using it.',
  });
}

function isWritten(file: ServiceFile): boolean {
  return existsSync(file.path) && withoutFolders(readText(file.path)) === file.text.replace(/^\ufeff/, '');
}

/** The comment in a file that lists the folders created for it, which are removed with it. */
const FOLDERS = /\n(?:# |<!-- )lectern-made: (.*?)(?: -->)?(?=\n)/;

function write(file: ServiceFile): void {
  const { path, text, encoding = 'utf8' } = file;
  const made = [
    ...new Set([...(existsSync(path) ? madeFolders(readText(path)) : []), ...missingFolders(path)]),
  ];
  mkdirSync(dirname(path), { recursive: true });
  const comment = path.endsWith('.service')
    ? `# lectern-made: ${JSON.stringify(made)}`
    : `<!-- lectern-made: ${JSON.stringify(made).replaceAll('--', '-\\u002d')} -->`;
  const noted = made.length === 0 ? text : text.replace(/\n/, `\n${comment}\n`);
  const temporary = `${path}.new`;
  writeFileSync(temporary, noted, { encoding, mode: 0o600 });
  renameSync(temporary, path);
}

function madeFolders(text: string): readonly string[] {
  const noted = FOLDERS.exec(text)?.[1];
  return noted === undefined ? [] : (JSON.parse(noted) as string[]);
}

function withoutFolders(text: string): string {
  return text.replace(FOLDERS, '');
}

function readText(path: string): string {
  const bytes = readFileSync(path);
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isWide ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
}

/** Runs a program; a failure is part of the result. */
export function runStep([program, ...args]: Step): Promise<StepResult> {
  return new Promise((resolve) => {
    execFile(program, args, { windowsHide: true, timeout: 120_000 }, (error, stdout, stderr) => {
      const isMissing = error !== null && 'code' in error && error.code === 'ENOENT';
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code: isMissing ? undefined : code, output: `${stdout}${stderr}` });
    });
  });
}
