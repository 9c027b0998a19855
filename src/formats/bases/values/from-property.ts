import { DateValue } from './date-value.ts';
import { LinkValue, ObjectValue, type Value } from './value.ts';

/** Texts of properties that are dates. */
export const PROPERTY_DATE = /^\d{4}-\d{2}-\d{2}(?:$|[T ]\d{2}:\d{2})/;
/** Blanks before a link are ASCII ones: an index looks for values that begin like a link. */
const WIKILINK = /^[ \t\r\n]*!?\[\[([^\]|]*(?:\](?!\])[^\]|]*)*)(?:\|(.*))?\]\]\s*$/s;
const MARKDOWN_LINK = /^[ \t\r\n]*\[([^\]]*)\]\(\s*<?([^)>\s]+)>?\s*\)\s*$/;
/** Nested lists and maps are read this deep. */
const MAX_DEPTH = 30;

/**
 * A value of front matter as expressions see it: text that is a date or a link acts as one.
 *
 * @param source path of the note, from which its links are meant
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

/** A text that is one whole link, wiki or Markdown; undefined for any other. */
export function readLink(text: string, source: string): LinkValue | undefined {
  const wiki = WIKILINK.exec(text);
  if (wiki !== null) return new LinkValue(withoutSubpath(wiki[1] ?? ''), source, wiki[2]);
  const markdown = MARKDOWN_LINK.exec(text);
  if (markdown === null) return undefined;
  const [, display = '', address = ''] = markdown;
  const isOut = /^[a-z][a-z\d+.-]*:/i.test(address);
  return new LinkValue(isOut ? address : withoutSubpath(decoded(address)), source, display || undefined);
}

/** Subpaths do not count when links are compared. */
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
