// The Porter stemmer (M. F. Porter, 1980), from the paper, for the reference ranking only: the
// benchmark must not measure Lectern with Lectern's own parts.
const isConsonant = (word: string, at: number): boolean => {
  const letter = word.charAt(at);
  if ('aeiou'.includes(letter)) return false;
  if (letter === 'y') return at === 0 || !isConsonant(word, at - 1);
  return true;
};

/** Number of vowel-consonant sequences: the paper's m. */
const measureOf = (stem: string): number => {
  let count = 0;
  for (let i = 1; i < stem.length; i += 1) if (!isConsonant(stem, i - 1) && isConsonant(stem, i)) count += 1;
  return count;
};
const hasVowel = (stem: string): boolean => [...stem].some((_, i) => !isConsonant(stem, i));
const endsDouble = (word: string): boolean =>
  word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
const endsCvc = (word: string): boolean => {
  const n = word.length;
  return (
    n > 2 &&
    isConsonant(word, n - 3) &&
    !isConsonant(word, n - 2) &&
    isConsonant(word, n - 1) &&
    !'wxy'.includes(word.charAt(n - 1))
  );
};

function replaceFirst(word: string, rules: readonly (readonly [string, string])[], least: number): string {
  for (const [end, put] of rules) {
    if (!word.endsWith(end)) continue;
    const stem = word.slice(0, -end.length);
    return measureOf(stem) > least ? stem + put : word;
  }
  return word;
}

const STEP2: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
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
  'ment',
  'able',
  'ible',
  'ance',
  'ence',
  'ent',
  'ant',
  'al',
  'er',
  'ic',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
];

export function porter(input: string): string {
  if (input.length < 3 || !/^[a-z]+$/.test(input)) return input;
  let word = input;
  if (word.endsWith('sses') || word.endsWith('ies')) word = word.slice(0, -2);
  else if (word.endsWith('s') && !word.endsWith('ss')) word = word.slice(0, -1);
  if (word.endsWith('eed')) {
    if (measureOf(word.slice(0, -3)) > 0) word = word.slice(0, -1);
  } else {
    const end = ['ed', 'ing'].find(
      (suffix) => word.endsWith(suffix) && hasVowel(word.slice(0, -suffix.length)),
    );
    if (end) {
      word = word.slice(0, -end.length);
      if (/(at|bl|iz)$/.test(word)) word += 'e';
      else if (endsDouble(word) && !/[lsz]$/.test(word)) word = word.slice(0, -1);
      else if (measureOf(word) === 1 && endsCvc(word)) word += 'e';
    }
  }
  if (word.endsWith('y') && hasVowel(word.slice(0, -1))) word = `${word.slice(0, -1)}i`;
  word = replaceFirst(word, STEP2, 0);
  word = replaceFirst(word, STEP3, 0);
  const fourth = STEP4.find((suffix) => word.endsWith(suffix));
  if (fourth) {
    if (measureOf(word.slice(0, -fourth.length)) > 1) word = word.slice(0, -fourth.length);
  } else if (/[st]ion$/.test(word) && measureOf(word.slice(0, -3)) > 1) word = word.slice(0, -3);
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1);
    if (measureOf(stem) > 1 || (measureOf(stem) === 1 && !endsCvc(stem))) word = stem;
  }
  if (measureOf(word) > 1 && word.endsWith('ll')) word = word.slice(0, -1);
  return word;
}
