import { isNotePath } from '../../notes/path.ts';
import type { LinkToWrite, TextLink } from '../../vault/session.ts';
import type { VaultLookups } from '../catalogue.ts';
import type { Pages } from './pages.ts';
import { nameInLink, slugify } from './titles.ts';

/** A link as it stands in the vault, and as clients of this system see it. */
interface Shown {
  readonly start: number;
  readonly end: number;
  readonly written: string;
  readonly shown: string;
}

/** A note's text from some point on, with its links as `[[Display|slug]]`. */
export async function shownText(
  note: { readonly path: string; readonly text: string; readonly from: number },
  pages: Pages,
  vault: VaultLookups,
): Promise<string> {
  const { text, from } = note;
  let shown = '';
  let at = from;
  for (const link of await shownLinks(note, pages, vault)) {
    if (link.start < from) continue;
    shown += text.slice(at, link.start) + link.shown;
    at = link.end;
  }
  return shown + text.slice(at);
}

/**
 * Text with links as `[[Display|slug]]`, in the vault's own form. Links that stood in the note already are written as
 * they were.
 *
 * @param current the note's text now
 */
export async function writtenText(
  note: { readonly path: string; readonly content: string; readonly current: string },
  pages: Pages,
  vault: VaultLookups,
): Promise<string> {
  const { path, content, current } = note;
  const known = new Map<string, string[]>();
  for (const { shown, written } of await shownLinks({ path, text: current }, pages, vault))
    known.set(shown, [...(known.get(shown) ?? []), written]);
  const links = plain(await vault.wikilinksOf(path, content));
  const wanted: { link: TextLink; text: string | LinkToWrite }[] = [];
  for (const link of links) {
    const given = content.slice(link.span.start, link.span.end);
    const before = known.get(given);
    // In their order; a link that is there more often than before is like the last of them.
    const same = before && before.length > 1 ? before.shift() : before?.[0];
    wanted.push({ link, text: same ?? (await meant(given, link, pages)) ?? given });
  }
  const made = await vault.wikilinksTo(
    path,
    wanted.flatMap(({ text }) => (typeof text === 'string' ? [] : [text])),
  );
  let result = '';
  let at = 0;
  let next = 0;
  for (const { link, text } of wanted) {
    const given = content.slice(link.span.start, link.span.end);
    result +=
      content.slice(at, link.span.start) + (typeof text === 'string' ? text : (made[next++] ?? given));
    at = link.span.end;
  }
  return result + content.slice(at);
}

async function shownLinks(
  { path, text }: { readonly path: string; readonly text: string },
  pages: Pages,
  vault: VaultLookups,
): Promise<readonly Shown[]> {
  const links = plain(await vault.wikilinksOf(path, text));
  const notes = links.flatMap((link) =>
    link.path !== undefined && isNotePath(link.path) ? [link.path] : [],
  );
  const slugs = await pages.slugs(notes);
  return links.map((link) => {
    const { start, end } = link.span;
    const written = text.slice(start, end);
    return { start, end, written, shown: shownLink(link, written, slugs) ?? written };
  });
}

/** Undefined for links that are none to a page: within the note, and to files of other kinds. */
function shownLink(link: TextLink, written: string, slugs: ReadonlyMap<string, string>): string | undefined {
  if (link.target === '') return undefined;
  const isFile = link.path !== undefined && !isNotePath(link.path);
  const name = nameInLink(link.target);
  const slug = link.path === undefined ? slugify(name) : slugs.get(link.path);
  if (isFile || slug === undefined) return undefined;
  const bar = written.includes('\\|') ? '\\|' : '|';
  return `[[${link.display?.trim() || name}${bar}${slug}${link.subpath}]]`;
}

/** What `[[Display|slug#Heading]]` is to be in the vault; undefined = it stays as it is. */
async function meant(given: string, link: TextLink, pages: Pages): Promise<LinkToWrite | undefined> {
  const [, inner = ''] = /\[\[(.*)\]\]/s.exec(given) ?? [];
  const bar = inner.lastIndexOf('|');
  if (bar < 0) return undefined;
  const inTable = inner[bar - 1] === '\\';
  const display = inner.slice(0, inTable ? bar - 1 : bar).trim();
  const [, slug = '', subpath = ''] = /^([^#]*)(#.*)?$/s.exec(inner.slice(bar + 1).trim()) ?? [];
  const target = slug === '' ? undefined : await pages.pathOf(slug);
  const shape = { subpath, inTable, ...(display !== '' && { display }) };
  if (target !== undefined && isNotePath(target)) return { target, ...shape };
  // Written in the vault's form: what stands before the bar is a file's name.
  if (link.path !== undefined || slug === '') return undefined;
  return { name: slugify(display) === slug ? display : nameOf(slug), ...shape };
}

/** What a page that is not there yet is probably called: the vault's own program finds it by its name then. */
function nameOf(slug: string): string {
  return /^[\d-]+$/.test(slug) ? slug : slug.replaceAll('-', ' ');
}

/** Embeds, and links in properties, are the vault's own. */
function plain(links: readonly TextLink[]): readonly TextLink[] {
  return links.filter(({ embed, property }) => !embed && property === undefined);
}
