/**
 * The Porter stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980), as the index's
 * tokenizer applies it, so that what the index finds can be marked in the text.
 */
const SHORT = /[^aeiou][aeiouy][^aeiouwxy]$/;

const STEP2: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const STEP3: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const STEP4 = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
  'ou',
];

const cache = new Map<string, string>();
const CACHE_SIZE = 20_000;

/** @param word lower case; words with anything but `a`–`z`, or shorter than three letters, come back as they are */
export function stem(word: string): string {
  if (word.length < 3 || word.length > 64 || !/^[a-z]+$/.test(word)) return word;
  let result = cache.get(word);
  if (result === undefined) {
    result = step5(step4(replaceSuffix(replaceSuffix(step1(word), STEP2), STEP3)));
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(word, result);
  }
  return result;
}

/** Vowel-consonant sequences: the `m` of the paper. */
function measure(stemmed: string): number {
  let count = 0;
  let afterVowel = false;
  for (let at = 0; at < stemmed.length; at += 1) {
    const vowel = isVowel(stemmed, at);
    if (afterVowel && !vowel) count += 1;
    afterVowel = vowel;
  }
  return count;
}

function isVowel(word: string, at: number): boolean {
  const char = word.charAt(at);
  if (char === 'y') return at > 0 && !isVowel(word, at - 1);
  return 'aeiou'.includes(char);
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (isVowel(word, at)) return true;
  return false;
}

function endsShort(word: string): boolean {
  return SHORT.test(word) && !isVowel(word, word.length - 3);
}

function step1(word: string): string {
  let stemmed = word;
  if (stemmed.endsWith('sses') || stemmed.endsWith('ies')) stemmed = stemmed.slice(0, -2);
  else if (stemmed.endsWith('s') && !stemmed.endsWith('ss')) stemmed = stemmed.slice(0, -1);
  if (stemmed.endsWith('eed')) {
    if (measure(stemmed.slice(0, -3)) > 0) stemmed = stemmed.slice(0, -1);
  } else {
    const ending = stemmed.endsWith('ed') ? 2 : stemmed.endsWith('ing') ? 3 : 0;
    if (ending > 0 && hasVowel(stemmed.slice(0, -ending))) stemmed = repair(stemmed.slice(0, -ending));
  }
  return stemmed.endsWith('y') && hasVowel(stemmed.slice(0, -1)) ? `${stemmed.slice(0, -1)}i` : stemmed;
}

/** What is left after `-ed` and `-ing`: `hopp` is `hop`, `fil` is `file`. */
function repair(stemmed: string): string {
  if (/(?:at|bl|iz)$/.test(stemmed)) return `${stemmed}e`;
  if (/([^aeioulsz])\1$/.test(stemmed) && !isVowel(stemmed, stemmed.length - 1)) return stemmed.slice(0, -1);
  return measure(stemmed) === 1 && endsShort(stemmed) ? `${stemmed}e` : stemmed;
}

function replaceSuffix(word: string, table: readonly (readonly [string, string])[]): string {
  let longest: readonly [string, string] | undefined;
  for (const entry of table) {
    if (word.endsWith(entry[0]) && entry[0].length > (longest?.[0].length ?? 0)) longest = entry;
  }
  if (!longest) return word;
  const base = word.slice(0, -longest[0].length);
  return measure(base) > 0 ? base + longest[1] : word;
}

function step4(word: string): string {
  if (/[st]ion$/.test(word)) return measure(word.slice(0, -3)) > 1 ? word.slice(0, -3) : word;
  const suffix = STEP4.find((ending) => word.endsWith(ending));
  if (suffix === undefined) return word;
  const base = word.slice(0, -suffix.length);
  return measure(base) > 1 ? base : word;
}

function step5(word: string): string {
  let stemmed = word;
  if (stemmed.endsWith('e')) {
    const base = stemmed.slice(0, -1);
    const count = measure(base);
    if (count > 1 || (count === 1 && !endsShort(base))) stemmed = base;
  }
  return stemmed.endsWith('ll') && measure(stemmed.slice(0, -1)) > 1 ? stemmed.slice(0, -1) : stemmed;
}
