import { isNotePath, stem } from '../../notes/path.ts';
import type { VaultLookups } from '../catalogue.ts';
import type { Page, Pages } from './pages.ts';
import { nameInLink, slugify } from './titles.ts';

/** A linking or linked page; several links are one row. */
interface LinkedPage {
  readonly slug: string;
  readonly title: string;
}

interface Outgoing extends LinkedPage {
  /** False for a link to a page that does not exist yet. */
  readonly resolved: boolean;
}

/** The target of a page's links. */
interface Target {
  readonly slug: string;
  /** Undefined for a page that does not exist yet. */
  readonly path: string | undefined;
  /** The name in the link. */
  readonly name: string;
}

/** Pages that link to this one, ordered by path. */
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

/** Pages that this one links to, in the order of its text, including those that do not exist yet. */
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

/** Paths of the notes in {@link backlinksOf}. */
export async function sourcesOf({ kind, path }: Page, vault: VaultLookups): Promise<readonly string[]> {
  if (kind === 'folder') return [];
  return (await sourcesLinkingTo(path, vault)).filter((source) => source !== path);
}

/** The targets in {@link outgoingOf}, without titles. */
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

/** Notes that link to a note, which may be itself, each once. */
export async function sourcesLinkingTo(path: string, vault: VaultLookups): Promise<readonly string[]> {
  await vault.untilIndexed();
  return (await vault.backlinkSources(path)).filter(isNotePath);
}
