import { linkText } from '../../notes/links/link-text.ts';
import type { Link } from '../../notes/model.ts';
import { extension } from '../../notes/path.ts';
import type { LinkedHome, Rewrite, Target } from './link-map.ts';
import { afterDestination, destinationEnd, isInHtml, isInline, quotedTitle } from './marker.ts';
import { slugOf } from './slug.ts';

const IMAGES: ReadonlySet<string> = new Set([
  'png',
  'jpg',
  'jpeg',
  'gif',
  'svg',
  'webp',
  'bmp',
  'avif',
  'tif',
  'tiff',
]);

/** A link and the file it leads to, in one store. */
export interface LinkIn {
  readonly text: string;
  readonly link: Link;
  readonly home: LinkedHome;
  /** Path of the note. */
  readonly source: string;
  /** Path of the linked file. */
  readonly path: string;
}

/**
 * Converts a link into Joplin's form, by id. Its original spelling is kept as the title when a copy back
 * could not derive it.
 * @returns undefined for a link that Joplin's Markdown does not have; it stays text
 */
export function linkToId(given: LinkIn, target: Target): Rewrite | undefined {
  const { syntax } = given.link;
  if (syntax === 'wiki') return wikiToId(given, target);
  return syntax === 'markdown' || syntax === 'reference' ? markdownToId(given, target) : undefined;
}

function wikiToId({ text, link }: LinkIn, leads: Target): Rewrite {
  const { span, target, subpath, display, embed } = link;
  const isImage = embed && IMAGES.has(extension(leads.path));
  const written = display === undefined || display.trim() === '' ? shown(target, subpath) : display.trim();
  const label = `${isImage ? '!' : ''}[${asLabel(written)}]`;
  const address = `${target === '' ? '' : `:/${leads.id}`}${slugOf(subpath)}`;
  const marker = quotedTitle(text.slice(span.start, span.end));
  return {
    splices: [{ ...span, insert: `${label}(${address}${marker ?? ''})` }],
    at: label.length + 1,
    leads,
    respelled: marker === undefined,
  };
}

/** The text that a wikilink without a display text is rendered as. */
function shown(target: string, subpath: string): string {
  const parts = subpath.split('#').filter((part) => part !== '');
  return [...(target === '' ? [] : [target]), ...parts].join(' > ');
}

function asLabel(text: string): string {
  return text.replace(/[[\]]|\\$/g, '\\$&');
}

function markdownToId(given: LinkIn, leads: Target): Rewrite | undefined {
  const { text, link } = given;
  // A link within its own note is the same in every store.
  if (link.target === '') return undefined;
  const { targetSpan, subpathSpan } = link;
  const raw = text.slice(targetSpan.start, subpathSpan.end);
  const subpath = slugOf(link.subpath);
  const splices = [{ start: targetSpan.start, end: subpathSpan.end, insert: `:/${leads.id}${subpath}` }];
  const isSame = pathText(given) === text.slice(targetSpan.start, targetSpan.end);
  const isKept = isSame && subpath === text.slice(subpathSpan.start, subpathSpan.end);
  if (isKept) return { splices, at: 0, leads, respelled: false };
  const hasRoom = isInline(text, link) && afterDestination(text, link) === '';
  const marker = hasRoom ? quotedTitle(raw) : undefined;
  const end = destinationEnd(link);
  if (marker !== undefined) splices.push({ start: end, end, insert: marker });
  return { splices, at: 0, leads, respelled: marker === undefined };
}

/** The default path of a Markdown link, or of an HTML attribute. */
export function pathText({ text, link, home, source, path }: LinkIn): string | undefined {
  const written = linkText({
    source,
    target: path,
    syntax: 'markdown',
    format: 'relative',
    dialect: home.dialect,
    files: home.files,
    angle: link.angle,
  });
  return isInHtml(text, link)
    ? written?.replace(/["']/g, (quote) => (quote === '"' ? '%22' : '%27'))
    : written;
}
