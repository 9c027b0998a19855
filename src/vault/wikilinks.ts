import { DIALECT_RULES } from '../notes/dialects/rules.ts';
import { linkText } from '../notes/links/link-text.ts';
import { resolveLink } from '../notes/links/resolve.ts';
import { stem } from '../notes/path.ts';
import type { Access } from './access.ts';
import { FileTable } from './move/file-table.ts';
import type { VaultParts } from './parts.ts';
import type { LinkToWrite, TextLink } from './session.ts';

/**
 * The wikilinks of a text as if it were in the note `source`, in order; code and comments contain none.
 *
 * @throws LecternError `too_large`, `timeout` for a text that takes too much work
 */
export async function wikilinksOf(
  parts: VaultParts,
  access: Access,
  source: string,
  text: string,
): Promise<readonly TextLink[]> {
  const files = (await FileTable.of(await parts.reader())).seenBy(access);
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

/**
 * Links from the note `source` in the format of the vault's own program; undefined where no spelling leads to
 * the file. Display text is left out where the link shows the same text without it.
 */
export async function wikilinksTo(
  parts: VaultParts,
  access: Access,
  source: string,
  links: readonly LinkToWrite[],
): Promise<readonly (string | undefined)[]> {
  const files = (await FileTable.of(await parts.reader())).seenBy(access);
  const { dialect, newLinkFormat: format } = parts.settings;
  const { wikilinkText: hasText, subpathMarks } = DIALECT_RULES[dialect];
  const written = (target: string, { subpath = '', display, inTable }: LinkToWrite): string => {
    const address = subpathMarks.includes(subpath.slice(0, 1)) ? target + subpath : target;
    if (display === undefined || display === address) return `[[${address}]]`;
    if (!hasText) return `[${display}]([[${address}]])`;
    return `[[${address}${inTable === true ? '\\' : ''}|${display}]]`;
  };
  return links.map((link) => {
    if ('name' in link) return written(link.name, link);
    const options = { source, target: link.target, format, dialect, files };
    const text = linkText({ ...options, syntax: 'wiki' });
    if (text !== undefined) return written(text, link);
    const destination = linkText({ ...options, syntax: 'markdown' });
    return destination && `[${link.display ?? stem(link.target)}](${destination})`;
  });
}
