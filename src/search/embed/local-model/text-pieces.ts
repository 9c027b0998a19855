/** Longest text handed to the tokenizer at once, UTF-16 units. */
const PIECE = 256;

/**
 * Cuts a text for the tokenizer, whose time grows with the square of what has no space in it: 8,000
 * characters of Japanese take a second. Cuts go before white space where there is some, else after
 * punctuation, else anywhere but inside a surrogate pair; pieces joined give the text.
 */
export function* textPieces(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = start + PIECE >= text.length ? text.length : cutBefore(text, start, start + PIECE);
    yield text.slice(start, end);
    start = end;
  }
}

function cutBefore(text: string, start: number, end: number): number {
  const least = start + PIECE / 2;
  for (let at = end; at > least; at -= 1) if (/\s/.test(text.charAt(at))) return at;
  for (let at = end; at > least; at -= 1) if (/\p{P}/u.test(text.charAt(at - 1))) return at;
  return isInsidePair(text, end) ? end - 1 : end;
}

function isInsidePair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}
