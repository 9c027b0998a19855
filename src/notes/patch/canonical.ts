import type { Span } from '../model.ts';
import { assertPlaces } from './places.ts';

/** A letter with combining marks, or a Hangul syllable in parts: sequences that NFC may compose. */
const COMPOSABLE = /[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[^\p{M}]\p{M}+/gu;

interface Composed {
  /** Span in the composed text; `written` is the span in the original text. */
  readonly start: number;
  readonly end: number;
  readonly written: Span;
}

/**
 * Finds a text whose letters may be encoded by other code points (`é` as one or as two), which look the same.
 * Matches are in source order, do not overlap and never split a letter.
 *
 * @throws LecternError `too_large` for more matches than one call may change
 */
export function findEquivalent(text: string, wanted: string, from: number): readonly Span[] {
  const needle = wanted.normalize('NFC');
  const { composed, changes } = compose(text);
  if (changes.length === 0 && needle === wanted) return [];
  const matches: Span[] = [];
  for (let at = composed.indexOf(needle); at !== -1; ) {
    const start = writtenOffset(changes, at);
    const end = writtenOffset(changes, at + needle.length);
    const whole = start !== undefined && end !== undefined && start >= from;
    if (whole && !/^\p{M}/u.test(text.slice(end, end + 2))) matches.push({ start, end });
    assertPlaces(matches.length);
    at = composed.indexOf(needle, whole ? at + needle.length : at + 1);
  }
  return matches;
}

function compose(text: string): { composed: string; changes: readonly Composed[] } {
  const changes: Composed[] = [];
  let composed = '';
  let at = 0;
  for (const { 0: letter, index } of text.matchAll(COMPOSABLE)) {
    const normal = letter.normalize('NFC');
    if (normal === letter) continue;
    composed += text.slice(at, index);
    const start = composed.length;
    composed += normal;
    at = index + letter.length;
    changes.push({ start, end: composed.length, written: { start: index, end: at } });
  }
  return { composed: composed + text.slice(at), changes };
}

/** The offset in the original text; undefined inside a composed letter. */
function writtenOffset(changes: readonly Composed[], offset: number): number | undefined {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const before = changes[low - 1];
  if (before === undefined) return offset;
  return offset < before.end ? undefined : before.written.end + (offset - before.end);
}
