import { isNotePath, stem } from '../../notes/path.ts';
import type { VaultLookups } from '../catalogue.ts';
import type { Page, Pages } from './pages.ts';
import { nameInLink, slugify } from './titles.ts';

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
  const sources = (await sourcesLinkingTo(page.path, vault)).filter((source) => source !== page.path);
  const named = await linkedPages(sources, pages);
  return sources.flatMap((source) => named.get(source) ?? []);
}

/** Pages that this one links to, in the order of its text; those that are not there yet too. */
export async function outgoingOf(
  page: Page,
  pages: Pages,
  vault: VaultLookups,
): Promise<readonly Outgoing[]> {
  if (page.kind === 'folder') return [];
  await vault.untilIndexed();
  const links = (await vault.links(page.path)).filter(({ target, embed, syntax, written }) =>
    target === undefined ? syntax === 'wiki' && !embed && written !== '' : isNotePath(target),
  );
  const there = await linkedPages(
    links.flatMap(({ target }) => target ?? []),
    pages,
  );
  const rows = new Map<string, Outgoing>();
  for (const { target, written } of links) {
    const known = target === undefined ? undefined : there.get(target);
    const name = nameInLink(written);
    const row = known ? { ...known, resolved: true } : { slug: slugify(name), title: name, resolved: false };
    if (target !== page.path && !rows.has(row.slug)) rows.set(row.slug, row);
  }
  return [...rows.values()];
}

/** Notes with a link to a note, itself included, each once. */
export async function sourcesLinkingTo(path: string, vault: VaultLookups): Promise<readonly string[]> {
  await vault.untilIndexed();
  return (await vault.backlinkSources(path)).filter(isNotePath);
}

async function linkedPages(paths: readonly string[], pages: Pages): Promise<ReadonlyMap<string, LinkedPage>> {
  const slugs = await pages.slugs(paths);
  const titles = await pages.titles(paths);
  return new Map([...slugs].map(([path, slug]) => [path, { slug, title: titles.get(path) ?? stem(path) }]));
}
