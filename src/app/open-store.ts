import { readFileSync } from 'node:fs';
import type { StoreKind, StorePlace } from '../config/store-place.ts';
import { LecternError } from '../errors.ts';
import type { Store } from '../stores/store.ts';
import { secretInKeychain } from './keychain.ts';

/** One kind of store. Its code is loaded when a store of the kind is used. */
interface StoreOpener {
  open(place: StorePlace): Promise<Store>;
  /** Throws `unavailable`, with a message for the owner, for a place that cannot be opened. */
  check(place: StorePlace): Promise<void>;
}

const OPENERS: Readonly<Record<StoreKind, StoreOpener>> = {
  folder: {
    async open({ location }) {
      const { openFolderStore } = await import('../stores/folder/folder-store.ts');
      return openFolderStore({ root: location });
    },
    async check({ location }) {
      const { checkVaultFolder } = await import('../stores/folder/check.ts');
      await checkVaultFolder(location);
    },
  },
  joplin: {
    async open(place) {
      const { openJoplinStore } = await import('../stores/joplin/joplin-store.ts');
      const url = place.location.slice('joplin:'.length);
      // Read once: a keychain may ask its owner.
      const kept = secretOf(place) === undefined ? await secretInKeychain('joplin') : undefined;
      return openJoplinStore({ ...(url !== '' && { url }), token: () => secretOf(place) ?? kept });
    },
    // Joplin may be started later; until then the index answers.
    async check() {},
  },
  silverbullet: {
    async open(place) {
      const { openSilverBulletStore } = await import('../stores/silverbullet/silverbullet-store.ts');
      return openSilverBulletStore({ url: addressOf(place), secret: () => secretOf(place) });
    },
    async check(place) {
      addressOf(place);
    },
  },
};

/** @throws LecternError `invalid_input` when the address of the space is not set */
function addressOf({ location }: StorePlace): string {
  const address = location.slice('silverbullet:'.length);
  if (address !== '') return address;
  throw new LecternError('invalid_input', 'Nobody said where SilverBullet is.', {
    next: 'Name its address: --vault silverbullet:https://notes.example.com, or --silverbullet-url.',
  });
}

/** The current secret of a place; undefined when there is none. */
export function secretOf({ secret, secretFile }: StorePlace): string | undefined {
  if (secret !== undefined || secretFile === undefined) return secret;
  try {
    return readFileSync(secretFile, 'utf8').split(/\r?\n/, 1)[0]?.trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Opens the store of a vault. The only place that chooses an adapter of the store port.
 * @throws LecternError `unavailable`, `not_found`, `invalid_input` for a place that cannot be served
 */
export function openStore(place: StorePlace): Promise<Store> {
  return OPENERS[place.kind].open(place);
}

/** @throws LecternError `unavailable` when a store there could not be opened now */
export function checkPlace(place: StorePlace): Promise<void> {
  return OPENERS[place.kind].check(place);
}
