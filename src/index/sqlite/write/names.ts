import { DIALECT_RULES } from '../../../notes/dialects/rules.ts';
import { propertyByName } from '../../../notes/frontmatter/frontmatter.ts';
import { asLinkedId, statedId } from '../../../notes/links/id-links.ts';
import { resolveLink } from '../../../notes/links/resolve.ts';
import type { Dialect, ParsedNote } from '../../../notes/model.ts';
import { nameKey, pathKey } from '../../../notes/path.ts';
import type { StoreEntry } from '../../../stores/store.ts';
import type { LinkRecord } from '../../note-index.ts';

/**
 * Name keys connect a link to the files it could refer to, before any rule of precedence. A link has every key
 * that its resolution may look up, a file every key by which links can refer to it. When a file is added or
 * removed, exactly the links that share a key with it are resolved again.
 *
 * `n:` file name without `.md`, `p:` Logseq `title::` or `alias::`, `b:` Logseq block id, `i:` id of the file.
 */

/** The key without any trailing `.md`: `[[a.md]]` may refer to `a.md` or `a.md.md`, and one key covers both. */
function stripped(nameKeyOfFile: string): string {
  return `n:${nameKeyOfFile.replace(/(?:\.md)+$/, '')}`;
}

/** The name key of a path's file name; a page's other keys are only in the index. */
export function pathNameKey(path: string): string {
  return stripped(nameKey(path));
}

/** Prefix of the keys of Logseq page names. */
export const PAGE_NAME = 'p:';

function pageNameKey(name: string): string {
  return `${PAGE_NAME}${pathKey(name.trim())}`;
}

/** The key of a Logseq block id. */
export function blockKey(id: string): string {
  return `b:${id.toLowerCase()}`;
}

/** Prefix of the keys of file ids. */
export const FILE_ID = 'i:';

/** The key of a file's id. */
export function idKey(id: string): string {
  return `${FILE_ID}${id}`;
}

/** The hash of a name key that links store: FNV-1a, signed 32 bits. Two keys rarely share one. */
export function keyNumber(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** The name keys of a file. Its id is the store's, or else the one stated in the note. */
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
 * The name keys that a link's resolution may look up. They are collected by resolving the link in an empty
 * vault, where every fallback is tried. Empty for a link within its own note.
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
