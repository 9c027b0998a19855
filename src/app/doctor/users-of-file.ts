import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DoctorSources } from './context.ts';

export interface UsingProcess {
  readonly pid: number;
  /** Name of the program, as far as this user may read it. */
  readonly name: string;
}

/**
 * The other processes that have one of these files open.
 * @returns undefined when that cannot be determined
 */
export async function usersOf(
  paths: readonly string[],
  { platform, proc }: Pick<DoctorSources, 'platform' | 'proc'>,
): Promise<readonly UsingProcess[] | undefined> {
  const real = new Set(paths.flatMap(realPath));
  if (real.size === 0) return [];
  if (platform === 'linux') return byDescriptors(proc, real);
  // Windows itself refuses to move an open file.
  if (platform === 'win32') return [];
  try {
    const { stdout } = await promisify(execFile)('lsof', ['-t', '--', ...real]);
    return pidsIn(stdout).map((pid) => ({ pid, name: 'a process' }));
  } catch (error) {
    // lsof exits with 1 and prints nothing when it finds no process.
    const isNone = error instanceof Error && 'code' in error && error.code === 1 && 'stderr' in error;
    return isNone && error.stderr === '' ? [] : undefined;
  }
}

function pidsIn(text: string): readonly number[] {
  const pids = text.split('\n').map(Number);
  return pids.filter((pid) => pid > 0 && pid !== process.pid);
}

function byDescriptors(proc: string, real: ReadonlySet<string>): readonly UsingProcess[] | undefined {
  try {
    return processes(proc).filter(
      ({ pid }) => pid !== process.pid && descriptorsOf(proc, pid).some((target) => real.has(target)),
    );
  } catch {
    return undefined;
  }
}

/** Every process that can be seen. @throws Error when there is no such folder */
export function processes(proc: string): readonly UsingProcess[] {
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), name: programOf(proc, Number(name)) }));
}

/** The descriptors of a process; empty for processes of other users. */
export function descriptorsOf(proc: string, pid: number): readonly string[] {
  const folder = join(proc, String(pid), 'fd');
  try {
    return readdirSync(folder).flatMap((fd) => {
      try {
        return readlinkSync(join(folder, fd));
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

function programOf(proc: string, pid: number): string {
  try {
    return readFileSync(join(proc, String(pid), 'comm'), 'utf8').trim();
  } catch {
    return 'a process';
  }
}

function realPath(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
