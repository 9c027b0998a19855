import { realPlace } from '../real-place.ts';
import { fromHome } from './file/place.ts';

/** The stores Lectern can open. A new one is a word and a row here, and a row in `app/open-store.ts`. */
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

/** What the kinds of stores are named by once and for all, however a place of theirs is spelled. */
const IDENTITIES: Readonly<Record<StoreKind, (place: StorePlace) => string>> = {
  folder: ({ location }) => realPlace(location),
};

/** What names the store at a place once and for all: its state is kept under it, and its rules hold for it. */
export function placeIdentity(place: StorePlace): string {
  return IDENTITIES[place.kind](place);
}

/** Whether both lead to the same store, whatever links, case, Unicode form or `..` they are written with. */
export function isSamePlace(one: StorePlace, other: StorePlace): boolean {
  return one.kind === other.kind && placeIdentity(one) === placeIdentity(other);
}
