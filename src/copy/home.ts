import { detectDialect } from '../formats/dialect.ts';
import type { Dialect } from '../notes/model.ts';
import type { Store } from '../stores/store.ts';

/** One end of a copy. */
export interface CopyEnd {
  readonly store: Store;
  /** What the vault is called. */
  readonly name: string;
  /** The folder of it that is copied, or into which; empty for all of it. */
  readonly folder: string;
  /** The owner's path rules. */
  mayRead(path: string): boolean;
  mayWrite(path: string): boolean;
}

/** What a home of notes can hold, as far as a copy goes by it. */
export interface HomeForm {
  readonly dialect: Dialect;
  /** Notes have facts beside the text, and links between them are by id. */
  readonly byId: boolean;
}

export async function formOf(store: Store): Promise<HomeForm> {
  const { ids, facts } = store.capabilities;
  return { dialect: detectDialect(await store.topNames()), byId: ids && facts };
}

/** A path seen from a folder; undefined outside of it. */
export function within(folder: string, path: string): string | undefined {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}
