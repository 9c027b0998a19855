import { isNotePath } from '../../notes/path.ts';
import type { LinkToWrite, TextLink } from '../../vault/session.ts';
import type { VaultLookups } from '../catalogue.ts';
import type { Pages } from './pages.ts';
import { nameInLink, slugify } from './titles.ts';

/** A link in the vault's form, and in the form of this system's clients. Offsets are in UTF-16 code units. */
interface Shown {
  readonly start: number;
  readonly end: number;
  readonly written: string;
  readonly shown: string;
}

/** The text of a note from an offset on, with links as `[[Display|slug]]`. */
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
 * Converts text with links as `[[Display|slug]]` into the vault's form. Links that the note already contained
 * keep their spelling.
 *
 * @param current the note's present text
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
    // Matched in order; a link that occurs more often than before is spelled like the last one.
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

/** Undefined for links within the note and links to other kinds of files. */
function shownLink(link: TextLink, written: string, slugs: ReadonlyMap<string, string>): string | undefined {
  if (link.target === '') return undefined;
  const isFile = link.path !== undefined && !isNotePath(link.path);
  const name = nameInLink(link.target);
  const slug = link.path === undefined ? slugify(name) : slugs.get(link.path);
  if (isFile || slug === undefined) return undefined;
  const bar = written.includes('\\|') ? '\\|' : '|';
  return `[[${link.display?.trim() || name}${bar}${slug}${link.subpath}]]`;
}

/** The vault's form of `[[Display|slug#Heading]]`; undefined = unchanged. */
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
  // The link has the vault's form already: its target is the name of a file.
  if (link.path !== undefined || slug === '') return undefined;
  return { name: slugify(display) === slug ? display : nameOf(slug), ...shape };
}

/**
 * The probable name of a page that does not exist yet, by which the vault's own program will resolve the
 * link.
 */
function nameOf(slug: string): string {
  return /^[\d-]+$/.test(slug) ? slug : slug.replaceAll('-', ' ');
}

/** Without embeds and links in properties, which have no form in this system. */
function plain(links: readonly TextLink[]): readonly TextLink[] {
  return links.filter(({ embed, property }) => !embed && property === undefined);
}
