import type { Retitled } from './retitle.ts';

export interface FilesChange {
  /** Old path → new path. */
  readonly moved: ReadonlyMap<string, string>;
  /** The files moved because their folder did. */
  readonly folder?: { readonly from: string; readonly to: string } | undefined;
  /** Files that appear. */
  readonly added: readonly string[];
  /** Logseq pages that are called otherwise in `title::` as well, by old path. */
  readonly retitled?: ReadonlyMap<string, Retitled>;
  /** Only links in these files follow. */
  readonly only?: readonly string[];
}
