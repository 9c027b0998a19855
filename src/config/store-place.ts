import { LecternError } from '../errors.ts';
import { realPlace } from '../real-place.ts';
import { fromHome } from './file/place.ts';

/** The kinds of stores. A new one needs a word and a row here, and a row in `app/open-store.ts`. */
export type StoreKind = 'folder' | 'joplin' | 'silverbullet';

/** The place of a vault's notes, as plain data that can be sent to a thread. */
export interface StorePlace {
  readonly kind: StoreKind;
  /** For display: the absolute path of a folder, or a server's address without its secret. */
  readonly location: string;
  /** Secret for stores that need one. Never logged, shown in an error or answered. */
  readonly secret?: string;
  /** A file with the secret as its first line, read whenever the store needs it, so that a new secret is picked up. */
  readonly secretFile?: string;
}

/** How a place on a server is written: the kind, and perhaps an address. */
const REMOTE = /^(joplin|silverbullet):(.*)$/s;

/**
 * A place as a user writes it: a folder, or `joplin:` or `silverbullet:`, alone or followed by an address or
 * a port of this machine.
 *
 * @param base folder that relative paths start from
 * @throws LecternError `invalid_input` for an invalid address
 */
export function parsePlace(text: string, base: string): StorePlace {
  const [, kind, address = ''] = REMOTE.exec(text.trim()) ?? [];
  if (kind === 'joplin' || kind === 'silverbullet')
    return { kind, location: `${kind}:${address === '' ? '' : addressOf(address.trim())}` };
  return { kind: 'folder', location: fromHome(text, base) };
}

/** A normalised address: without password, and without a trailing slash. */
function addressOf(text: string): string {
  const full = /^\d+$/.test(text) ? `http://127.0.0.1:${text}` : text;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search !== '')
    throw new LecternError('invalid_input', 'The address of the notes is no address of a server.', {
      next: 'Write it like joplin:http://127.0.0.1:41184 or silverbullet:https://notes.example.com, without a token: that has a setting of its own.',
    });
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** A place in this machine's notation for paths; a server's place is unchanged. */
export function fullPlace(text: string, base: string): string {
  return REMOTE.test(text.trim()) ? text.trim() : fromHome(text, base);
}

/** How stores of each kind are identified, however their place is written. */
const IDENTITIES: Readonly<Record<StoreKind, (place: StorePlace) => string>> = {
  folder: ({ location }) => realPlace(location),
  joplin: ({ location }) => location,
  silverbullet: ({ location }) => location,
};

/** The identity of the store at a place: its state is stored under it, and its rules are matched by it. */
export function placeIdentity(place: StorePlace): string {
  return IDENTITIES[place.kind](place);
}

/** Whether both lead to the same store, whatever links, case, Unicode form or `..` they contain. */
export function isSamePlace(one: StorePlace, other: StorePlace): boolean {
  return one.kind === other.kind && placeIdentity(one) === placeIdentity(other);
}
