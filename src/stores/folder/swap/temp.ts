import { createHash, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';

/**
 * Names of temporary files beside notes: they start with a dot, so that editors, the ignore rules of sync
 * tools and the listing leave them out, and they are in the same folder, so that a rename is atomic.
 * `.lectern-<host>-<pid>t<thread>-<random>.tmp` is a new version before it is put in place.
 * `.lectern-<host>-<pid>t<thread>-<random>-<etag>.old` is a second name of the version being replaced.
 * `.lectern-<host>-<pid>t<thread>-<random>-<etag|move>.swap` is a folder that contains, under the note's own
 * name, a version taken from its path (so that a crash at any point can be recovered).
 */
export interface TempName {
  readonly kind: 'tmp' | 'old' | 'swap';
  readonly host: string;
  readonly pid: number;
  readonly thread: number;
  /** The etag of the version being replaced; for a swap also `move`. */
  readonly purpose: string | undefined;
}

const PREFIX = '.lectern-';
const PATTERN =
  /^\.lectern-([0-9a-f]{8})-(\d{1,10})(?:t(\d{1,10}))?-[0-9a-f]{12}(?:-([0-9a-f]{16}|move))?\.(tmp|old|swap)$/;
/** Files of another computer or container: its clock and processes cannot be checked. */
const FOREIGN_STALE_MS = 24 * 3600_000;
/** The process id may belong to another program by now. */
const REUSED_PID_STALE_MS = 3600_000;
/** The names in use by another thread of this process are unknown here; it uses each for milliseconds. */
const OTHER_THREAD_STALE_MS = 60_000;

const HOST = hostTag();
/** Names in use by this thread; several stores may be open in it. */
const inUse = new Set<string>();

export function tempFileName(): string {
  return claim('', 'tmp');
}

/** @param etag of the version being replaced */
export function oldVersionName(etag: string): string {
  return claim(`-${etag}`, 'old');
}

/** @param purpose etag of the version being replaced, or `move` */
export function swapFolderName(purpose: string): string {
  return claim(`-${purpose}`, 'swap');
}

/** Frees the name: a file left under it may now be swept. */
export function releaseTempName(name: string): void {
  inUse.delete(name);
}

export function isTempName(name: string): boolean {
  return name.startsWith(PREFIX);
}

export function parseTempName(name: string): TempName | undefined {
  const match = PATTERN.exec(name);
  const [, host, pid, thread, purpose, kind] = match ?? [];
  if (host === undefined || pid === undefined) return undefined;
  return {
    kind: kind === 'swap' || kind === 'old' ? kind : 'tmp',
    host,
    pid: Number(pid),
    thread: Number(thread ?? threadId),
    purpose,
  };
}

/**
 * True when the process that made it cannot be using it any more.
 * @param ageMs time since its last change
 */
export function isStale(name: string, ageMs: number): boolean {
  const temp = parseTempName(name);
  if (temp === undefined || inUse.has(name)) return false;
  if (temp.host !== HOST) return ageMs > FOREIGN_STALE_MS;
  if (temp.pid === process.pid) return temp.thread === threadId || ageMs > OTHER_THREAD_STALE_MS;
  return !isAlive(temp.pid) || ageMs > REUSED_PID_STALE_MS;
}

function claim(purpose: string, kind: TempName['kind']): string {
  // The last group of digits is fully random, and unlike `randomBytes` this requests many from the system at
  // once.
  const random = randomUUID().slice(-12);
  const name = `${PREFIX}${HOST}-${process.pid}t${threadId}-${random}${purpose}.${kind}`;
  inUse.add(name);
  return name;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Process ids are valid within one computer and, in containers, one namespace. */
function hostTag(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux: only the host name is available.
  }
  return createHash('sha256').update(`${hostname()}\0${namespace}`).digest('hex').slice(0, 8);
}
