import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, counted, type Finding, ok, problem } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { processes } from '../users-of-file.ts';
import { eachFolder } from './each-folder.ts';

/** inotify needs one watch per folder, and Lectern one instance per vault. */
const LIMITS = { watches: 'max_user_watches', instances: 'max_user_instances' } as const;

/**
 * Checks whether the kernel's limits allow every folder to be watched. If not, changes by other programs are
 * noticed late.
 */
export const watcher: Check = {
  name: 'watcher',
  async run(context) {
    if (context.platform !== 'linux')
      return [ok('watcher.unlimited', 'Watching folders has no limit on this system.')];
    const watches = limitOf(context, LIMITS.watches);
    const instances = limitOf(context, LIMITS.instances);
    if (watches === undefined || instances === undefined)
      return [ok('watcher.unlimited', 'This kernel states no limit for watching folders.')];
    const used = inUse(context);
    return eachFolder(context, ({ name }, { folders }) => {
      const findings: Finding[] = [];
      if (used.watches + folders.length > watches)
        findings.push(
          problem(
            'watcher.watches',
            `Vault ${name} has ${counted(folders.length, 'folder')}, and of ${watches} watches this user may have ${used.watches} are in use.`,
            `Raise the limit: sudo sysctl fs.inotify.max_user_watches=${raised(watches, used.watches + folders.length)}, and in /etc/sysctl.d to keep it.`,
          ),
        );
      if (used.instances + 1 > instances)
        findings.push(
          problem(
            'watcher.instances',
            `Vault ${name} cannot be watched: all ${instances} instances of inotify that this user may have are in use.`,
            `Raise the limit: sudo sysctl fs.inotify.max_user_instances=${raised(instances, used.instances + 8)}, and in /etc/sysctl.d to keep it.`,
          ),
        );
      return findings.length > 0
        ? findings
        : [
            ok(
              'watcher.enough',
              `Vault ${name} can be watched: ${counted(folders.length, 'folder')}, ${watches - used.watches} watches left.`,
            ),
          ];
    });
  },
};

function limitOf({ proc }: DoctorContext, name: string): number | undefined {
  try {
    const value = Number(readFileSync(join(proc, 'sys/fs/inotify', name), 'utf8').trim());
    return Number.isSafeInteger(value) && value > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The watches and instances of this user's processes, without processes that may not be read. */
function inUse({ proc, user }: DoctorContext): { readonly watches: number; readonly instances: number } {
  let watches = 0;
  let instances = 0;
  try {
    for (const { pid } of processes(proc)) {
      if (user !== undefined && ownerOf(proc, pid) !== user) continue;
      const folder = join(proc, String(pid), 'fdinfo');
      for (const fd of namesIn(folder)) {
        const text = read(join(folder, fd));
        if (!/^inotify /m.test(text) && !isInotify(proc, pid, fd)) continue;
        instances++;
        watches += text.match(/^inotify /gm)?.length ?? 0;
      }
    }
  } catch {
    // Treated as nothing in use.
  }
  return { watches, instances };
}

function ownerOf(proc: string, pid: number): number | undefined {
  const uid = /^Uid:\s+(\d+)/m.exec(read(join(proc, String(pid), 'status')))?.[1];
  return uid === undefined ? undefined : Number(uid);
}

/** Instances without watches have no entries in fdinfo, so they are recognised by their link. */
function isInotify(proc: string, pid: number, fd: string): boolean {
  return linkOf(join(proc, String(pid), 'fd', fd)) === 'anon_inode:inotify';
}

function raised(limit: number, needed: number): number {
  return Math.max(limit * 2, 2 ** Math.ceil(Math.log2(needed * 2)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
