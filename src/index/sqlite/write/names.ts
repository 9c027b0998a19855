import { DIALECT_RULES } from '../../../notes/dialects/rules.ts';
import { propertyByName } from '../../../notes/frontmatter/frontmatter.ts';
import { asLinkedId, statedId } from '../../../notes/links/id-links.ts';
import { resolveLink } from '../../../notes/links/resolve.ts';
import type { Dialect, ParsedNote } from '../../../notes/model.ts';
import { nameKey, pathKey } from '../../../notes/path.ts';
import type { StoreEntry } from '../../../stores/store.ts';
import type { LinkRecord } from '../../note-index.ts';

/**
 * Name keys tie a written link to the files it could mean, before any rule of preference. A link
 * holds every key its resolution may ask for, a file every key it answers to; when a file comes or
 * goes, exactly the links that share a key with it are resolved again.
 *
 * `n:` file name without `.md`, `p:` Logseq `title::` or `alias::`, `b:` Logseq block id, `i:` id of the file.
 */

/** All trailing `.md` are dropped: `[[a.md]]` may mean `a.md` or `a.md.md`, and one key covers both. */
function stripped(nameKeyOfFile: string): string {
  return `n:${nameKeyOfFile.replace(/(?:\.md)+$/, '')}`;
}

/** The key under which links name the file at this path; a page's other names are in the index only. */
export function pathNameKey(path: string): string {
  return stripped(nameKey(path));
}

/** Keys of Logseq page names start with this. */
export const PAGE_NAME = 'p:';

function pageNameKey(name: string): string {
  return `${PAGE_NAME}${pathKey(name.trim())}`;
}

export function blockKey(id: string): string {
  return `b:${id.toLowerCase()}`;
}

/** Keys of ids start with this. */
export const FILE_ID = 'i:';

export function idKey(id: string): string {
  return `${FILE_ID}${id}`;
}

/** A name key as links hold it, in four bytes (FNV-1a); seldom do two have the same. */
export function keyNumber(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** The keys a file answers to. Its id is the store's, else the one that the note states. */
export function fileKeys(
  { path, id }: Pick<StoreEntry, 'path' | 'id'>,
  dialect: Dialect,
  parsed: ParsedNote | undefined,
  aliases: readonly string[],
): Set<string> {
  const keys = new Set([pathNameKey(path)]);
  const linked = asLinkedId(id) ?? (parsed && statedId(parsed.frontmatter, parsed.text));
  if (linked !== undefined) keys.add(idKey(linked));
  if (!DIALECT_RULES[dialect].pageNamesInFiles || parsed === undefined) return keys;
  const title = propertyByName(parsed.frontmatter, 'title')?.value;
  if (typeof title === 'string' && title.trim() !== '') keys.add(pageNameKey(title));
  for (const alias of aliases) keys.add(pageNameKey(alias));
  for (const block of parsed.blocks) keys.add(blockKey(block.id));
  return keys;
}

/**
 * The keys a link may ask for, found by resolving it against an empty vault: there every fallback is
 * tried. Empty for a link into its own note.
 */
export function linkKeys(
  source: string,
  target: string,
  syntax: LinkRecord['syntax'],
  dialect: Dialect,
): Set<string> {
  const keys = new Set<string>();
  if (syntax === 'block-ref') return keys.add(blockKey(target));
  const asked = {
    byName(key: string): readonly string[] {
      keys.add(stripped(key));
      return [];
    },
    byPageName(key: string): readonly string[] {
      keys.add(`${PAGE_NAME}${key}`);
      return [];
    },
    byId(id: string): readonly string[] {
      keys.add(idKey(id));
      return [];
    },
  };
  if (syntax === 'canvas') resolveLink(source, target, 'wiki', asked, 'obsidian');
  else resolveLink(source, target, syntax, asked, dialect);
  return keys;
}
