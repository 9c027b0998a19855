import { detectDialect } from '../formats/dialect.ts';
import type { Dialect } from '../notes/model.ts';
import type { Store } from '../stores/store.ts';

/** The source or the destination of a copy. */
export interface CopyEnd {
  readonly store: Store;
  /** Name of the vault. */
  readonly name: string;
  /** The folder that is copied, or copied into; '' = the whole vault. */
  readonly folder: string;
  /** Applies the owner's path rules. */
  mayRead(path: string): boolean;
  mayWrite(path: string): boolean;
}

/** How a store keeps notes, as far as a copy depends on it. */
export interface HomeForm {
  readonly dialect: Dialect;
  /** Notes have ids and facts besides the text, and links between them are by id. */
  readonly byId: boolean;
}

/** Determines the form from the store's capabilities and the names at its top. */
export async function formOf(store: Store): Promise<HomeForm> {
  const { ids, facts } = store.capabilities;
  return { dialect: detectDialect(await store.topNames()), byId: ids && facts };
}

/** The path relative to a folder; undefined when it is outside. */
export function within(folder: string, path: string): string | undefined {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}
