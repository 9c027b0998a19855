/**
 * Compounds of ASCII text, which most of most notes is. Patterns that are tried at every word, and the
 * arrays they return, took a third of the time it takes to digest a note; walking over the characters takes a
 * tenth of that.
 */

const OTHER = 0;
const ALPHANUMERIC = 1;
/** Joins the parts of a compound. */
const JOINER = 2;

const KINDS = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
  KINDS[character.charCodeAt(0)] = ALPHANUMERIC;
for (const character of "'-._/+@") KINDS[character.charCodeAt(0)] = JOINER;

function kindAt(text: string, at: number): number {
  return at < text.length ? (KINDS[text.charCodeAt(at)] ?? OTHER) : OTHER;
}

/** Characters of one part of a compound, and parts after the first. */
const LONGEST_PART = 40;
const MOST_PARTS = 7;

/** Where a run of letters and digits ends that begins at `from`, not looking further than a part may be long. */
function partEnd(text: string, from: number): number {
  let end = from;
  while (end - from < LONGEST_PART && kindAt(text, end) === ALPHANUMERIC) end += 1;
  return end;
}

/**
 * Calls back with what `/(?<![A-Za-z0-9])[A-Za-z0-9]{1,40}(?:[-._/'+@][A-Za-z0-9]{1,40}){1,7}/g` matches: what
 * stands between two others with punctuation inside.
 */
export function forEachAsciiCompound(text: string, found: (compound: string) => void): void {
  /** Behind the compound before. */
  let low = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (kindAt(text, at) < JOINER || kindAt(text, at - 1) !== ALPHANUMERIC) continue;
    if (kindAt(text, at + 1) !== ALPHANUMERIC) continue;
    let start = at;
    while (start > low && at - start <= LONGEST_PART && kindAt(text, start - 1) === ALPHANUMERIC) start -= 1;
    const isCut = start > 0 && kindAt(text, start - 1) === ALPHANUMERIC;
    if (start === at || at - start > LONGEST_PART || isCut) continue;
    let end = at;
    for (let part = 0; part < MOST_PARTS; part += 1) {
      if (kindAt(text, end) < JOINER || kindAt(text, end + 1) !== ALPHANUMERIC) break;
      end = partEnd(text, end + 1);
    }
    found(text.slice(start, end));
    low = end;
    at = end - 1;
  }
}
