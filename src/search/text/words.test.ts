import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../sqlite/driver.ts';
import { fold, foldWithOffsets } from './fold.ts';
import { stem } from './porter.ts';
import { needle, occurrences, wordParts } from './words.ts';

/** What the index's own tokenizer makes of words. */
function indexStems(words: readonly string[]): Map<string, string> {
  const database = openDatabase(':memory:');
  database.exec(`CREATE VIRTUAL TABLE t USING fts5(w, tokenize='porter unicode61 remove_diacritics 2')`);
  database.exec('CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)');
  const insert = database.prepare('INSERT INTO t (rowid, w) VALUES (?, ?)');
  words.forEach((word, index) => {
    insert.run(index + 1, word);
  });
  const stems = new Map<string, string>();
  for (const row of database.prepare('SELECT term, doc FROM v').all()) {
    stems.set(words[Number(row.doc) - 1] ?? '', String(row.term));
  }
  database.close();
  return stems;
}

const BASES =
  'abandon happ relat condition rational valenc digitiz conformabl radical differ vil analog vietnam predicat operat feudal decis hop call form sensit triplic electric good reviv allow infer airlin gyroscop adjust defens irrit replac depend adopt homolog commun activ angular effect bowdl probat rat ceas control roll cr fl sky tr dy agr fizz fil size'.split(
    ' ',
  );
const ENDINGS = [
  '',
  's',
  'es',
  'sses',
  'ies',
  'y',
  'ed',
  'eed',
  'ing',
  'ational',
  'tional',
  'ization',
  'izer',
  'ation',
  'ator',
  'alism',
  'iveness',
  'fulness',
  'ousness',
  'aliti',
  'iviti',
  'biliti',
  'icate',
  'ative',
  'alize',
  'iciti',
  'ical',
  'ful',
  'ness',
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'sion',
  'tion',
  'ism',
  'ate',
  'ous',
  'ive',
  'ize',
  'e',
  'll',
  'bly',
  'ently',
  'ously',
];

describe('stem', () => {
  test('is the stemmer of the index', () => {
    const words = BASES.flatMap((base) => ENDINGS.map((ending) => base + ending));
    const expected = indexStems(words);
    const wrong = words.filter((word) => stem(word) !== expected.get(word));
    expect(wrong.map((word) => [word, stem(word), expected.get(word)])).toEqual([]);
  });

  test('any word', () => {
    const letters = fc.array(fc.constantFrom(...'aeioustlnrdygbm'), { minLength: 3, maxLength: 12 });
    const words = fc.sample(
      letters.map((word) => word.join('')),
      { seed: 7, numRuns: 3000 },
    );
    const expected = indexStems([...new Set(words)]);
    expect(words.filter((word) => stem(word) !== expected.get(word))).toEqual([]);
  });
});

describe('fold', () => {
  test.each([
    ['Crème BRÛLÉE', 'creme brulee'],
    ['re\u0301sume\u0301', 'resume'],
    ['Straße Ægir Łódź smørrebrød', 'strasse aegir lodz smorrebrod'],
    ['İstanbul', 'istanbul'],
    ['テデ й', 'テデ й'],
    ['ＦＵＬＬ ﬁne', 'full fine'],
  ])('%s', (source, expected) => expect(fold(source)).toBe(expected));

  test('every folded place leads back to its source', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (prefix) => {
        const source = `${prefix} Straße e\u0301X`;
        const { text, offsets } = foldWithOffsets(source);
        const at = text.lastIndexOf('strasse');
        expect(source.slice(offsets ? offsets[at] : at).startsWith('Straße')).toBe(true);
        if (offsets) expect(offsets.length).toBe(text.length + 1);
        else expect(text.length).toBe(source.length);
      }),
      { seed: 11 },
    );
  });
});

describe('words', () => {
  test('parts as the index counts them', () => {
    expect(wordParts("POL-358 系統 don't 🎉x")).toEqual(['pol', '358', '系', '統', 'don', 't', '🎉', 'x']);
  });

  test('plain ASCII is cut into the same words as beside other scripts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 40 }), (text) => {
        expect([...wordParts(text), '系']).toEqual(wordParts(`${text} 系`));
      }),
      { seed: 5 },
    );
  });

  const found = (text: string, query: string, options = {}): string[] => {
    const wanted = needle(query, options);
    return wanted
      ? occurrences(fold(text), wanted, 100).map(({ start, end }) => fold(text).slice(start, end))
      : [];
  };

  test.each([
    ['He runs, she was running; runner', 'run', {}, ['runs', 'running']],
    ['ponies and a pony', 'ponies', {}, ['ponies', 'pony']],
    ['project projects projector', 'project', {}, ['project', 'projects']],
    ['project projector', 'proj', { prefix: true }, ['project', 'projector']],
    ['JavaScript script', 'script', { inside: true }, ['script', 'script']],
    ['see POL-358, not 358', 'pol-358', {}, ['pol-358']],
    ['本系統的系統', '系統', {}, ['系統', '系統']],
    ['Obsidian插件 and Obsidian 插件', 'Obsidian插件', {}, ['obsidian插件', 'obsidian 插件']],
    ['the quick\nbrown fox', 'quick brown', {}, ['quick\nbrown']],
    ['cafés', 'cafe', {}, ['cafes']],
    ['rerun', 'run', {}, []],
  ])('%s: %s', (text, query, options, expected) => expect(found(text, query, options)).toEqual(expected));
});
