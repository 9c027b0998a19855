import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspectDatabase } from '../../../sqlite/inspect.ts';
import { AUDIT_FILE } from '../../state-files.ts';
import { type Check, type Finding, ok, problem, said } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { checkUnused, SUFFIXES } from '../set-aside.ts';
import { mayNotRead, type StateFolder, stateFolders } from '../state-folders.ts';
import { usersOf } from '../users-of-file.ts';

/** A lock older than this, ms, is abandoned: a rotation of the log takes milliseconds. */
const STALE_MS = 60_000;
/** State of a process that was stopped by a signal or a debugger. */
const STOPPED = /^[Tt]/;

/**
 * Finds locks that will not be released: of processes that ended during a rotation of the log, or were
 * stopped.
 */
export const locks: Check = {
  name: 'locks',
  async run(context) {
    const found = await Promise.all(stateFolders(context).map((folder) => look(context, folder)));
    return found.flat();
  },
};

async function look(context: DoctorContext, { path, of }: StateFolder): Promise<readonly Finding[]> {
  const findings = [
    ...staleLog(context, path, of),
    ...broken(context, path, of),
    ...(await stopped(context, path, of)),
  ];
  return findings.length > 0 ? findings : [ok('locks.free', `No lock of ${of} is left behind.`)];
}

function staleLog({ now }: DoctorContext, path: string, of: string): readonly Finding[] {
  const lock = join(path, `${AUDIT_FILE}.lock`);
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (stats === undefined || now() - stats.mtimeMs < STALE_MS) return [];
  return [
    problem(
      'locks.stale',
      `A process that died left a lock at the audit log of ${of}.`,
      'Run lectern doctor --repair; the next full log takes it away as well.',
      {
        repair: {
          what: `remove the lock that is left at the audit log of ${of}`,
          run: async () => {
            rmSync(lock, { force: true });
            return `The lock at the audit log of ${of} is gone.`;
          },
        },
      },
    ),
  ];
}

/** Checks the lock between processes. It is a database without rows, and is created again when needed. */
function broken(context: DoctorContext, path: string, of: string): readonly Finding[] {
  const lock = join(path, 'lock.db');
  if (mayNotRead(lock)) return [];
  if ((statSync(lock, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  try {
    inspectDatabase(lock, () => undefined);
    return [];
  } catch (error) {
    return [
      problem(
        'locks.damaged',
        `The file of the write lock of ${of} is damaged, so that nothing can be written: ${said(error)}.`,
        'Run lectern doctor --repair.',
        {
          repair: {
            what: `make the write lock of ${of} anew, which holds no data`,
            run: async () => {
              await checkUnused(lock, context);
              for (const suffix of SUFFIXES) rmSync(lock + suffix, { force: true });
              return `The write lock of ${of} is made anew by the next start.`;
            },
          },
        },
      ),
    ];
  }
}

async function stopped(context: DoctorContext, path: string, of: string): Promise<readonly Finding[]> {
  const users = (await usersOf([join(path, 'lock.db')], context)) ?? [];
  return users
    .filter(({ pid }) => STOPPED.test(stateOf(context.proc, pid)))
    .map(({ pid, name }) =>
      problem(
        'locks.stopped_process',
        `The process ${pid} (${name}) has the state of ${of} open and is stopped: others may wait for it without end.`,
        `Let it go on (kill -CONT ${pid}) or end it (kill ${pid}; kill -CONT ${pid}).`,
      ),
    );
}

function stateOf(proc: string, pid: number): string {
  try {
    const text = readFileSync(join(proc, String(pid), 'stat'), 'utf8');
    return text.slice(text.lastIndexOf(')') + 2);
  } catch {
    return '';
  }
}
