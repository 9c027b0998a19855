import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Check, type Finding, ok, problem, skipped } from '../check.ts';
import type { DoctorContext } from '../context.ts';

const MIB = 1024 * 1024;
/**
 * Least free space, bytes: a write needs its note twice, the journal and the index, and a new index is
 * written beside the old one.
 */
const LEAST = 64 * MIB;
/** Network file systems by Linux's number for them: SQLite's write-ahead log does not work there. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
]);

/** Checks the free space for notes and state, and drives that must not hold databases. */
export const space: Check = {
  name: 'space',
  async run(context) {
    const { vaults } = context;
    const places = [
      ...vaults
        .filter(({ kind }) => kind === 'folder')
        .map(({ location, name }) => ({ of: `vault ${name}`, path: location, state: undefined })),
      ...vaults.map(({ state, name }) => ({ of: `the state of vault ${name}`, path: nearest(state), state })),
    ];
    const found = await Promise.all(places.map((place) => look(context, place)));
    return found.flat();
  },
};

interface Place {
  readonly of: string;
  readonly path: string;
  readonly state: string | undefined;
}

async function look(
  { space, platform }: DoctorContext,
  { of, path, state }: Place,
): Promise<readonly Finding[]> {
  let found: { readonly free: number; readonly type: number };
  try {
    found = await space(path);
  } catch {
    return existsSync(path)
      ? [skipped('space.unknown', `Nobody can tell how much room there is for ${of}.`)]
      : [];
  }
  const free = Math.floor(found.free / MIB);
  const needed = Math.max(LEAST, state === undefined ? 0 : sizeOf(join(state, 'index.db')));
  const findings: Finding[] = [];
  if (found.free < needed)
    findings.push(
      problem(
        'space.low',
        `There are ${free} MiB left for ${of}; ${Math.ceil(needed / MIB)} are needed.`,
        'Make room on that drive: without it writes are refused, though nothing is lost.',
      ),
    );
  const network = platform === 'linux' && state !== undefined ? NETWORK.get(found.type >>> 0) : undefined;
  if (network !== undefined)
    findings.push(
      problem(
        'space.network',
        `${of.charAt(0).toUpperCase()}${of.slice(1)} is on a ${network} drive, where databases may be damaged.`,
        'Name a folder on a drive of this machine with --state or LECTERN_STATE.',
      ),
    );
  return findings.length > 0 ? findings : [ok('space.enough', `There is room for ${of}: ${free} MiB.`)];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The folder, or its nearest existing parent. */
function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}
