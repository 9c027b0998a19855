import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';
import { contains, needle, occurrences, signsIn } from './words.ts';

function found(query: string, text: string): string[] {
  const wanted = needle(query, { signs: 'required' });
  if (!wanted) throw new Error(`no word in ${query}`);
  const folded = fold(text);
  return occurrences(folded, wanted, 10).map(({ start, end }) => text.slice(start, end));
}

describe('a word with its signs', () => {
  it.each([
    ['C++', 'We write C++ here.', ['C++']],
    ['C++', 'C, C+, C+++ and c plus plus', []],
    ['C++', '**C++**, `C++`, (C++), C++; |C++| C++17', ['C++', 'C++', 'C++', 'C++', 'C++', 'C++']],
    ['C#', 'C# and C## and C#minor, D#', ['C#']],
    ['F#', 'f#\n', ['f#']],
    ['#12', 'see #12, #123, ##12, 12 and issue-#12', ['#12', '#12']],
    ['$5', '$5, $50, $$5, 5 and US$5', ['$5', '$5']],
    ['5€', '5€ or 5 € or 15€', ['5€']],
    ['100%', 'all 100% of 1000 %', ['100%']],
    ['.NET', '.NET, ASP.NET, net, (.net) and ..NET', ['.NET', '.net']],
    ['R&D', 'R&D, R & D, RnD, R&Ds, AR&D', ['R&D']],
    ['AT&T', 'AT&T', ['AT&T']],
    ['A*', 'A* search, A, *A*, **bold A** and A** but a*', ['A*']],
    ['@home', '@home me@home home', ['@home']],
    ['--force', 'git push --force, -force, force and pre--force', ['--force']],
    ['--error-on-warnings', 'use --error-on-warnings here', ['--error-on-warnings']],
    ['-5', '-5 °C, 5 and 1-5', ['-5']],
    ['use C++ and C#', 'Use  C++ and\nC#! use C and C#', ['Use  C++ and\nC#']],
  ])('%s in %s', (query, text, right) => {
    expect(found(query, text)).toEqual(right);
  });
});

it.each([
  'good.',
  'hello, world',
  '"quoted"',
  '**bold** words',
  '*one* two',
  '#tag and #other/tag',
  'well-known e-mail',
  'foo_bar',
  '- a list',
  'end of it...',
  'v1.2.3',
  'https://example.com/a?b=c',
  '',
])('%j has no signs that matter', (text) => {
  expect(signsIn(text)).toBeUndefined();
});

it('a text holds what was taken from it', () => {
  const word = fc.constantFrom(
    'C++',
    'C#',
    '#12',
    '$5',
    '.NET',
    'F#',
    'R&D',
    'A*',
    'x',
    'Über',
    '漢字',
    '5%',
  );
  const around = fc.constantFrom([' ', ' '], ['(', ')'], ['\n', '.'], ['', ''], ['`', '`'], ['"', '",']);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), around, (words, [before, behind]) => {
      const query = words.join(' ');
      const wanted = needle(query, { signs: 'required' });
      expect(wanted && contains(fold(`and ${before}${query}${behind} so`), wanted)).toBe(true);
    }),
  );
});
