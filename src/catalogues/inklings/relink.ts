import { setImmediate as turn } from 'node:timers/promises';
import { PATCH_OPS } from '../../budgets.ts';
import { isLecternError } from '../../errors.ts';
import { isNotePath } from '../../notes/path.ts';
import { linkBacklinks } from '../../operations/link-backlinks.ts';
import { linkUnresolved } from '../../operations/link-unresolved.ts';
import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { TextLink } from '../../vault/session.ts';
import type { ToolContext } from '../catalogue.ts';
import { sourcesLinkingTo } from './page-links.ts';
import { nameInLink, slugify } from './titles.ts';

const LISTED_AT_A_TIME = 200;

export const RELINK_OPERATIONS = [noteRead, notePatch, linkUnresolved, linkBacklinks];

/**
 * The links of a note that are rewritten, their target, and their new display text; undefined = the present
 * one.
 */
interface Relinking {
  readonly isMeant: (link: TextLink) => boolean;
  readonly target: string;
  readonly display?: string;
}

/**
 * Rewrites links to a slug when its page was created. Links whose target is the page's name resolve without
 * it.
 *
 * @returns the number of rewritten links
 */
export async function adoptGhostLinks(slug: string, target: string, context: ToolContext): Promise<number> {
  const isMeant = ({ path, target: written }: TextLink) =>
    path === undefined && written !== '' && slugify(nameInLink(written)) === slug;
  const done = new Set<string>();
  let links = 0;
  for (;;) {
    // Each answer names only some of the places, so it is requested until it names no new notes.
    const sources = (await ghostSources(slug, context)).filter((source) => !done.has(source));
    if (sources.length === 0) return links;
    for (const source of sources) {
      done.add(source);
      links += await relinkIn(source, { isMeant, target }, context);
    }
  }
}

/**
 * Replaces the display text of links to a page, where it is one of these names, by the title.
 *
 * @returns the number of rewritten links
 */
export async function showTitle(
  names: readonly string[],
  title: string,
  target: string,
  context: ToolContext,
): Promise<number> {
  const isMeant = ({ path, display }: TextLink) =>
    path === target && display !== undefined && display !== title && names.includes(display);
  let links = 0;
  for (const source of await sourcesLinkingTo(target, await context.vault()))
    links += await relinkIn(source, { isMeant, target, display: title }, context);
  return links;
}

/** Rewrites links in one note. @returns their number; 0 for a note that cannot be written */
async function relinkIn(source: string, relinking: Relinking, context: ToolContext): Promise<number> {
  const { isMeant, target } = relinking;
  context.signal.throwIfAborted();
  const session = await context.vault();
  try {
    const { parsed, etag } = await session.open(source);
    const links = (await session.wikilinksOf(source, parsed.text)).filter(
      (link) => !link.embed && link.property === undefined && isMeant(link),
    );
    const made = await session.wikilinksTo(
      source,
      links.map(({ span, subpath, display = relinking.display }) => ({
        target,
        subpath,
        inTable: parsed.text.slice(span.start, span.end).includes('\\|'),
        ...(display !== undefined && { display: relinking.display ?? display }),
      })),
    );
    const ops = links.flatMap(({ span }, at) => {
      const old = parsed.text.slice(span.start, span.end);
      const occurrence = countOf(old, parsed.text.slice(parsed.bodyStart, span.start)) + 1;
      return made[at] === undefined ? [] : [{ op: 'replace_text', old, new: made[at], occurrence }];
    });
    // From the end, so that the occurrence numbers of the other links stay valid.
    const some = ops.reverse().slice(0, PATCH_OPS);
    if (some.length === 0) return 0;
    await context.run(notePatch, { path: source, ops: some, if_match: etag });
    const isAll = some.length === ops.length;
    return some.length + (isAll ? 0 : await relinkIn(source, relinking, context));
  } catch (error) {
    if (isLecternError(error) && error.code !== 'internal') return 0;
    throw error;
  }
}

function countOf(part: string, text: string): number {
  return text.split(part).length - 1;
}

/** Notes with unresolved links that have this slug, as far as the answer names them. */
async function ghostSources(slug: string, { vault }: ToolContext): Promise<readonly string[]> {
  const session = await vault();
  await session.untilIndexed();
  const sources = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await session.unresolved({
      limit: LISTED_AT_A_TIME,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { written, sources: places } of page.items)
      if (slugify(nameInLink(written)) === slug)
        for (const place of places) if (isNotePath(place.path)) sources.add(place.path);
    cursor = page.nextCursor ?? undefined;
    await turn();
  } while (cursor !== undefined);
  return [...sources];
}
