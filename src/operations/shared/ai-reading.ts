import type { ReadAgain } from '../../ai/grounding/citation.ts';
import type { Place, Source } from '../../ai/grounding/source.ts';
import { trimmed } from '../../ai/grounding/source.ts';
import { isLecternError } from '../../errors.ts';
import type { Span } from '../../notes/model.ts';
import { sectionOf } from '../../notes/structure/outline.ts';
import type { VaultSession } from '../../vault/session.ts';

/**
 * Reads cited notes again through the caller's session; undefined for notes that are gone or hidden by now.
 */
export function readAgain(vault: VaultSession): ReadAgain {
  return async (path) => {
    try {
      const { path: found, etag, parsed } = await vault.open(path);
      return found === path ? { etag, text: parsed.text } : undefined;
    } catch (error) {
      if (isLecternError(error) && ['not_found', 'ambiguous', 'invalid_input'].includes(error.code))
        return undefined;
      throw error;
    }
  };
}

/** The section that contains a line, without its subsections; with them when it has no text of its own. */
export function sectionAt(source: Source, line: number, within: Span): Span {
  const { text, headings, lines } = source;
  const offset = Math.min(lines.endOf(line), text.length);
  let index = -1;
  for (const [at, { span }] of headings.entries()) if (span.start <= offset) index = at;
  const section = index === -1 ? undefined : sectionOf({ text, headings }, index);
  const first = headings[0]?.span.start ?? text.length;
  const own = section?.ownSpan ?? { start: within.start, end: Math.max(within.start, first) };
  const cut = (span: Span) =>
    trimmed(text, { start: Math.max(span.start, within.start), end: Math.min(span.end, within.end) });
  const found = cut(own);
  if (found.end > found.start) return found;
  return cut(section?.span ?? within);
}

/** Limit of a passage, UTF-16 code units: a longer section is cut around the relevant line, or split. */
const PASSAGE_CHARACTERS = 1500;

/** The part of a section around a line that one passage may contain. */
export function passageAround(source: Source, section: Span, line: number): Place {
  if (section.end - section.start <= PASSAGE_CHARACTERS) return { source, ...section };
  const { lines, text } = source;
  const at = Math.min(Math.max(lines.startOf(line), section.start), section.end);
  const wanted = Math.max(
    section.start,
    Math.min(at - PASSAGE_CHARACTERS / 3, section.end - PASSAGE_CHARACTERS),
  );
  let start = lines.startOf(lines.lineAt(wanted));
  if (start < section.start || at - start > PASSAGE_CHARACTERS / 2)
    start = Math.max(section.start, Math.floor(wanted));
  return {
    source,
    ...trimmed(text, wholeCharacters(text, start, Math.min(section.end, start + PASSAGE_CHARACTERS))),
  };
}

/** Splits a span into passages, at headings and blank lines where possible. */
export function passagesOf(source: Source, span: Span): Place[] {
  const { text, headings } = source;
  const places: Place[] = [];
  const cuts = [
    span.start,
    ...headings.map(({ span: { start } }) => start).filter((at) => at > span.start && at < span.end),
    span.end,
  ];
  for (let at = 0; at + 1 < cuts.length; at += 1) {
    let start = cuts[at] ?? 0;
    const end = cuts[at + 1] ?? start;
    while (start < end) {
      const cut = cutOf(text, start, end);
      const piece = trimmed(text, wholeCharacters(text, start, cut));
      if (piece.end > piece.start) places.push({ source, ...piece });
      start = cut;
    }
  }
  return places;
}

function cutOf(text: string, start: number, end: number): number {
  const most = start + PASSAGE_CHARACTERS;
  if (most >= end) return end;
  for (const mark of ['\n\n', '\n', '. ', ' ']) {
    const at = text.lastIndexOf(mark, most);
    if (at > start + PASSAGE_CHARACTERS / 3) return at + mark.length;
  }
  return /[\udc00-\udfff]/.test(text[most] ?? '') ? most - 1 : most;
}

/** Shorter passages, in UTF-16 code units, are not split. */
const LEAST_SPLIT = 40;

/** Splits a passage near its middle, at a space where possible; none for one that is too short. */
export function halvesOf({ source, start, end }: Place): readonly Place[] {
  const { text } = source;
  const length = end - start;
  if (length < LEAST_SPLIT) return [];
  const middle = start + Math.floor(length / 2);
  const space = text.lastIndexOf(' ', middle);
  const cut = space > start + length / 4 ? space : middle;
  const first = wholeCharacters(text, start, cut).end;
  return [
    { start, end: first },
    { start: first, end },
  ].flatMap((half) => {
    const piece = trimmed(text, half);
    return piece.end > piece.start ? [{ source, ...piece }] : [];
  });
}

function wholeCharacters(text: string, start: number, end: number): Span {
  const isLow = (at: number) => /[\udc00-\udfff]/.test(text[at] ?? '');
  return { start: isLow(start) ? start + 1 : start, end: isLow(end) ? end - 1 : end };
}
