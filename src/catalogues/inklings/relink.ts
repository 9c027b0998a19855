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

/** Which links of a note are written anew, to which page, and what they show then: undefined = what they do. */
interface Relinking {
  readonly isMeant: (link: TextLink) => boolean;
  readonly target: string;
  readonly display?: string;
}

/**
 * Links to a slug lead to its page as soon as there is one. Those whose words are the page's name do so by themselves;
 * the others are written anew.
 *
 * @returns how many
 */
export async function adoptGhostLinks(slug: string, target: string, context: ToolContext): Promise<number> {
  const isMeant = ({ path, target: written }: TextLink) =>
    path === undefined && written !== '' && slugify(nameInLink(written)) === slug;
  const done = new Set<string>();
  let links = 0;
  for (;;) {
    // Of each only a few places are told, so it is asked again until no new ones come up.
    const sources = (await ghostSources(slug, context)).filter((source) => !done.has(source));
    if (sources.length === 0) return links;
    for (const source of sources) {
      done.add(source);
      links += await relinkIn(source, { isMeant, target }, context);
    }
  }
}

/**
 * Links that show one of these names of a page show its title.
 *
 * @returns how many
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

/** A note that cannot be written keeps its links. */
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
    // The last ones first, so that the places of the others stay what they are.
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

/** Notes with links that lead nowhere and have this slug, as far as they are told. */
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
