import { fromHome } from './file/place.ts';

/** The stores Lectern can open. A new one is a word here and a row in `app/open-store.ts`. */
export type StoreKind = 'folder';

/** Where the notes of a vault live, as plain data that a thread can be handed. */
export interface StorePlace {
  readonly kind: StoreKind;
  /** Shown to people: the absolute path of a folder, or the address of a server without its secret. */
  readonly location: string;
  /** What opens the store, for those that ask. Never in a log, an error or an answer. */
  readonly secret?: string;
}

/**
 * A place as a person writes it.
 *
 * @param base folder that a relative path is meant from
 */
export function parsePlace(text: string, base: string): StorePlace {
  return { kind: 'folder', location: fromHome(text, base) };
}

/** Whether both are written the same; one folder may have several spellings. */
export function isSamePlace(one: StorePlace, other: StorePlace): boolean {
  return one.kind === other.kind && one.location === other.location;
}
