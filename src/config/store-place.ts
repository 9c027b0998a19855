import { LecternError } from '../errors.ts';
import { realPlace } from '../real-place.ts';
import { fromHome } from './file/place.ts';

/** The stores Lectern can open. A new one is a word and a row here, and a row in `app/open-store.ts`. */
export type StoreKind = 'folder' | 'joplin' | 'silverbullet';

/** Where the notes of a vault live, as plain data that a thread can be handed. */
export interface StorePlace {
  readonly kind: StoreKind;
  /** Shown to people: the absolute path of a folder, or the address of a server without its secret. */
  readonly location: string;
  /** What opens the store, for those that ask. Never in a log, an error or an answer. */
  readonly secret?: string;
  /** A file whose first line is that, read whenever the store wants it: a secret that is made anew is taken up. */
  readonly secretFile?: string;
}

/** How a place on a server is written: the kind, and perhaps an address. */
const REMOTE = /^(joplin|silverbullet):(.*)$/s;

/**
 * A place as a person writes it: a folder, or `joplin:` or `silverbullet:`, alone or with an address or a port of this
 * machine behind it.
 *
 * @param base folder that a relative path is meant from
 * @throws LecternError `invalid_input` for an address that is none
 */
export function parsePlace(text: string, base: string): StorePlace {
  const [, kind, address = ''] = REMOTE.exec(text.trim()) ?? [];
  if (kind === 'joplin' || kind === 'silverbullet')
    return { kind, location: `${kind}:${address === '' ? '' : addressOf(address.trim())}` };
  return { kind: 'folder', location: fromHome(text, base) };
}

/** An address without what it does not need: no password, path of the server without the slash at its end. */
function addressOf(text: string): string {
  const full = /^\d+$/.test(text) ? `http://127.0.0.1:${text}` : text;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search !== '')
    throw new LecternError('invalid_input', 'The address of the notes is no address of a server.', {
      next: 'Write it like joplin:http://127.0.0.1:41184 or silverbullet:https://notes.example.com, without a token: that has a setting of its own.',
    });
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** A place as a path of this machine would be written; one on a server stays as it is. */
export function fullPlace(text: string, base: string): string {
  return REMOTE.test(text.trim()) ? text.trim() : fromHome(text, base);
}

/** What the kinds of stores are named by once and for all, however a place of theirs is spelled. */
const IDENTITIES: Readonly<Record<StoreKind, (place: StorePlace) => string>> = {
  folder: ({ location }) => realPlace(location),
  joplin: ({ location }) => location,
  silverbullet: ({ location }) => location,
};

/** What names the store at a place once and for all: its state is kept under it, and its rules hold for it. */
export function placeIdentity(place: StorePlace): string {
  return IDENTITIES[place.kind](place);
}

/** Whether both lead to the same store, whatever links, case, Unicode form or `..` they are written with. */
export function isSamePlace(one: StorePlace, other: StorePlace): boolean {
  return one.kind === other.kind && placeIdentity(one) === placeIdentity(other);
}
