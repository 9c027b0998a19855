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

/** Where a page's links lead. */
interface Target {
  readonly slug: string;
  /** Undefined for a page that is not there yet. */
  readonly path: string | undefined;
  /** What the link calls it. */
  readonly name: string;
}

/** Pages that link here, in the order of their paths. */
export async function backlinksOf(
  page: Page,
  pages: Pages,
  vault: VaultLookups,
): Promise<readonly LinkedPage[]> {
  const sources = await sourcesOf(page, vault);
  const slugs = await pages.slugs(sources);
  const titles = await pages.titles(sources);
  return sources.flatMap((source) => {
    const slug = slugs.get(source);
    return slug === undefined ? [] : [{ slug, title: titles.get(source) ?? stem(source) }];
  });
}

/** Pages that this one links to, in the order of its text; those that are not there yet too. */
export async function outgoingOf(
  page: Page,
  pages: Pages,
  vault: VaultLookups,
): Promise<readonly Outgoing[]> {
  const targets = await targetsOf(page, pages, vault);
  const titles = await pages.titles(targets.flatMap(({ path }) => path ?? []));
  return targets.map(({ slug, path, name }) =>
    path === undefined
      ? { slug, title: name, resolved: false }
      : { slug, title: titles.get(path) ?? stem(path), resolved: true },
  );
}

/** The notes behind {@link backlinksOf}. */
export async function sourcesOf({ kind, path }: Page, vault: VaultLookups): Promise<readonly string[]> {
  if (kind === 'folder') return [];
  return (await sourcesLinkingTo(path, vault)).filter((source) => source !== path);
}

/** What {@link outgoingOf} tells, without the titles. */
export async function targetsOf(page: Page, pages: Pages, vault: VaultLookups): Promise<readonly Target[]> {
  if (page.kind === 'folder') return [];
  await vault.untilIndexed();
  const links = (await vault.links(page.path)).filter(({ target, embed, syntax, written }) =>
    target === undefined ? syntax === 'wiki' && !embed && written !== '' : isNotePath(target),
  );
  const slugs = await pages.slugs(links.flatMap(({ target }) => target ?? []));
  const targets = new Map<string, Target>();
  for (const { target, written } of links) {
    const known = target === undefined ? undefined : slugs.get(target);
    const name = nameInLink(written);
    const slug = known ?? slugify(name);
    const path = known === undefined ? undefined : target;
    if (target !== page.path && !targets.has(slug)) targets.set(slug, { slug, path, name });
  }
  return [...targets.values()];
}

/** Notes with a link to a note, itself included, each once. */
export async function sourcesLinkingTo(path: string, vault: VaultLookups): Promise<readonly string[]> {
  await vault.untilIndexed();
  return (await vault.backlinkSources(path)).filter(isNotePath);
}
