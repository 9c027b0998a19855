import { createHash, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';

/**
 * Names of what Lectern puts beside notes while it writes: dot-prefixed, so that editors, sync tools'
 * ignore rules and our own listing leave them out; in the same folder, so that a rename is atomic.
 * `.lectern-<host>-<pid>t<thread>-<random>.tmp` is a version that waits to take its place.
 * `.lectern-<host>-<pid>t<thread>-<random>-<etag>.old` is a second name of the version that is being replaced.
 * `.lectern-<host>-<pid>t<thread>-<random>-<etag|move>.swap` is a folder that holds, under the note's own name, a
 * version that was taken from its place (so a crash at any point can be sorted out).
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
/** Another computer's (or container's) leftovers: its clock and processes cannot be asked. */
const FOREIGN_STALE_MS = 24 * 3600_000;
/** A process id may have been given to another program since. */
const REUSED_PID_STALE_MS = 3600_000;
/** What another thread of this process has in use is not known here; it needs it for milliseconds. */
const OTHER_THREAD_STALE_MS = 60_000;

const HOST = hostTag();
/** What this thread is writing at the moment; several stores may be open in it. */
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

/** The name is free again, or what is left under it may be swept. */
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
 * True when whoever made it cannot be at work on it any more.
 * @param ageMs since its last change
 */
export function isStale(name: string, ageMs: number): boolean {
  const temp = parseTempName(name);
  if (temp === undefined || inUse.has(name)) return false;
  if (temp.host !== HOST) return ageMs > FOREIGN_STALE_MS;
  if (temp.pid === process.pid) return temp.thread === threadId || ageMs > OTHER_THREAD_STALE_MS;
  return !isAlive(temp.pid) || ageMs > REUSED_PID_STALE_MS;
}

function claim(purpose: string, kind: TempName['kind']): string {
  // The last group of digits is random throughout, and unlike `randomBytes` this asks the system for many at once.
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

/** Process ids mean something only within one computer and, in containers, one namespace. */
function hostTag(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux: the host name is all there is.
  }
  return createHash('sha256').update(`${hostname()}\0${namespace}`).digest('hex').slice(0, 8);
}
