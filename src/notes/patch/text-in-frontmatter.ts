import { LecternError } from '../../errors.ts';
import {
  errorsIn,
  frontmatterScalars,
  type PropertyScalar,
  parseFrontmatter,
} from '../frontmatter/frontmatter.ts';
import { renderInline } from '../frontmatter/render.ts';
import type { Frontmatter, Span } from '../model.ts';
import { applySplices, type Splice } from '../splice.ts';
import { LineIndex } from '../text.ts';
import type { NoteInEdit } from './edit.ts';

/**
 * The splices that replace matches inside the front matter by `text`. A value is quoted when it would otherwise
 * not parse as the same text. In a block with errors any replacement is accepted that leaves fewer
 * of them, or that leaves an unreadable block between its fences: this is the only way to repair one.
 *
 * @param matches sorted, disjoint, all before the end of the front matter
 * @throws LecternError `invalid_input` when a match touches the fences or the result would be unreadable
 */
export function replaceInFrontmatter(
  note: NoteInEdit,
  matches: readonly Span[],
  text: string,
): readonly Splice[] {
  const [first] = matches;
  if (first === undefined) return [];
  const { frontmatter } = note.parsed;
  const inside = frontmatter?.contentSpan;
  if (
    frontmatter === undefined ||
    inside === undefined ||
    matches.some(({ start, end }) => start < inside.start || end > inside.end)
  ) {
    throw refusal(note, first, 'A match touches the lines around the properties.');
  }
  const plain = matches.map(({ start, end }) => ({ start, end, insert: text }));
  if (repairs(note, frontmatter, plain)) return plain;
  const scalars = frontmatterScalars(frontmatter, note.text);
  if (reads(note, frontmatter, scalars, plain)) return plain;

  const quoted: Splice[] = [];
  let rest = plain;
  for (const scalar of scalars) {
    const own = rest.filter(({ start, end }) => scalar.span.start <= start && end <= scalar.span.end);
    if (own.length === 0) continue;
    rest = rest.filter((splice) => !own.includes(splice));
    if (reads(note, frontmatter, scalars, own)) quoted.push(...own);
    else quoted.push(requoted(note, scalar, own));
  }
  const splices = [...quoted, ...rest].sort((a, b) => a.start - b.start);
  if (!reads(note, frontmatter, scalars, splices)) {
    throw refusal(note, first, 'The replacement would make the properties unreadable or change another one.');
  }
  return splices;
}

/** The scalar with the matches in its text replaced, in its own quotes or in double quotes. */
function requoted(note: NoteInEdit, scalar: PropertyScalar, own: readonly Splice[]): Splice {
  const value = expectedValue(note.text, scalar, own);
  const [first] = own;
  if (value === undefined || scalar.style === 'block' || note.parsed.frontmatter?.kind !== 'yaml') {
    throw refusal(
      note,
      first ?? scalar.span,
      'The replacement does not fit into that property as it is written.',
    );
  }
  const quote = scalar.style === 'single' ? 'single' : 'double';
  const style = {
    indent: '',
    string: quote,
    quote,
    list: 'flow',
    listIndent: '',
    padding: '',
    literal: false,
  } as const;
  return { ...scalar.span, insert: renderInline(value, style, true) };
}

/** The value a scalar must have after the splices; undefined when its source has escapes or folding. */
function expectedValue(text: string, scalar: PropertyScalar, own: readonly Splice[]): string | undefined {
  const quotes = scalar.style === 'single' || scalar.style === 'double' ? 1 : 0;
  const start = scalar.span.start + quotes;
  const end = scalar.span.end - quotes;
  const source = text.slice(start, end);
  // The source differs from the value by escapes or folding, or a match includes a quote.
  if (source !== scalar.value || own.some((splice) => splice.start < start || splice.end > end))
    return undefined;
  return applySplices(
    source,
    own.map((splice) => ({ ...splice, start: splice.start - start, end: splice.end - start })),
  );
}

/** Whether a block with errors keeps its fences and has fewer errors, or was and stays unreadable. */
function repairs(note: NoteInEdit, before: Frontmatter, splices: readonly Splice[]): boolean {
  const errors = errorsIn(before).length;
  if (errors === 0) return false;
  const after = betweenTheSameFences(note, before, applySplices(note.text, splices));
  return after !== undefined && (before.properties.length === 0 || errorsIn(after).length < errors);
}

function betweenTheSameFences(note: NoteInEdit, before: Frontmatter, text: string): Frontmatter | undefined {
  const after = parseFrontmatter(text, note.dialect);
  const shift = text.length - note.text.length;
  const same = after?.kind === before.kind && after.contentSpan.end === before.contentSpan.end + shift;
  return same ? after : undefined;
}

/** Whether the block stays as readable as it was, and every value in it is the old one or the expected one. */
function reads(
  note: NoteInEdit,
  before: Frontmatter,
  scalars: readonly PropertyScalar[],
  splices: readonly Splice[],
): boolean {
  const text = applySplices(note.text, splices);
  const after = betweenTheSameFences(note, before, text);
  if (after === undefined || errorsIn(after).length > errorsIn(before).length) return false;
  if (after.properties.length !== before.properties.length) return false;
  const now = frontmatterScalars(after, text);
  return (
    now.length === scalars.length &&
    scalars.every((scalar, index) => {
      const own = splices.filter(({ start, end }) => scalar.span.start <= start && end <= scalar.span.end);
      const whole = own.find(({ start, end }) => start === scalar.span.start && end === scalar.span.end);
      if (whole !== undefined) return true;
      const expected = own.length === 0 ? scalar.value : expectedValue(note.text, scalar, own);
      return expected === undefined || now[index]?.value === expected;
    })
  );
}

function refusal(note: NoteInEdit, at: Span, message: string): LecternError {
  return new LecternError('invalid_input', message, {
    details: { line: new LineIndex(note.text).lineAt(at.start) },
    next:
      errorsIn(note.parsed.frontmatter).length > 0
        ? 'Replace only text between the two --- lines, and put none in between.'
        : 'Set the property with set_frontmatter, or leave include_frontmatter out.',
  });
}
