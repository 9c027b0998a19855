import { escapedText } from '../../ai/grounding/escaped.ts';
import type { LinkToWrite, VaultSession } from '../../vault/session.ts';
import { oneLine } from './rendering.ts';

export interface TocItem {
  readonly path: string;
  readonly title: string;
  readonly heading?: string | undefined;
  readonly level?: number | undefined;
  readonly description?: string | undefined;
}

export interface TocGroup {
  readonly name: string;
  readonly summary?: string | undefined;
  readonly items: readonly TocItem[];
}

/**
 * A table of contents as Markdown. Links are written in the vault's form, and all other text is escaped, so
 * that text of a note or model cannot create a tag, link or image.
 *
 * @param at path of the note that will contain it
 */
export async function tocMarkdown(
  vault: VaultSession,
  at: string,
  title: string,
  groups: readonly TocGroup[],
): Promise<string> {
  const items = groups.flatMap((group) => group.items);
  const links = await vault.wikilinksTo(at, items.map(linkOf));
  const written = new Map(items.map((item, index) => [item, links[index]]));
  const parts = [`# ${escapedText(oneLine(title, 200))}`];
  for (const { name, summary, items: own } of groups) {
    if (name !== '') parts.push(`## ${escapedText(oneLine(name, 200))}`);
    if (summary !== undefined && summary !== '') parts.push(escapedText(oneLine(summary, 1000)));
    const least = Math.min(...own.map(({ level = 1 }) => level));
    const lines = own.map((item) => {
      const label = escapedText(oneLine(item.heading ?? item.title, 200));
      const said = item.description === undefined ? '' : `: ${escapedText(oneLine(item.description, 300))}`;
      return `${'  '.repeat((item.level ?? 1) - least)}- ${written.get(item) ?? label}${said}`;
    });
    parts.push(lines.join('\n'));
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function linkOf({ path, title, heading }: TocItem): LinkToWrite {
  const display = oneLine(heading ?? title, 200)
    .replace(/[[\]|]/g, ' ')
    .trim();
  return {
    target: path,
    ...(heading !== undefined && {
      subpath: `#${heading
        .replace(/[[\]|#^]/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()}`,
    }),
    ...(display !== '' && { display }),
  };
}
