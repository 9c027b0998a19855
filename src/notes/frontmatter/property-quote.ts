import type { Link, ParsedNote, Span } from '../model.ts';
import { frontmatterScalars, type PropertyScalar } from './frontmatter.ts';

/** The string scalar of the front matter that contains a span; undefined when there is none. */
export function scalarAround(scalars: readonly PropertyScalar[], span: Span): PropertyScalar | undefined {
  return scalars.find((scalar) => scalar.span.start <= span.start && span.end <= scalar.span.end);
}

/** Escapes a text for a scalar of this style, in which its quote character may occur. */
export function quotedAs(style: PropertyScalar['style'] | undefined, text: string): string {
  if (style === 'single') return text.replaceAll("'", "''");
  if (style === 'double') return text.replace(/["\\]/g, '\\$&');
  return text;
}

/** Escapes a text for a link of this note: inside a quoted property its quote character may occur. */
export function quotedLike(parsed: ParsedNote, link: Pick<Link, 'property' | 'span'>, text: string): string {
  if (link.property === undefined || parsed.frontmatter?.kind !== 'yaml') return text;
  return quotedAs(scalarAround(frontmatterScalars(parsed.frontmatter, parsed.text), link.span)?.style, text);
}
