import type { Link, ParsedNote, Span } from '../model.ts';
import { frontmatterScalars, type PropertyScalar } from './frontmatter.ts';

/** The string scalar of the front matter that holds a span. */
export function scalarAround(scalars: readonly PropertyScalar[], span: Span): PropertyScalar | undefined {
  return scalars.find((scalar) => scalar.span.start <= span.start && span.end <= scalar.span.end);
}

/** A text as it is written inside a scalar of that style: a name may hold the very quote around it. */
export function quotedAs(style: PropertyScalar['style'] | undefined, text: string): string {
  if (style === 'single') return text.replaceAll("'", "''");
  if (style === 'double') return text.replace(/["\\]/g, '\\$&');
  return text;
}

/** A text as it is written inside a link of this note: escaped where the link stands in a quoted property. */
export function quotedLike(parsed: ParsedNote, link: Pick<Link, 'property' | 'span'>, text: string): string {
  if (link.property === undefined || parsed.frontmatter?.kind !== 'yaml') return text;
  return quotedAs(scalarAround(frontmatterScalars(parsed.frontmatter, parsed.text), link.span)?.style, text);
}
