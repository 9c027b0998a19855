import { DateValue } from './date-value.ts';
import { LinkValue, ObjectValue, type Value } from './value.ts';

/** A property text that is read as a date. */
export const PROPERTY_DATE = /^\d{4}-\d{2}-\d{2}(?:$|[T ]\d{2}:\d{2})/;
/** Only ASCII white space may precede a link, as the index finds links by the first characters of a value. */
const WIKILINK = /^[ \t\r\n]*!?\[\[([^\]|]*(?:\](?!\])[^\]|]*)*)(?:\|(.*))?\]\]\s*$/s;
const MARKDOWN_LINK = /^[ \t\r\n]*\[([^\]]*)\]\(\s*<?([^)>\s]+)>?\s*\)\s*$/;
/** Deepest nesting of lists and maps that is read; deeper values become null. */
const MAX_DEPTH = 30;

/**
 * Converts a front-matter value to a value of an expression: a text that is a date or a whole link becomes one.
 *
 * @param source path of the note, from which its links are resolved
 */
export function fromProperty(value: unknown, source: string, depth = 0): Value {
  if (value === null || value === undefined || depth > MAX_DEPTH) return null;
  switch (typeof value) {
    case 'boolean':
    case 'number':
      return value;
    case 'bigint':
      return Number(value);
    case 'string':
      return fromText(value, source);
    case 'object':
      if (Array.isArray(value)) return value.map((item) => fromProperty(item, source, depth + 1));
      if (value instanceof Date) return new DateValue(value.getTime(), value.getTime() % 86_400_000 !== 0);
      return ObjectValue.of(
        Object.entries(value).map(([key, inner]) => [key, fromProperty(inner, source, depth + 1)] as const),
      );
    default:
      return null;
  }
}

function fromText(text: string, source: string): Value {
  if (PROPERTY_DATE.test(text)) return DateValue.parse(text) ?? text;
  return readLink(text, source) ?? text;
}

/** Parses a text that is exactly one wiki or Markdown link; undefined for any other text. */
export function readLink(text: string, source: string): LinkValue | undefined {
  const wiki = WIKILINK.exec(text);
  if (wiki !== null) return new LinkValue(withoutSubpath(wiki[1] ?? ''), source, wiki[2]);
  const markdown = MARKDOWN_LINK.exec(text);
  if (markdown === null) return undefined;
  const [, display = '', address = ''] = markdown;
  const isOut = /^[a-z][a-z\d+.-]*:/i.test(address);
  return new LinkValue(isOut ? address : withoutSubpath(decoded(address)), source, display || undefined);
}

/** A link target without its subpath (`#heading`), which comparisons ignore. */
export function withoutSubpath(target: string): string {
  return target.replace(/#.*$/s, '').trim();
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
