import { closeSync, existsSync, openSync } from 'node:fs';
import type { DoctorContext } from './context.ts';

export interface StateFolder {
  readonly path: string;
  /** The vault it belongs to, as text for messages; or the server. */
  readonly of: string;
  /** Whether etags there cover only the bytes, not facts. */
  readonly plainEtags: boolean;
}

/** The existing state folders of the vaults and of the server. */
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

/** Whether this user may not read a file. Another check reports its owner. */
export function mayNotRead(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
  }
}
