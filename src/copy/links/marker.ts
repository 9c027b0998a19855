import type { Link } from '../../notes/model.ts';

/**
 * Delimiters of the title that preserves how a link was written before it became one by id:
 * `[alias](:/… "[[Note|alias]]")`. Readers show it as a tooltip, and the copy back restores the link from it.
 */
const QUOTES: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['(', ')'],
];

/**
 * The text as a link title with a leading space.
 * @returns undefined when no title can contain it unescaped
 */
export function quotedTitle(text: string): string | undefined {
  if (text === '' || /[\r\n]|\\$/.test(text)) return undefined;
  const quotes = QUOTES.find(([open, close]) => !text.includes(open) && !text.includes(close));
  return quotes && ` ${quotes[0]}${text}${quotes[1]}`;
}

/**
 * The text between the destination of an inline link and its closing parenthesis: empty, or spaces and a
 * title.
 */
export function afterDestination(text: string, link: Link): string {
  return text.slice(destinationEnd(link), link.span.end - 1);
}

/** Offset after the destination of an inline link, including `>`, UTF-16 code units. */
export function destinationEnd({ subpathSpan, angle }: Link): number {
  return subpathSpan.end + (angle ? 1 : 0);
}

/** The text that {@link quotedTitle} wrote; undefined when there is no title or it has another form. */
export function titleIn(written: string): string | undefined {
  const inner = written.slice(2, -1);
  return quotedTitle(inner) === written ? inner : undefined;
}

/** Whether this is an inline Markdown link, rather than a reference or an HTML attribute. */
export function isInline(text: string, link: Link): boolean {
  return link.syntax === 'markdown' && !isInHtml(text, link);
}

export function isInHtml(text: string, { syntax, span }: Link): boolean {
  return syntax === 'markdown' && !/[[!]/.test(text[span.start] ?? '');
}
