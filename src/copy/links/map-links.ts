import { linkedId } from '../../notes/links/id-links.ts';
import { resolveLink } from '../../notes/links/resolve.ts';
import type { Link, ParsedNote } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { mergeSpans, spanAt } from '../../notes/spans.ts';
import { applySplices } from '../../notes/splice.ts';
import { respelledLink } from './by-name.ts';
import { linkFromId } from './from-ids.ts';
import { htmlPathLinks } from './html.ts';
import type { LinkMap, NotePlaces, Rewrite, Target } from './link-map.ts';
import { afterDestination, destinationEnd, isInline } from './marker.ts';
import { linkToId } from './to-ids.ts';

/** A link that is not rewritten although its target is elsewhere, or missing, after the copy. */
export interface LeftLink {
  /** 1-based line in the source. */
  readonly line: number;
  readonly target: string;
  /** `not_copied` = its target is not copied; `unwritable` = no link can be written that leads there. */
  readonly reason: 'not_copied' | 'unwritable';
}

export interface MappedNote {
  readonly text: string;
  /** Number of rewritten links. */
  readonly mapped: number;
  /** Number of those that a copy back would spell differently. */
  readonly respelled: number;
  readonly left: readonly LeftLink[];
  /** Paths of the linked files in the source. */
  readonly leadsTo: ReadonlySet<string>;
}

interface Found {
  readonly link: Link;
  readonly rewrite: Rewrite;
}

/**
 * Rewrites the links of a note for the destination. The result is parsed again: a link that would not lead to
 * its file is left unchanged. Bytes outside of links do not change.
 */
export function mapLinks(parsed: ParsedNote, note: NotePlaces, map: LinkMap): MappedNote {
  const { text } = parsed;
  const left: LeftLink[] = [];
  const leadsTo = new Set<string>();
  let found: Found[] = [];
  const seen = new Set<number>();
  const give = ({ line, target }: Link, reason: LeftLink['reason']) =>
    void left.push({ line, target, reason });
  const html = map.to.byId && !map.from.byId ? htmlPathLinks(parsed) : [];
  const inTitle = titleTest(text, parsed.links);
  for (const link of [...parsed.links, ...html]) {
    if (inTitle(link)) continue;
    const path = pathOf(link, note, map);
    if (path === undefined) continue;
    leadsTo.add(path);
    // Links in properties are by name in every store.
    if (link.property !== undefined || seen.has(link.targetSpan.start)) continue;
    const rewrite = rewriteOf(text, link, path, note, map);
    if (rewrite === 'not_copied' || rewrite === 'unwritable') give(link, rewrite);
    else if (rewrite !== undefined) {
      // Two uses of one reference share its definition.
      if (link.syntax === 'reference') seen.add(link.targetSpan.start);
      found.push({ link, rewrite });
    }
  }
  for (;;) {
    const mapped = applySplices(
      text,
      found.flatMap(({ rewrite }) => rewrite.splices),
    );
    const misread = found.length === 0 ? [] : misreadIn(mapped, found, note, map);
    if (misread.length === 0) {
      const respelled = found.filter(({ rewrite }) => rewrite.respelled).length;
      return { text: mapped, mapped: found.length, respelled, left, leadsTo };
    }
    for (const { link } of misread) give(link, 'unwritable');
    found = found.filter((one) => !misread.includes(one));
  }
}

/** Text in the title of another link is not a link. */
function titleTest(text: string, links: readonly Link[]): (link: Link) => boolean {
  const titles = links
    .filter((link) => isInline(text, link) && afterDestination(text, link).trim() !== '')
    .map((link) => ({ start: destinationEnd(link), end: link.span.end }));
  const sorted = mergeSpans(titles.sort((one, other) => one.start - other.start));
  return ({ span }) => spanAt(sorted, span.start) !== undefined;
}

function pathOf(link: Link, note: NotePlaces, { from }: LinkMap): string | undefined {
  if (link.syntax === 'block-ref' || link.syntax === 'tag-ref') return undefined;
  return resolveLink(note.from, link.target, link.syntax, from.files, from.dialect).path;
}

function rewriteOf(
  text: string,
  link: Link,
  path: string,
  note: NotePlaces,
  map: LinkMap,
): Rewrite | LeftLink['reason'] | undefined {
  const { from, to } = map;
  const target = map.target(path);
  if (target === undefined) return 'not_copied';
  const id = linkedId(link.target, link.syntax);
  if (to.byId) {
    if (id !== undefined) return withId(link, id, target);
    // Both stores resolve a link by name in the same way.
    if (from.byId) return undefined;
    if (target.id === undefined && link.target !== '') return 'unwritable';
    return linkToId({ text, link, home: from, source: note.from, path }, target);
  }
  if (id !== undefined || (from.byId && link.target === '')) {
    const given = { text, link, id, to, source: note.to };
    return linkFromId(given, target) ?? (id === undefined ? undefined : 'unwritable');
  }
  const respelled = respelledLink({ text, link, note, path }, target, map);
  return respelled === 'lost' ? 'unwritable' : respelled;
}

/** Rewrites a link by id when the file has another id at the destination. */
function withId({ targetSpan }: Link, id: string, leads: Target): Rewrite | LeftLink['reason'] | undefined {
  if (leads.id === undefined) return 'unwritable';
  if (leads.id === id) return undefined;
  return { splices: [{ ...targetSpan, insert: `:/${leads.id}` }], at: 0, leads, respelled: false };
}

/** The rewritten links that, parsed from the new text, do not lead to their file. */
function misreadIn(mapped: string, found: readonly Found[], note: NotePlaces, { to }: LinkMap): Found[] {
  const links = new Map<number, Link>();
  const parsed = parseNote(mapped, { dialect: to.dialect });
  const html = to.byId ? [] : htmlPathLinks(parsed);
  for (const link of [...parsed.links, ...html]) links.set(link.targetSpan.start, link);
  const sorted = [...found].sort((one, other) => startOf(one) - startOf(other));
  const misread: Found[] = [];
  let moved = 0;
  for (const one of sorted) {
    const { splices, at, leads } = one.rewrite;
    const link = links.get(startOf(one) + moved + at);
    if (link === undefined || !isTo(link, leads)) misread.push(one);
    for (const { start, end, insert } of splices) moved += insert.length - (end - start);
  }
  return misread;

  function isTo(link: Link, leads: Rewrite['leads']): boolean {
    const id = linkedId(link.target, link.syntax);
    if (to.byId) return id === undefined ? link.target === '' : id === leads.id;
    return resolveLink(note.to, link.target, link.syntax, to.files, to.dialect).path === leads.path;
  }
}

function startOf({ rewrite }: Found): number {
  return rewrite.splices[0]?.start ?? 0;
}
