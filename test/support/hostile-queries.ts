import { Random } from '../../bench/support/random.ts';

/** A query nobody sane would type, and what kind of insanity it is. */
export interface HostileQuery {
  readonly kind: string;
  readonly query: string;
}

const OPERATORS = [
  '"',
  '(',
  ')',
  '-',
  'OR',
  'AND',
  '[',
  ']',
  '/',
  ':',
  '*',
  '^',
  '~',
  '{',
  '}',
  '\\',
  '|',
  '#',
];
const FIELDS = [
  'path:',
  'file:',
  'tag:',
  'tag:#',
  'line:(',
  'block:(',
  'section:(',
  'task:',
  'task-todo:',
  'content:',
];
const WORDS = [
  'soil',
  'compost',
  'guitar',
  'chord',
  'kernel',
  'budget',
  'oven',
  'the',
  'of',
  'note',
  'x',
  '5',
];
const SCRIPTS = [
  '系統',
  'かな',
  '한국어',
  'שלום',
  'مرحبا',
  'ภาษาไทย',
  'हिन्दी',
  'Ελληνικά',
  'İı',
  'ß',
  'e\u0301',
  'ﬁ',
];
const EMOJI = ['😀', '👩‍🚀', '🏳️‍🌈', '🇪🇺', '👍🏽', '\u2764\ufe0f'];
const INVISIBLE = [
  '\0',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\u2028',
  '\x1b[31m',
  '\r\n',
  '\t',
  '\uffff',
];
const PATTERNS = [
  '/(a+)+$/',
  '/(a|a)*b/',
  '/(.*){20}x/',
  '/^(([a-z])+.)+[A-Z]([a-z])+$/',
  '/a{1,1000}{1,1000}/',
  '/(?=a)(?!b)/',
  '/\\1(a)/',
  '/[/',
  '/(/',
  '/./s',
  '/\\p{L}+\\p{Nd}*$/u',
  '/(x+x+)+y/',
];
const INJECTIONS = [
  "'; DROP TABLE file;--",
  'fts MATCH "a"',
  'NEAR(a b, 10)',
  '{title body} : a',
  'rowid:1',
  '%_*?',
  '"a" + "b"',
  '$(id) `id` && id',
  '../../etc/passwd',
  '<script>alert(1)</script>',
];

type Make = (random: Random) => string;

const pieces =
  (from: readonly string[], between: string): Make =>
  (random) =>
    Array.from({ length: random.between(1, 24) }, () => random.pick(from)).join(between);

const mixed = [
  ...OPERATORS,
  ...FIELDS,
  ...WORDS,
  ...SCRIPTS,
  ...EMOJI,
  ...INVISIBLE,
  ...PATTERNS,
  ...INJECTIONS,
];

/** By kind; each text depends on the random numbers alone. */
const KINDS: Readonly<Record<string, Make>> = {
  'operators alone': pieces(OPERATORS, ''),
  'operators alone, spaced': pieces(OPERATORS, ' '),
  'words between operators': pieces([...OPERATORS, ...WORDS, ...WORDS, ' ', ' '], ''),
  'fields without values': pieces([...FIELDS, ' ', ')'], ''),
  'unbalanced quotes': (random) => pieces([...WORDS, '"', '"', "'", ' '], '')(random),
  'pattern that could hang': (random) => `${random.pick(PATTERNS)} ${random.pick(['', ...WORDS])}`,
  'pattern from pieces': (random) =>
    `/${pieces(['(', ')', '+', '*', '?', 'a', '|', '[', ']', '{9}', '\\', '.', '^', '$'], '')(random)}/`,
  scripts: pieces([...SCRIPTS, ' '], ''),
  emoji: pieces([...EMOJI, ' ', 'a'], ''),
  'invisible and direction marks': pieces([...INVISIBLE, ...WORDS], ''),
  'unpaired surrogates': (random) =>
    Array.from({ length: random.between(1, 30) }, () =>
      String.fromCharCode(random.between(0xd7f0, 0xe010)),
    ).join(random.pick(['', ' '])),
  'any code units': (random) =>
    Array.from({ length: random.between(1, 60) }, () => String.fromCharCode(random.below(0x10000))).join(''),
  injections: pieces(INJECTIONS, ' '),
  properties: pieces(['[', ']', 'a', ':', '>', '<', 'null', '"', '/x/', ' ', '2', 'OR'], ''),
  'deep nesting': (random) => {
    const depth = random.between(10, 3000);
    const [open, close] = random.pick([
      ['(', ')'],
      ['-(', ')'],
      ['line:(', ')'],
      ['[a:', ']'],
      ['"', '"'],
    ] as const);
    return open.repeat(depth) + random.pick(WORDS) + close.repeat(depth);
  },
  'many words': (random) =>
    Array.from({ length: random.between(200, 2000) }, () => random.pick([...WORDS, ...SCRIPTS])).join(' '),
  'many alternatives': (random) =>
    Array.from({ length: random.between(50, 800) }, () => random.pick(WORDS)).join(' OR '),
  '100 KB': (random) => {
    const piece = random.pick(mixed);
    return piece.repeat(Math.ceil(100_000 / piece.length));
  },
  '100 KB without a space': (random) => random.pick(['a', '系', '😀', '\ud83d', 'ab-', '"']).repeat(50_000),
  everything: pieces(mixed, ' '),
};

/** The same queries for the same seed, each kind as often as the others. */
export function hostileQueries(count: number, seed: number): HostileQuery[] {
  const random = new Random(seed);
  const kinds = Object.entries(KINDS);
  return Array.from({ length: count }, (_, at) => {
    const [kind, make] = kinds[at % kinds.length] as [string, Make];
    return { kind, query: make(random) };
  });
}
