import { accessSync, constants, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join, relative } from 'node:path';
import { makeAllPrivate } from '../../../config/private-folder.ts';
import { type Check, counted, type Finding, ok, problem } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { type StateFolder, stateFolders } from '../state-folders.ts';

const OTHERS = 0o077;

/** Checks the owner and permissions of the state folders: they contain the text of notes. */
export const state: Check = {
  name: 'state',
  run(context) {
    const folders = stateFolders(context);
    if (folders.length === 0)
      return [
        ok('state.none', 'There is no state folder yet; the first start makes it, for this user alone.'),
      ];
    return folders.flatMap((folder) => look(context, folder));
  },
};

function look({ user }: DoctorContext, { path, of }: StateFolder): readonly Finding[] {
  const findings: Finding[] = [];
  const entries = everything(path);
  const named = (found: readonly Entry[]) => found.map((entry) => relative(path, entry.path) || '.');
  const foreign = entries.filter(({ stats }) => user !== undefined && user !== 0 && stats.uid !== user);
  if (foreign.length > 0)
    findings.push(
      problem(
        'state.other_owner',
        `The state folder of ${of} has ${counted(foreign.length, 'entry', 'entries')} that belongs to another user.`,
        `Give it to this user: sudo chown -R "$(id -un)" ${JSON.stringify(path)}.`,
        { names: named(foreign) },
      ),
    );
  const open = user === undefined ? [] : entries.filter(({ stats }) => (stats.mode & OTHERS) !== 0);
  if (open.length > 0)
    findings.push(
      problem(
        'state.open_to_others',
        `The state folder of ${of} has ${counted(open.length, 'entry', 'entries')} that other users of this machine may read.`,
        'Run lectern doctor --repair; the next start does it as well.',
        {
          names: named(open),
          repair: {
            what: `close the state folder of ${of} to other users (0700, files 0600)`,
            run: async () => {
              makeAllPrivate(path, user);
              return `The state folder of ${of} is closed to other users.`;
            },
          },
        },
      ),
    );
  if (!mayUse(path))
    findings.push(
      problem(
        'state.not_writable',
        `The state folder of ${of} cannot be written: there is no index and no undo without it.`,
        'Give this user the right to write there, or name another folder with --state.',
      ),
    );
  return findings.length > 0
    ? findings
    : [ok('state.private', `The state folder of ${of} is this user’s alone.`)];
}

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

function everything(path: string): readonly Entry[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return [];
  const inside = stats.isDirectory() ? namesIn(path).flatMap((name) => everything(join(path, name))) : [];
  return [{ path, stats }, ...inside];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function mayUse(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
