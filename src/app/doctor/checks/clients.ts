import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Check, type Finding, ok, problem, skipped } from '../check.ts';
import type { ClientUse, DoctorContext } from '../context.ts';

/** Options whose argument is a path on this machine. */
const PATH_FLAGS: ReadonlySet<string> = new Set([
  '--vault',
  '--config',
  '--state',
  '--joplin-token-file',
  '--tls-cert',
  '--tls-key',
]);

/** Checks the configuration of clients: whether the programs and vaults that they name still exist. */
export const clients: Check = {
  name: 'clients',
  async run(context) {
    const uses = await context.clients();
    if (uses === undefined)
      return [skipped('clients.unknown', 'Nobody can tell which clients are set up here.')];
    const findings: Finding[] = [];
    for (const use of uses) {
      context.privates.add('path', use.file);
      if (use.problem !== undefined) {
        findings.push(
          problem(
            'clients.unreadable',
            `The configuration of ${use.client} cannot be read: ${use.problem}.`,
            `Correct ${use.file}.`,
          ),
        );
        continue;
      }
      const gone = goneFrom(use, context);
      if (gone === undefined) continue;
      context.privates.add('path', gone);
      findings.push(
        problem(
          'clients.gone',
          `${use.client} starts the server ${context.privates.add('client', use.server)} with ${gone}, which is not there.`,
          `Correct ${use.file}, or take the entry out.`,
        ),
      );
    }
    if (findings.length > 0) return findings;
    const names = [...new Set(uses.map(({ client }) => client))];
    return [
      ok(
        'clients.good',
        names.length === 0
          ? 'No client is set up to start Lectern.'
          : `What ${names.join(', ')} start is there.`,
      ),
    ];
  },
};

/** The first path in a client's entry that does not exist. */
function goneFrom({ command, args }: ClientUse, { environment }: DoctorContext): string | undefined {
  if (command === '') return undefined;
  if (!isThere(command, environment)) return command;
  for (const [at, arg] of args.entries()) {
    const [, flag = '', value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(arg) ?? [];
    const before = args[at - 1] ?? '';
    const named = PATH_FLAGS.has(flag)
      ? value
      : PATH_FLAGS.has(before)
        ? arg
        : isPlainPath(arg)
          ? arg
          : undefined;
    if (named !== undefined && isPathGone(named)) return named;
  }
  return undefined;
}

/** Whether an argument is a path of a script or file, as in `node /opt/lectern/dist/lectern.js`. */
function isPlainPath(arg: string): boolean {
  return isAbsolute(arg) || /^~[\\/]/.test(arg);
}

function isPathGone(text: string): boolean {
  // A vault may be `name=folder`, a name, or on a server.
  const path = text.replace(/^[\p{L}\p{N}][\p{L}\p{N}_-]{0,39}=/u, '').replace(/^~(?=[\\/]|$)/, homedir());
  return isAbsolute(path) && !existsSync(path);
}

function isThere(command: string, environment: DoctorContext['environment']): boolean {
  if (/[\\/]/.test(command)) return existsSync(command.replace(/^~(?=[\\/])/, homedir()));
  const endings = process.platform === 'win32' ? (environment.PATHEXT ?? '.EXE;.CMD').split(';') : [''];
  return (environment.PATH ?? environment.Path ?? '')
    .split(delimiter)
    .some((folder) => folder !== '' && endings.some((ending) => mayRun(join(folder, command + ending))));
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
