import type { Place } from './source.ts';

/** A quote has at least so many letters and digits: a shorter one stands everywhere. */
const LEAST_SIGNS = 8;
/** A quote without spaces between words says as much with fewer. */
const LEAST_UNSEGMENTED = 4;
const MOST_CHARACTERS = 2000;

/**
 * Finds what a model says it quotes in a passage. White space, typographic quotes and dashes may differ and letters
 * may be of the other case; nothing else may.
 *
 * @returns the place of the note's own characters; undefined when they are not there, or too few to be a quote
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

/** Whether a quote is long enough to mean one place. */
export function isTelling(quote: string): boolean {
  const signs = quote.match(/[\p{L}\p{N}]/gu) ?? [];
  const unsegmented = signs.filter((sign) =>
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u.test(sign),
  );
  return signs.length >= LEAST_SIGNS || unsegmented.length >= LEAST_UNSEGMENTED;
}

/** One character of the same kind for each of several, with the offset each came from. */
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
      // The space belongs to the character before it: a quote never begins or ends with one.
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
