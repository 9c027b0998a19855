import { LecternError } from '../../errors.ts';
import type { Property, Span } from '../model.ts';
import type { Splice } from '../splice.ts';
import { type RenderStyle, renderValue } from './render.ts';

/**
 * Replaces the value of a `key: value` pair. The part on the key's line goes after the colon, list and block
 * lines go below; a comment at the end of the key's line stays.
 */
export function setExisting(
  text: string,
  property: Property,
  value: unknown,
  style: RenderStyle,
): readonly Splice[] {
  const { inline, lines } = renderValue(value, style);
  const colon = colonOf(text, property);
  const keyLineEnd = endOfLine(text, colon);
  const { start, end } = withoutFinalEol(text, property);
  const block = lines.map((line) => eolAt(text, property) + line).join('');
  if (start === end) {
    return behindColon(text, colon, keyLineEnd, inline, [
      { start: keyLineEnd, end: keyLineEnd, insert: block },
    ]);
  }
  if (start > keyLineEnd) {
    // The old value is below the key: its lines are removed, with anything after the last of them.
    const below = { start: keyLineEnd, end: endOfLine(text, end), insert: block };
    return behindColon(text, colon, keyLineEnd, inline, [below]);
  }
  const lineEnd = endOfLine(text, end);
  const head: Splice = inline === '' ? { start: colon + 1, end, insert: '' } : { start, end, insert: inline };
  return block === '' ? [head] : [head, { start: lineEnd, end: lineEnd, insert: block }];
}

function behindColon(
  text: string,
  colon: number,
  keyLineEnd: number,
  inline: string,
  below: readonly Splice[],
): readonly Splice[] {
  if (inline === '') return below.filter(({ start, end, insert }) => start < end || insert !== '');
  const rest = text.slice(colon + 1, keyLineEnd);
  const blank = /^[ \t]*$/.test(rest);
  const head = { start: colon + 1, end: blank ? keyLineEnd : colon + 1, insert: ` ${inline}` };
  const [next] = below;
  if (next === undefined || !blank) return [head, ...below];
  return [{ start: head.start, end: next.end, insert: head.insert + next.insert }];
}

function colonOf(text: string, property: Property): number {
  const between = text.slice(property.keySpan.end, property.span.end);
  const found = /^\s*:/.exec(between)?.[0];
  if (found !== undefined) return property.keySpan.end + found.length - 1;
  throw new LecternError(
    'invalid_input',
    `The property "${property.key}" has no colon; nothing was changed.`,
    {
      details: { key: property.key },
      next: 'Edit the front matter as text, with the op replace_text and include_frontmatter.',
    },
  );
}

/** A kept block scalar (`|+`) ends with EOLs of its own; the last one ends the pair and stays. */
function withoutFinalEol(text: string, { valueSpan: { start, end } }: Property): Span {
  if (end === start || text[end - 1] !== '\n') return { start, end };
  return { start, end: text[end - 2] === '\r' ? end - 2 : end - 1 };
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  if (newline < 0) return text.length;
  return newline > from && text[newline - 1] === '\r' ? newline - 1 : newline;
}

function eolAt(text: string, property: Property): string {
  const newline = text.indexOf('\n', property.keySpan.start);
  return text[newline - 1] === '\r' ? '\r\n' : '\n';
}
