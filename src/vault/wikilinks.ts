import { linkText } from '../notes/links/link-text.ts';
import { resolveLink } from '../notes/links/resolve.ts';
import type { Access } from './access.ts';
import { FileTable } from './move/file-table.ts';
import type { VaultParts } from './parts.ts';
import type { TextLink } from './session.ts';

/**
 * The wikilinks of a text as if it stood in the note `source`, in order; code and comments hold none.
 *
 * @throws LecternError `too_large`, `timeout` for a text that takes too much
 */
export async function wikilinksOf(
  parts: VaultParts,
  access: Access,
  source: string,
  text: string,
): Promise<readonly TextLink[]> {
  const files = await filesSeen(parts, access);
  const { dialect } = parts.settings;
  const { links } = await parts.parse(text);
  const found: TextLink[] = [];
  const pacer = parts.pacer();
  for (const link of links) {
    if (link.syntax !== 'wiki') continue;
    if (pacer.due) await pacer.pause();
    found.push({ ...link, path: resolveLink(source, link.target, 'wiki', files, dialect).path });
  }
  return found;
}

/** How wikilinks in the note `source` name these files, as the vault's own program writes them; what cannot be named is left out. */
export async function wikilinksTo(
  parts: VaultParts,
  access: Access,
  source: string,
  targets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const files = await filesSeen(parts, access);
  const { dialect, newLinkFormat: format } = parts.settings;
  const texts = new Map<string, string>();
  for (const target of targets) {
    const text = linkText({ source, target, syntax: 'wiki', format, dialect, files });
    if (text !== undefined) texts.set(target, text);
  }
  return texts;
}

async function filesSeen(parts: VaultParts, access: Access): Promise<FileTable> {
  const all = await FileTable.of(await parts.reader());
  return access.filter === undefined ? all : all.seenBy((path) => access.mayRead(path));
}
