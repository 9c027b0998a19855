import { dirname, join, resolve } from 'node:path';
import { configPlace } from '../../config/file/place.ts';
import { loadSettings } from '../../config/load.ts';
import { modelsFolder } from '../../config/models-folder.ts';
import { type ServeFlags, serverVault } from '../../config/settings.ts';
import { stateHome, vaultStatePath } from '../../config/state-folder.ts';
import { placeIdentity } from '../../config/store-place.ts';
import { LecternError } from '../../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The data that every service manager needs. Paths are absolute; it contains no secret. */
export interface ServicePlan {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Folders in which the server writes; it needs no other write access. */
  readonly writable: readonly string[];
  /** Folders in which it writes that may not exist when it starts. */
  readonly perhaps: readonly string[];
  readonly home: string;
  /** File with environment variables for the server, including secrets; it may not exist. */
  readonly environmentFile: string;
  /** The server's log file, for managers that keep no log. */
  readonly logFile: string;
}

/**
 * Computes how to start the server with these settings as a service.
 *
 * @param program paths of the running Node and of Lectern's script
 * @throws LecternError `invalid_input` for settings with which no server would start
 */
export async function servicePlan(
  flags: ServeFlags,
  environment: Environment,
  program: readonly [node: string, script: string],
): Promise<ServicePlan> {
  const { settings, file } = await loadSettings(flags, environment);
  const stateBase = settings.stateDir ?? join(stateHome(environment), 'lectern');
  const server = serverVault(settings);
  const config = configPlace(flags.config, environment).path;
  const folders = settings.vaults.filter(({ kind, rules }) => kind === 'folder' && !rules.readOnly);
  const vaults =
    flags.vault === undefined ? [] : settings.vaults.map(({ name, location }) => `${name}=${location}`);
  const arguments_ = [
    'serve',
    ...vaults.flatMap((vault) => ['--vault', vault]),
    ...(flags.state === undefined ? [] : ['--state', resolve(stateBase)]),
    ...(file === undefined ? [] : ['--config', config]),
  ];
  const home = environment.HOME ?? environment.USERPROFILE ?? dirname(stateBase);
  const plan: ServicePlan = {
    command: [...program, ...arguments_],
    writable: [...folders.map(({ location }) => location), stateBase],
    perhaps: [modelsFolder(environment), dirname(config), join(dataHome(environment, home), 'Trash')],
    home,
    environmentFile: join(dirname(config), 'service.env'),
    logFile: join(vaultStatePath(placeIdentity(server), settings.stateDir, environment), 'service.log'),
  };
  for (const text of [...plan.command, ...plan.writable])
    if (/\p{Cc}/u.test(text))
      throw new LecternError(
        'invalid_input',
        `${JSON.stringify(text)} cannot be written into the files of a service.`,
        {
          next: 'Rename the folder: line breaks and control characters have no place there.',
        },
      );
  return plan;
}

function dataHome(environment: Environment, home: string): string {
  return environment.XDG_DATA_HOME || join(home, '.local', 'share');
}

/** The arguments of `service run`, which starts the server under a manager that keeps no log. */
export function runArguments({ command, environmentFile, logFile }: ServicePlan): readonly string[] {
  const [, script = '', ...rest] = command;
  return [script, 'service', 'run', '--log', logFile, '--env-file', environmentFile, '--', ...rest];
}
