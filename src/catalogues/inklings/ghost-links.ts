import { setImmediate as turn } from 'node:timers/promises';
import { PATCH_OPS } from '../../budgets.ts';
import { isLecternError } from '../../errors.ts';
import { isNotePath } from '../../notes/path.ts';
import { linkUnresolved } from '../../operations/link-unresolved.ts';
import { notePatch } from '../../operations/note-patch.ts';
import { noteRead } from '../../operations/note-read.ts';
import type { TextLink } from '../../vault/session.ts';
import type { ToolContext } from '../catalogue.ts';
import { nameInLink, slugify } from './titles.ts';

const LISTED_AT_A_TIME = 200;

export const GHOST_OPERATIONS = [noteRead, notePatch, linkUnresolved];

/**
 * Links to a slug lead to its page as soon as there is one. Those whose words are the page's name do so by themselves;
 * the others are written anew. Notes that cannot be written keep theirs.
 *
 * @returns how many
 */
export async function adoptGhostLinks(slug: string, path: string, context: ToolContext): Promise<number> {
  const done = new Set<string>();
  let links = 0;
  for (;;) {
    // Of each only a few places are told, so it is asked again until no new ones come up.
    const sources = (await sourcesOf(slug, context)).filter((source) => !done.has(source));
    if (sources.length === 0) return links;
    for (const source of sources) {
      context.signal.throwIfAborted();
      done.add(source);
      links += await adoptIn(source, slug, path, context);
    }
  }
}

async function adoptIn(source: string, slug: string, path: string, context: ToolContext): Promise<number> {
  const session = await context.vault();
  try {
    const { parsed, etag } = await session.open(source);
    const links = (await session.wikilinksOf(source, parsed.text)).filter((link) => isGhost(link, slug));
    const made = await session.wikilinksTo(
      source,
      links.map(({ span, subpath, display }) => ({
        target: path,
        subpath,
        inTable: parsed.text.slice(span.start, span.end).includes('\\|'),
        ...(display !== undefined && { display }),
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
    return some.length < ops.length
      ? some.length + (await adoptIn(source, slug, path, context))
      : some.length;
  } catch (error) {
    if (isLecternError(error) && error.code !== 'internal') return 0;
    throw error;
  }
}

function countOf(part: string, text: string): number {
  return text.split(part).length - 1;
}

function isGhost({ path, target, embed, property }: TextLink, slug: string): boolean {
  return (
    path === undefined &&
    target !== '' &&
    !embed &&
    property === undefined &&
    slugify(nameInLink(target)) === slug
  );
}

/** Notes with links that lead nowhere and have this slug, as far as they are told. */
async function sourcesOf(slug: string, { vault }: ToolContext): Promise<readonly string[]> {
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
