import { LecternError } from '../../errors.ts';
import type { Frontmatter, Property } from '../model.ts';
import type { Splice } from '../splice.ts';
import { type RenderStyle, renderInline } from './render.ts';

/** With all texts in double quotes, this style renders JSON. */
const JSON_STYLE: RenderStyle = {
  indent: '',
  string: 'double',
  quote: 'double',
  list: 'flow',
  listIndent: '',
  literal: false,
  padding: '',
};

/**
 * Replaces the value of a pair. The functions of this file edit front matter that is one JSON object, or a YAML
 * flow map, of which JSON is a subset.
 *
 * @throws LecternError `invalid_input` for a pair without a value
 */
export function setInJson(property: Property, value: unknown): readonly Splice[] {
  const { start, end } = property.valueSpan;
  if (start === end) throw unusual(property.key);
  return [{ start, end, insert: renderInline(value, JSON_STYLE) }];
}

/** Appends a pair in the layout of the existing pairs. */
export function addToJson(
  text: string,
  frontmatter: Frontmatter,
  key: string,
  value: unknown,
): readonly Splice[] {
  const pair = `${JSON.stringify(key)}: ${renderInline(value, JSON_STYLE)}`;
  const open = text.indexOf('{', frontmatter.contentSpan.start);
  const last = frontmatter.properties.at(-1);
  if (last === undefined) return [{ start: open + 1, end: open + 1, insert: pair }];
  const beforeLast = frontmatter.properties.at(-2);
  const between = beforeLast
    ? text.slice(beforeLast.span.end, last.span.start)
    : `,${text.slice(open + 1, last.span.start) || ' '}`;
  if (!/^\s*,\s*$/.test(between)) throw unusual(key);
  return [{ start: last.span.end, end: last.span.end, insert: between + pair }];
}

/** Removes a pair and the comma that separates it from the next or previous one. */
export function deleteFromJson(
  text: string,
  frontmatter: Frontmatter,
  property: Property,
): readonly Splice[] {
  const { properties } = frontmatter;
  const i = properties.indexOf(property);
  const next = properties[i + 1];
  const previous = properties[i - 1];
  const { start, end } = property.span;
  if (next !== undefined) return [{ start, end: next.span.start, insert: '' }];
  if (previous !== undefined) return [{ start: previous.span.end, end, insert: '' }];
  const comma = /^\s*,/.exec(text.slice(end, frontmatter.contentSpan.end))?.[0].length ?? 0;
  return [{ start, end: end + comma, insert: '' }];
}

function unusual(key: string): LecternError {
  return new LecternError(
    'invalid_input',
    `The front matter is written in a way "${key}" cannot be edited in; nothing was changed.`,
    {
      details: { key },
      next: 'Edit the front matter as text, with the op replace_text and include_frontmatter.',
    },
  );
}
