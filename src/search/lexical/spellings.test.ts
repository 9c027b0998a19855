import { afterAll, describe, expect, test } from 'vitest';
import { searchFixture } from '../testing.ts';

/** Words found in another spelling than typed: by the index, and marked in the text at their true line. */
const NOTES = {
  'Greek.md': 'intro\n\nΆλφα και ΑΛΦΑ στην Ελλάδα, ὁδός και ΟΔΟΣ\n',
  'GreekNfd.md': 'intro\n\nξ\u03b5\u0301νος\n',
  'Russian.md': 'intro\n\nЁлка и йод\n',
  'Hebrew.md': 'intro\n\nשָׁלוֹם לכם\n',
  'Arabic.md': 'intro\n\nمَرْحَبًا بكم\n',
  'Versions.md': 'intro\n\nlib@v2.3.4-rc.1 here\n\nand v1.0.21\n\nand tool-v3.1.0.tgz\n\nbut 9 9 alone\n',
  'Beta.md': 'intro\n\nv7.8.9-beta.4\n\nv6.1 v6.2\n',
  'Contract.md': "intro\n\nWe don’t. L\u2019Été of O'Brien\n",
  'Names.md': 'intro\n\nC++ and C# and F#\n',
  'Others.md': 'cats can fly, caring for fish\n',
};
const vault = searchFixture(NOTES);
afterAll(() => vault.close());

describe('is found and shown', () => {
  test.each([
    ['αλφα', 'Greek.md', 3, '**Άλφα** και **ΑΛΦΑ**'],
    ['ΑΛΦΑ', 'Greek.md', 3, '**Άλφα** και **ΑΛΦΑ**'],
    ['Άλφα', 'Greek.md', 3, '**Άλφα** και **ΑΛΦΑ**'],
    ['ΕΛΛΑΔΑ', 'Greek.md', 3, '**Ελλάδα**'],
    ['οδος', 'Greek.md', 3, '**ὁδός** και **ΟΔΟΣ**'],
    ['ΞΕΝΟΣ', 'GreekNfd.md', 3, '**ξ\u03b5\u0301νος**'],
    ['елка', 'Russian.md', 3, '**Ёлка** и'],
    ['е\u0308лка', 'Russian.md', 3, '**Ёлка** и'],
    ['שלום', 'Hebrew.md', 3, '**שָׁלוֹם** לכם'],
    ['שָׁלוֹם', 'Hebrew.md', 3, '**שָׁלוֹם** לכם'],
    ['مرحبا', 'Arabic.md', 3, '**مَرْحَبًا** بكم'],
    ['1.0.21', 'Versions.md', 5, '**1.0.21**'],
    ['2.3.4', 'Versions.md', 3, 'lib@v**2.3.4**-rc.1'],
    ['"2.3"', 'Versions.md', 3, 'lib@v**2.3**.4-rc.1'],
    ['3.1.0', 'Versions.md', 7, 'tool-v**3.1.0**.tgz'],
    ['v2.3', 'Versions.md', 3, 'lib@**v2.3**.4-rc.1'],
    ['7.8.9', 'Beta.md', 3, 'v**7.8.9**-beta.4'],
    ['dont', 'Contract.md', 3, 'We **don’t**.'],
    ['lete', 'Contract.md', 3, '**L’Été** of'],
    ['obrien', 'Contract.md', 3, "**O'Brien**"],
  ])('%s', async (query, path, line, snippet) => {
    const { items } = await vault.search(query);
    expect(items.map((hit) => hit.path)).toEqual([path]);
    expect(items[0]?.line).toBe(line);
    expect(items[0]?.snippet).toContain(snippet);
    expect(items[0]?.matchedIn).toContain('body');
  });
});

test('marks that make another letter stay', async () => {
  expect(await vault.paths('"иод"')).toEqual([]);
  expect(await vault.paths('йод')).toEqual(['Russian.md']);
});

test('the numbers of two versions make no third', async () => {
  expect(await vault.paths('"1 6"')).toEqual([]);
  expect(await vault.paths('"6.1.6"')).toEqual([]);
});

test('a name that ends in a sign is whole: no words that begin with its letter', async () => {
  for (const name of ['C++', 'C#', 'F#', 'c# -zebra /./'])
    expect(await vault.paths(name)).toEqual(['Names.md']);
  expect(await vault.paths('ca')).toEqual(['Others.md']);
});
