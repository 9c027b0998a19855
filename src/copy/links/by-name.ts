import { linkText } from '../../notes/links/link-text.ts';
import { resolveLink } from '../../notes/links/resolve.ts';
import type { Link } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import type { LinkMap, NotePlaces, Rewrite, Target } from './link-map.ts';

/** A link by name or path, for a destination that also links by path. */
export interface LinkByName {
  readonly text: string;
  readonly link: Link;
  readonly note: NotePlaces;
  /** Path of the linked file at the source. */
  readonly path: string;
}

/**
 * Rewrites a link that would lead to another file, or none, at the destination. Where it had no display text,
 * its old target becomes the display text.
 * @returns undefined when the link stays unchanged, `lost` when no link can be written that leads to the file
 */
export function respelledLink(given: LinkByName, leads: Target, map: LinkMap): Rewrite | 'lost' | undefined {
  const { text, link, note } = given;
  const kind = link.syntax === 'markdown' || link.syntax === 'reference' ? 'markdown' : 'wiki';
  const isRight = resolveLink(note.to, link.target, kind, map.to.files, map.to.dialect).path === leads.path;
  if (isRight) return link.syntax === 'wiki' ? asBefore(given, leads, map) : undefined;
  const written = linkText({
    source: note.to,
    target: leads.path,
    syntax: kind,
    format: kind === 'wiki' ? 'shortest' : 'relative',
    dialect: map.to.dialect,
    files: map.to.files,
    angle: link.angle,
  });
  if (written === undefined) return 'lost';
  const splices = [{ ...link.targetSpan, insert: written }];
  const shows = link.syntax === 'wiki' && !link.embed && link.display === undefined && !inRow(text, link);
  const end = link.subpathSpan.end;
  if (shows) splices.push({ start: end, end, insert: `|${text.slice(link.targetSpan.start, end)}` });
  return { splices, at: 0, leads, respelled: !shows };
}

/**
 * Restores a link that an earlier copy in the other direction spelled out: `[[Folder/Note|Note]]` becomes
 * `[[Note]]`.
 */
function asBefore({ text, link, note, path }: LinkByName, leads: Target, map: LinkMap): Rewrite | undefined {
  if (link.embed || link.display === undefined) return undefined;
  const written = `[[${link.display}]]`;
  const [parsed] = parseNote(written, { dialect: map.to.dialect }).links;
  if (parsed?.span.end !== written.length || parsed.display !== undefined) return undefined;
  const { from, to } = map;
  if (resolveLink(note.to, parsed.target, 'wiki', to.files, to.dialect).path !== leads.path) return undefined;
  // A link that is correct there too was not rewritten by that copy.
  if (resolveLink(note.from, parsed.target, 'wiki', from.files, from.dialect).path === path) return undefined;
  const spelled = linkText({
    source: note.from,
    target: path,
    syntax: 'wiki',
    format: 'shortest',
    dialect: from.dialect,
    files: from.files,
  });
  const subpath = written.slice(parsed.subpathSpan.start, parsed.subpathSpan.end);
  if (`[[${spelled}${subpath}|${link.display}]]` !== text.slice(link.span.start, link.span.end))
    return undefined;
  return { splices: [{ ...link.span, insert: written }], at: 2, leads, respelled: false };
}

/** Whether the line contains a bar outside the link: in a table row, another bar would start a cell. */
function inRow(text: string, { span }: Link): boolean {
  const start = text.lastIndexOf('\n', span.start - 1) + 1;
  const end = text.indexOf('\n', span.end);
  return (
    text.slice(start, span.start).includes('|') ||
    text.slice(span.end, end < 0 ? undefined : end).includes('|')
  );
}
