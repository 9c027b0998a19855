import type { Link } from '../../notes/model.ts';

/**
 * How a link was written before it became one by id, kept as the title of the Markdown link: `[alias](:/… "[[Note|alias]]")`.
 * Readers show it when the pointer rests on the link, and the way back finds it there.
 */
const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['(', ')'],
];

/** @returns undefined for what no title can hold as it is */
export function quotedTitle(text: string): string | undefined {
  if (text === '' || /[\r\n]|\\$/.test(text)) return undefined;
  const quotes = QUOTES.find(([open, close]) => !text.includes(open) && !text.includes(close));
  return quotes && ` ${quotes[0]}${text}${quotes[1]}`;
}

/** What stands between a destination and the end of an inline link: nothing, or blanks and a title. */
export function afterDestination(text: string, link: Link): string {
  return text.slice(destinationEnd(link), link.span.end - 1);
}

/** The offset behind the destination of an inline link, angle bracket included. */
export function destinationEnd({ subpathSpan, angle }: Link): number {
  return subpathSpan.end + (angle ? 1 : 0);
}

/** The title that {@link quotedTitle} wrote; undefined for none, and for one in another form. */
export function titleIn(written: string): string | undefined {
  const inner = written.slice(2, -1);
  return quotedTitle(inner) === written ? inner : undefined;
}

/** An inline Markdown link, and not a reference or an attribute of HTML. */
export function isInline(text: string, link: Link): boolean {
  return link.syntax === 'markdown' && !isInHtml(text, link);
}

export function isInHtml(text: string, { syntax, span }: Link): boolean {
  return syntax === 'markdown' && !/[[!]/.test(text[span.start] ?? '');
}
