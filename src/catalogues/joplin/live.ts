import type { VaultLookups } from '../catalogue.ts';

/** A running Joplin keeps beside the text what a folder has in front matter; operations take it as properties. */
export async function isLive(session: VaultLookups): Promise<boolean> {
  return (await session.status()).store === 'joplin';
}
