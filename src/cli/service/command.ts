import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../app/package-root.ts';
import { resolveHttpSettings } from '../../config/http-settings.ts';
import { loadSettings } from '../../config/load.ts';
import { hostInUrl } from '../../config/loopback.ts';
import type { ServeFlags } from '../../config/settings.ts';
import { EXIT } from '../commands/exit-codes.ts';
import { servicePlan } from './plan.ts';
import { runService } from './run.ts';
import { install, managerOf, planned, remove, runStep, type ServiceHost } from './service.ts';

export interface InstallFlags extends ServeFlags {
  readonly dryRun?: boolean;
}

/** Number of log lines shown. */
const LAST_LINES = 200;
const HEALTH_MS = 5000;

function host(): ServiceHost {
  return {
    manager: managerOf(process.platform, process.env, process.env.HOME ?? homedir()),
    run: runStep,
    say: (line) => process.stdout.write(`${line}\n`),
  };
}

function program(): readonly [string, string] {
  return [process.execPath, join(packageRoot(), 'dist', 'lectern.js')];
}

/**
 * Installs and starts `lectern serve` as a service of this user.
 *
 * @throws LecternError as `servicePlan` and `install`
 */
export async function installService({ dryRun = false, ...flags }: InstallFlags): Promise<void> {
  const plan = await servicePlan(flags, process.env, program());
  if (dryRun) process.stdout.write(planned(host(), plan));
  else await install(host(), plan);
}

/** Stops and removes the service. @throws LecternError as `remove` */
export async function removeService(): Promise<void> {
  await remove(host());
}

/**
 * Prints the service manager's status, and whether the server answers; the exit code is 1 when it is not ready.
 */
export async function showService(flags: ServeFlags): Promise<void> {
  const { manager, run } = host();
  const { code, output } = await run(manager.status);
  process.stdout.write(code === undefined ? `There is no ${manager.status[0]} here.\n` : output);
  const { environment } = await loadSettings(flags, process.env);
  const { host: address, port, tls } = resolveHttpSettings({}, environment);
  const url = `${tls === undefined ? 'http' : 'https'}://${hostInUrl(address === '0.0.0.0' ? '127.0.0.1' : address)}:${port}/readyz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(HEALTH_MS) })
    .then(async (response) => ({ ready: response.ok, text: await response.text() }))
    .catch(() => ({ ready: false, text: 'no answer' }));
  process.stdout.write(`${url}: ${answer.text}\n`);
  if (!answer.ready) process.exitCode = EXIT.failed;
}

/** Prints the last lines of the server's log. */
export async function showLogs(flags: ServeFlags): Promise<void> {
  const { manager, run } = host();
  if (manager.logs !== undefined) {
    const { code, output } = await run(manager.logs);
    process.stdout.write(code === undefined ? `There is no ${manager.logs[0]} here.\n` : output);
    if (code !== 0) process.exitCode = EXIT.failed;
    return;
  }
  const { logFile } = await servicePlan(flags, process.env, program());
  const lines = [`${logFile}.1`, logFile]
    .filter(existsSync)
    .flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  process.stdout.write(
    lines.length === 0 ? 'The server has said nothing.\n' : `${lines.slice(-LAST_LINES).join('\n')}\n`,
  );
}

/** The command that launchd and the Task Scheduler start; it runs the server and sets its exit code. */
export async function runAsService(
  args: readonly string[],
  { log, envFile }: { readonly log: string; readonly envFile?: string },
): Promise<void> {
  process.exitCode = await runService(program(), args, { log, envFile });
}
