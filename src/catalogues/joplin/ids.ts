import { createHash, randomBytes } from 'node:crypto';
import { JOPLIN_ID, tagTitleKey } from '../../notes/dialects/joplin.ts';
import { JOPLIN_IDS } from '../../vault/note-ids.ts';
import type { VaultLookups } from '../catalogue.ts';

/**
 * Ids of notes and notebooks, stored in the journal.
 *
 * @param own ids from front matter, by path: those that notes had in Joplin
 */
export async function idsOf(
  session: VaultLookups,
  paths: readonly string[],
  own: ReadonlyMap<string, string> = new Map(),
): Promise<ReadonlyMap<string, string>> {
  const make = (path: string, attempt: number) => (attempt === 0 ? own.get(path) : undefined) ?? randomId();
  return await session.ids({ ...JOPLIN_IDS, make }).of(paths);
}

/** The id of one note or notebook. */
export async function idOf(session: VaultLookups, path: string, own?: string): Promise<string> {
  const ids = await idsOf(session, [path], own === undefined ? undefined : new Map([[path, own]]));
  return ids.get(path) ?? '';
}

/** The path of the note or notebook with an id. */
export async function pathOfId(session: VaultLookups, id: string): Promise<string | undefined> {
  const known = await session.ids({ ...JOPLIN_IDS, make: randomId }).pathOf(id);
  if (known !== undefined || !JOPLIN_ID.test(id)) return known;
  // An id from front matter that was not requested here before.
  await session.untilIndexed();
  const { items } = await session.list({ kinds: ['note'], frontmatter: { id } }, 'path', { limit: 2 });
  const [only] = items;
  if (only === undefined || items.length > 1) return undefined;
  return (await idOf(session, only.path, id)) === id ? only.path : undefined;
}

function randomId(): string {
  return randomBytes(16).toString('hex');
}

/** The id of a tag is derived from its title, as the vault has no ids of tags. */
export function tagId(title: string): string {
  return createHash('sha256')
    .update(`tag ${tagTitleKey(title)}`)
    .digest('hex')
    .slice(0, 32);
}
