import { isNotePath, stem } from '../../notes/path.ts';
import type { VaultLookups } from '../catalogue.ts';
import type { Page, Pages } from './pages.ts';
import { nameInLink, slugify } from './titles.ts';

const LINKS_AT_A_TIME = 500;

/** Another page, one row for all links to it or from it. */
interface LinkedPage {
  readonly slug: string;
  readonly title: string;
}

interface Outgoing extends LinkedPage {
  /** False for a link whose page is not there yet. */
  readonly resolved: boolean;
}

/** Pages that link here, in the order of their paths. */
export async function backlinksOf(
  page: Page,
  pages: Pages,
  vault: VaultLookups,
): Promise<readonly LinkedPage[]> {
  if (page.kind === 'folder') return [];
  await vault.untilIndexed();
  const sources = new Set<string>();
  let cursor: string | undefined;
  do {
    const found = await vault.backlinks(page.path, {
      limit: LINKS_AT_A_TIME,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { source } of found.items) if (isNotePath(source) && source !== page.path) sources.add(source);
    cursor = found.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return await named([...sources], pages);
}

/** Pages that this one links to, in the order of its text; those that are not there yet too. */
export async function outgoingOf(
  page: Page,
  pages: Pages,
  vault: VaultLookups,
): Promise<readonly Outgoing[]> {
  if (page.kind === 'folder') return [];
  await vault.untilIndexed();
  const links = await vault.links(page.path);
  const leads = links.filter(({ target, embed, syntax, written }) =>
    target === undefined ? syntax === 'wiki' && !embed && written !== '' : isNotePath(target),
  );
  const rows = new Map<string, Outgoing>();
  const there = leads.flatMap(({ target }) => (target === undefined ? [] : [target]));
  const known = new Map((await named(there, pages)).map((row, at) => [[...new Set(there)][at] ?? '', row]));
  for (const { target, written } of leads) {
    const name = nameInLink(written);
    const row =
      target === undefined
        ? { slug: slugify(name), title: name, resolved: false }
        : { ...(known.get(target) ?? { slug: '', title: stem(target) }), resolved: true };
    if (target !== page.path && !rows.has(row.slug)) rows.set(row.slug, row);
  }
  return [...rows.values()];
}

/** By path, each once and in this order. */
async function named(paths: readonly string[], pages: Pages): Promise<readonly LinkedPage[]> {
  const distinct = [...new Set(paths)];
  const slugs = await pages.slugs(distinct);
  const titles = await pages.titles(distinct);
  return distinct.map((path) => ({ slug: slugs.get(path) ?? '', title: titles.get(path) ?? stem(path) }));
}
