import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, type Finding, ok } from '../check.ts';
import type { DoctorVault } from '../context.ts';
import type { VaultWalk } from '../walk.ts';
import { eachFolder } from './each-folder.ts';

/** Checks how each vault's drive treats names, by looking up existing names in another spelling. */
export const drive: Check = {
  name: 'drive',
  run: (context) => eachFolder(context, (vault, walk) => [behaviour(vault, walk)]),
};

function behaviour({ name, location }: DoctorVault, { files, folders }: VaultWalk): Finding {
  const names = [...files.map(({ path }) => path), ...folders].filter((path) => path !== '');
  const cased = names.find((path) => swapped(path) !== path);
  const composed = names.find((path) => path.normalize('NFD') !== path.normalize('NFC'));
  const said = [
    cased === undefined
      ? 'no name tells about case'
      : isSame(location, cased, swapped(cased))
        ? 'takes A and a for one name'
        : 'tells A from a',
    composed === undefined
      ? undefined
      : isSame(location, composed, otherForm(composed))
        ? 'takes both Unicode forms for one name'
        : 'tells the two Unicode forms of é apart',
  ];
  return ok('drive.names', `The drive of vault ${name} ${said.filter(Boolean).join(' and ')}.`);
}

/** The path with the case of its last part swapped. */
function swapped(path: string): string {
  const cut = path.lastIndexOf('/') + 1;
  const last = path.slice(cut);
  return path.slice(0, cut) + (last === last.toUpperCase() ? last.toLowerCase() : last.toUpperCase());
}

function otherForm(path: string): string {
  const composed = path.normalize('NFC');
  return composed === path ? path.normalize('NFD') : composed;
}

function isSame(root: string, path: string, other: string): boolean {
  const [one, two] = [path, other].map((each) => lstatSync(join(root, each), { throwIfNoEntry: false }));
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev;
}
