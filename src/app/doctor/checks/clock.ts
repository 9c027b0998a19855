import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspectDatabase } from '../../../sqlite/inspect.ts';
import { AUDIT_FILE } from '../../state-files.ts';
import { type Check, ok, problem } from '../check.ts';
import { stateFolders } from '../state-folders.ts';

/** Largest normal difference between the clocks of machines that share notes, ms. */
const APART_MS = 10 * 60_000;

/** Compares the clock with the times of files that Lectern wrote: tokens, undo and conflicts depend on it. */
export const clock: Check = {
  name: 'clock',
  run(context) {
    const now = context.now();
    const newest = Math.max(0, ...stateFolders(context).map(({ path }) => newestIn(path)));
    if (newest - now <= APART_MS) return [ok('clock.right', `The clock says ${minute(now)}.`)];
    return [
      problem(
        'clock.behind',
        `The clock says ${minute(now)}, and Lectern wrote something at ${minute(newest)} already.`,
        'Set the clock of this machine right: tokens and the age of writes go by it.',
      ),
    ];
  },
};

function newestIn(state: string): number {
  const log = statSync(join(state, AUDIT_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.max(log, newestWrite(join(state, 'journal.db')));
}

function newestWrite(journal: string): number {
  if (!existsSync(journal)) return 0;
  try {
    return inspectDatabase(journal, (database) =>
      Number(database.prepare('SELECT max(time) AS time FROM write_group').get()?.time ?? 0),
    );
  } catch {
    return 0;
  }
}

function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`;
}
