import { resolveLink } from '../../notes/links/resolve.ts';
import type { Link } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { applySplices, type Splice } from '../../notes/splice.ts';
import type { LinkedHome, Rewrite, Target } from './link-map.ts';
import { afterDestination, isInline, titleIn } from './marker.ts';
import { linkToId, pathText } from './to-ids.ts';

/** A link by id, for a destination that links by path. */
export interface LinkById {
  readonly text: string;
  readonly link: Link;
  /** The id in the link; undefined for a link within its own note. */
  readonly id: string | undefined;
  readonly to: LinkedHome;
  /** Path of the note at the destination. */
  readonly source: string;
}

/**
 * Converts a link by id into one by path: as its title says it was written before, if that leads to the file,
 * else relative.
 * @returns undefined when no link can be written that leads to the file
 */
export function linkFromId(given: LinkById, leads: Target): Rewrite | undefined {
  return asWritten(given, leads) ?? asPath(given, leads);
}

function asPath({ text, link, to, source }: LinkById, leads: Target): Rewrite | undefined {
  const { start, end } = link.targetSpan;
  const path = pathText({ text, link, home: to, source, path: leads.path });
  return path === undefined || start === end
    ? undefined
    : { splices: [{ start, end, insert: path }], at: 0, leads, respelled: false };
}

/** Uses the title only if converting it to an id would give exactly the present link. */
function asWritten(given: LinkById, leads: Target): Rewrite | undefined {
  const { text, link, id, to, source } = given;
  if (!isInline(text, link)) return undefined;
  const title = titleIn(afterDestination(text, link));
  if (title === undefined) return undefined;
  const now = text.slice(link.span.start, link.span.end);
  for (const { written, splice, at } of candidates(text, link, title)) {
    const parsed = parseNote(written, { dialect: to.dialect }).links.find(({ span }) => span.start === 0);
    if (parsed === undefined || parsed.span.end !== written.length) continue;
    const { path } = resolveLink(source, parsed.target, parsed.syntax, to.files, to.dialect);
    if (path !== leads.path) continue;
    const home = { ...to, byId: true };
    const again = linkToId({ text: written, link: parsed, home, source, path }, { path, id });
    if (again === undefined || applySplices(written, again.splices) !== now) continue;
    return { splices: [splice], at, leads, respelled: false };
  }
  return undefined;
}

interface Candidate {
  /** The text of the whole link. */
  readonly written: string;
  /** The edit that turns the present link into it. */
  readonly splice: Splice;
  /** Offset of the address in the inserted text, UTF-16 code units. */
  readonly at: number;
}

/** Links that a title may have preserved. */
function candidates(text: string, link: Link, title: string): readonly Candidate[] {
  const { span, targetSpan, angle } = link;
  if (/^!?\[\[.*\]\]$/.test(title))
    return [{ written: title, splice: { ...span, insert: title }, at: title.indexOf('[[') + 2 }];
  const insert = `${title}${angle ? '>' : ''}`;
  const written = `${text.slice(span.start, targetSpan.start)}${insert})`;
  return [{ written, splice: { start: targetSpan.start, end: span.end - 1, insert }, at: 0 }];
}
