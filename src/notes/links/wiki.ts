import { DIALECT_RULES } from '../dialects/rules.ts';
import type { Dialect, Link, Span } from '../model.ts';

/** The position of a `[[…]]`; `inner` is the text between the brackets. */
export interface WikiBrackets {
  readonly span: Span;
  readonly inner: Span;
  readonly embed: boolean;
  readonly line: number;
}

/**
 * Splits a wikilink into path, subpath and display text. The first `|` starts the display text; a backslash
 * before it escapes it inside tables and belongs to neither side.
 *
 * @returns undefined for brackets without a target (`[[]]`, `[[#]]`, `[[ | x]]`)
 */
export function wikiLink(text: string, at: WikiBrackets, dialect: Dialect): Link | undefined {
  const { inner } = at;
  const rules = DIALECT_RULES[dialect];
  const pipe = rules.wikilinkText ? indexWithin(text, '|', inner) : -1;
  const displaySpan = pipe < 0 ? undefined : { start: pipe + 1, end: inner.end };
  let addressEnd = pipe < 0 ? inner.end : pipe;
  if (pipe > inner.start && text[pipe - 1] === '\\') addressEnd -= 1;
  const address = trimmed(text, { start: inner.start, end: addressEnd });
  const start = rules.caretBeforePage && text[address.start] === '^' ? address.start + 1 : address.start;
  const separator = subpathStart(text, { start, end: address.end }, rules.subpathMarks);
  const targetSpan = trimmed(text, { start, end: separator });
  const subpathSpan =
    separator === address.end
      ? { start: targetSpan.end, end: targetSpan.end }
      : { start: separator, end: address.end };
  const target = text.slice(targetSpan.start, targetSpan.end);
  const subpath = cleanSubpath(text.slice(subpathSpan.start, subpathSpan.end));
  if (target === '' && subpath === '') return undefined;
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(target)) return undefined;
  return {
    syntax: 'wiki',
    embed: at.embed,
    property: undefined,
    target,
    subpath,
    display: displaySpan === undefined ? undefined : text.slice(displaySpan.start, displaySpan.end),
    span: at.span,
    targetSpan,
    subpathSpan,
    displaySpan,
    angle: false,
    line: at.line,
  };
}

/** A raw subpath; empty when it is only `#`. */
export function cleanSubpath(raw: string): string {
  return /^#+\s*$/.test(raw) ? '' : raw;
}

function subpathStart(text: string, address: Span, marks: readonly string[]): number {
  const found = marks.map((mark) => indexWithin(text, mark, address)).filter((index) => index >= 0);
  return found.length === 0 ? address.end : Math.min(...found);
}

function indexWithin(text: string, mark: string, span: Span): number {
  const index = text.slice(span.start, span.end).indexOf(mark);
  return index < 0 ? -1 : span.start + index;
}

function trimmed(text: string, span: Span): Span {
  let { start, end } = span;
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return { start, end };
}

function isBlank(text: string, at: number): boolean {
  const character = text[at];
  return character === ' ' || character === '\t' || character === '\u00a0';
}
