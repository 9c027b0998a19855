/**
 * A light stemmer for words in plain Latin letters: takes off the plural and the commonest endings of
 * English (`-ing`, `-ed`, `-ly`, `-ment`, `-ation` …) and leaves short words, words with digits and other
 * scripts alone. Light on purpose: the model learns which words belong together, so a wrong merge
 * costs more than a missed one, and other languages in the vault must not be mangled.
 */

const STEMMABLE = /^[a-z]{4,}$/;

/** Ending → replacement; the first that fits is taken. `least` is how many letters must remain. */
const ENDINGS: readonly { readonly end: string; readonly put: string; readonly least: number }[] = [
  { end: 'izations', put: 'ize', least: 3 },
  { end: 'ization', put: 'ize', least: 3 },
  { end: 'ations', put: 'ate', least: 3 },
  { end: 'ation', put: 'ate', least: 3 },
  { end: 'ators', put: 'ate', least: 3 },
  { end: 'ator', put: 'ate', least: 3 },
  { end: 'nesses', put: '', least: 4 },
  { end: 'ness', put: '', least: 4 },
  { end: 'ments', put: '', least: 4 },
  { end: 'ment', put: '', least: 4 },
  { end: 'ically', put: 'ic', least: 3 },
  { end: 'fully', put: 'ful', least: 3 },
  { end: 'ally', put: 'al', least: 3 },
  { end: 'ical', put: 'ic', least: 3 },
  { end: 'ities', put: 'ity', least: 3 },
  { end: 'ings', put: '', least: 3 },
  { end: 'ing', put: '', least: 3 },
  { end: 'ied', put: 'y', least: 2 },
  { end: 'ies', put: 'y', least: 2 },
  { end: 'ed', put: '', least: 3 },
  { end: 'ly', put: '', least: 4 },
  { end: 'sses', put: 'ss', least: 2 },
  { end: 'shes', put: 'sh', least: 2 },
  { end: 'ches', put: 'ch', least: 2 },
  { end: 'xes', put: 'x', least: 2 },
  { end: 'ss', put: 'ss', least: 2 },
  { end: 'us', put: 'us', least: 2 },
  { end: 'is', put: 'is', least: 2 },
  { end: 's', put: '', least: 3 },
];

/** @param word lower case; returned unchanged when it is short or not plain Latin letters */
export function stem(word: string): string {
  if (!STEMMABLE.test(word)) return word;
  for (const { end, put, least } of ENDINGS) {
    if (!word.endsWith(end) || word.length - end.length < least) continue;
    const base = word.slice(0, word.length - end.length);
    return /[aeiouy]/.test(base) ? settle(base + put) : word;
  }
  return settle(word);
}

/** What every word with this stem contains: a final `y` may stand for an `i`. */
export function stemCore(stemmed: string): string {
  return stemmed.length > 2 && stemmed.endsWith('y') ? stemmed.slice(0, -1) : stemmed;
}

/** `running` → `runn` → `run`; `make`, `making` → `mak`: one form for the bare stem and the stem with its final e. */
function settle(stemmed: string): string {
  if (stemmed.length < 4) return stemmed;
  const last = stemmed.charAt(stemmed.length - 1);
  if (last === 'e') return stemmed.slice(0, -1);
  if (last === stemmed.charAt(stemmed.length - 2) && !'aeiolsz'.includes(last)) return stemmed.slice(0, -1);
  return stemmed;
}
