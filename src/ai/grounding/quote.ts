import type { Place } from './source.ts';

/** Fewest letters and digits of a quote: a shorter one occurs in too many places. */
const LEAST_SIGNS = 8;
/** Fewest characters of a quote in a script without spaces. */
const LEAST_UNSEGMENTED = 4;
const MOST_CHARACTERS = 2000;

/**
 * Finds a model's quote in a passage. White space, typographic quotes, dashes and case may differ, nothing
 * else.
 *
 * @returns the place of the quote in the note; undefined when it is not in the passage, too short or too long
 */
export function findQuote(quote: string, passage: Place): Place | undefined {
  if (quote.length > MOST_CHARACTERS) return undefined;
  const wanted = normal(quote.trim());
  if (!isTelling(wanted.text)) return undefined;
  const { source, start, end } = passage;
  const inside = normal(source.text.slice(start, end));
  const at = inside.text.indexOf(wanted.text);
  if (at === -1) return undefined;
  const first = inside.offsets[at] ?? 0;
  const last = inside.offsets[at + wanted.text.length - 1] ?? 0;
  return { source, start: start + first, end: start + last + characterLength(source.text, start + last) };
}

/** Whether a quote is long enough to identify a place. */
export function isTelling(quote: string): boolean {
  const signs = quote.match(/[\p{L}\p{N}]/gu) ?? [];
  const unsegmented = signs.filter((sign) =>
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(sign),
  );
  return signs.length >= LEAST_SIGNS || unsegmented.length >= LEAST_UNSEGMENTED;
}

/**
 * Normalises white space, case, quotes and dashes. `offsets` has the offset, in UTF-16 code units, that each
 * code unit came from.
 */
function normal(text: string): { text: string; offsets: number[] } {
  const out: string[] = [];
  const offsets: number[] = [];
  let space = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at] ?? '';
    if (/\s/.test(unit)) {
      space = out.length > 0;
      continue;
    }
    if (space) {
      out.push(' ');
      // Any offset works: a quote is trimmed, so it never begins or ends with a space.
      offsets.push(at - 1);
      space = false;
    }
    const lower = unit.toLowerCase();
    out.push(ALIKE[unit] ?? (lower.length === 1 ? lower : unit));
    offsets.push(at);
  }
  return { text: out.join(''), offsets };
}

const ALIKE: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '–': '-',
  '—': '-',
  '‑': '-',
};

function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
