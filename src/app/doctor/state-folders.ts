import { closeSync, existsSync, openSync } from 'node:fs';
import type { DoctorContext } from './context.ts';

export interface StateFolder {
  readonly path: string;
  /** The vault it belongs to, or what belongs to the server. */
  readonly of: string;
  /** Etags there are of the bytes alone. */
  readonly plainEtags: boolean;
}

/** The state folders that are there: those of the vaults, and the server's. */
export function stateFolders({ vaults, serverState }: DoctorContext): readonly StateFolder[] {
  const folders: StateFolder[] = vaults.map(({ state, name, kind }) => ({
    path: state,
    of: `vault ${name}`,
    plainEtags: kind === 'folder',
  }));
  if (serverState !== undefined && !folders.some(({ path }) => path === serverState))
    folders.push({ path: serverState, of: 'the server', plainEtags: false });
  return folders.filter(({ path }) => existsSync(path));
}

/** Of a file that this user may not read nothing else can be said: whose it is, another check tells. */
export function mayNotRead(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
  }
}
