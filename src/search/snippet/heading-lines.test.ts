import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseNote } from '../../notes/parse.ts';
import { searchFixture } from '../testing.ts';
import { frontMatterEnd, headingLines } from './heading-lines.ts';

const found = (text: string) =>
  [...headingLines(text, frontMatterEnd(text))].map(({ start, level, text: name }) => [
    text.slice(0, start).split('\n').length,
    level,
    name,
  ]);

const outline = (text: string) =>
  parseNote(text, { dialect: 'obsidian' }).headings.map(({ line, level, text: name }) => [line, level, name]);

describe('headings are those of the outline', () => {
  test.each([
    ['# One\n\n## Two ##\ntext\n   ### Three\n#\n#tag\n    # code\n'],
    ['Big\n===\n\ntext\n\nPart\n---\n\ntext\n'],
    ['Big\r\n====\r\n\r\nPart two  \r\n-\r\ntext'],
    ['---\ntitle: x\n---\nPart\n---\n'],
    ['\ufeff---\na: 1\n---\n# A\n'],
    ['- item\n---\n\n> quote\n---\n\n| a |\n---\n\n---\n\n***\n---\n'],
    ['```sh\n# no\n```\n# A\n~~~~\n# no\n~~~\n~~~~\n# B\n'],
    ['```inline``` code\n# A\n'],
    ['%%\n# no\n%%\n# A\n\n%% one line %%\n# B\n\n%% open\n# no\nclosed %% after\n# C\n'],
    ['# One\n\n%% c %%\n## Two\n\nPart\n---\n\n```\n%%\n# no\n```\n# Last %% c %%\n'],
    ['%% never closed\n\n# A\n'],
    ['text %% open\nmore\n%%\n\n# A\n\n%%\n# no\n%%\n'],
    ['- %%\n  no\n  %%\n\n# A\n\n%%\n# no\n%%\n  ## B\n'],
    ['---\na: 1\n---\n%%\n# no\n%%\n# A\n'],
    ['> %%\n> # no\n\n# A\n\n```\n%%\n```\n# B\n'],
    ['<!--\n# no\n-->\n# A\n\n<!-- x -->\n# B\n'],
    ['<!-- never closed\n\n# no\n'],
    ['$$\n# no\n$$\n# A\n'],
    ['\n# last'],
    [''],
  ])('%j', (text) => expect(found(text)).toEqual(outline(text)));

  test('with comments of any kind among the lines', () => {
    const line = fc.constantFrom(
      '# A',
      '## B %% c %%',
      'text %% c %% more',
      'text %% open',
      '%% c %%',
      '%%',
      '%%%% x',
      '- item %% c %%',
      '> quote %% c %%',
      '`%%` and %%',
      '\\%% x %%',
      'a `%% b',
      '```',
      '$$',
      '',
      '',
      'Part',
      'Part %% c %%',
      '---',
      '<!-- %% c %% -->',
      '<!--',
      '-->',
    );
    // As far as they are told alike in notes without comments: of these only the comments are left to the parser.
    const isAlike = (text: string) => {
      const plain = text.replaceAll('%%', '++');
      return JSON.stringify(found(plain)) === JSON.stringify(outline(plain));
    };
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        const text = lines.join('\n');
        fc.pre(isAlike(text));
        // A heading of several lines is told as one.
        const told = outline(text).map(([at, level, name]) => [at, level, String(name).replace(/\s+/g, ' ')]);
        expect(found(text)).toEqual(told);
      }),
      { numRuns: Number(process.env.LECTERN_FUZZ_RUNS ?? 400) },
    );
  });

  test('hostile texts take linear time', () => {
    const before = process.cpuUsage();
    const found = (text: string) => Array.from(headingLines(text, frontMatterEnd(text)));
    for (const piece of [
      '%%\n',
      '$$\n',
      '<!--\n',
      '<!-- -->\n',
      'a\n-\n',
      'a\n\n',
      '# \n',
      '```\n',
      ' ',
      '#',
      '-',
    ])
      found(piece.repeat(100_000));
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(3000);
  });
});

describe('what hits tell of headings', () => {
  const NOTE =
    'Big Title\n=========\n\nintro\n\nSub Part\n--------\n\nfound here\n\n%%\n# hidden\n%%\n\nalso there\n\n```sh\n# only code\n```\n';

  test('underlined headings are told, those in comments are not', async () => {
    const vault = searchFixture({ 'A.md': NOTE });
    for (const word of ['found', 'also'])
      expect((await vault.search(word)).items[0]?.headings).toEqual(['Big Title', 'Sub Part']);
    await vault.close();
  });

  test('a match in an underlined heading is one in a heading, one in a fence is none', async () => {
    const vault = searchFixture({ 'A.md': NOTE });
    expect((await vault.search('sub')).items[0]?.matchedIn).toEqual(['heading']);
    expect((await vault.search('only')).items[0]?.matchedIn).toEqual(['body']);
    await vault.close();
  });

  test('section: ends at an underlined heading', async () => {
    const vault = searchFixture({ 'A.md': NOTE });
    expect(await vault.paths('section:(intro found)')).toEqual([]);
    expect(await vault.paths('section:(found also)')).toEqual(['A.md']);
    await vault.close();
  });
});
