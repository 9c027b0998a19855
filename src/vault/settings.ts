import type { Dialect } from '../notes/model.ts';

/** What the vault's own program was told, as far as Lectern honours it. Read once when the vault opens. */
export interface VaultSettings {
  readonly dialect: Dialect;
  /** Excluded files: not searched, listed, counted or tagged; links to them still resolve. */
  isExcluded(path: string): boolean;
  /** False when nothing is excluded, so that queries need not ask. */
  readonly hasExclusions: boolean;
  readonly newLinkFormat: 'shortest' | 'relative' | 'absolute';
}
