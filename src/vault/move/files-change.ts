import type { Retitled } from './retitle.ts';

export interface FilesChange {
  /** Old path → new path. */
  readonly moved: ReadonlyMap<string, string>;
  /** The files moved with their folder. */
  readonly folder?: { readonly from: string; readonly to: string } | undefined;
  /** New files. */
  readonly added: readonly string[];
  /** Logseq pages whose `title::` changes, by old path. */
  readonly retitled?: ReadonlyMap<string, Retitled>;
  /** Only links in these files are updated. */
  readonly only?: readonly string[];
}
