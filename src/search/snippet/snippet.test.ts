import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern } from '../query/regex.ts';
import { needle } from '../text/words.ts';
import type { Highlights } from './densest-passage.ts';
import { makeSnippet, SNIPPET_LENGTH } from './snippet.ts';

function looking(...words: string[]): Highlights {
  return { needles: words.map((word) => needle(word)).filter((each) => each !== undefined), patterns: [] };
}

const snippet = (text: string, ...words: string[]): string => makeSnippet(text, looking(...words)).snippet;

describe('the passage', () => {
  test('has its true line, with BOM, front matter and CRLF counted', () => {
    const text =
      '\ufeff---\r\ntitle: x\r\n---\r\n\r\n# One\r\n\r\nfirst\r\n\r\n## Two\r\n\r\nthe needle here\r\n';
    expect(makeSnippet(text, looking('needle'))).toEqual({
      snippet: 'the **needle** here',
      line: 11,
      headings: ['One', 'Two'],
      inHeading: false,
      inBody: true,
    });
  });

  test('is the one with most of the words', () => {
    const text = `apple alone\n\n${'filler words go on\n'.repeat(50)}\napple and pear together\n\nmore pear`;
    const found = makeSnippet(text, looking('apple', 'pear'));
    expect(found.snippet).toContain('**apple** and **pear** together');
    expect(found.line).toBe(54);
  });

  test('is in the front matter only when the match is nowhere else', () => {
    const text = '---\nauthor: Ada\n---\nWritten by Ada.\n';
    expect(makeSnippet(text, looking('Ada'))).toMatchObject({ snippet: 'Written by **Ada**.', line: 4 });
    expect(makeSnippet(text, looking('author'))).toMatchObject({ line: 2 });
    expect(snippet(text, 'author')).toContain('**author**: Ada');
  });

  test('is the beginning of the body when nothing matches in the text', () => {
    expect(makeSnippet('---\na: 1\n---\n\n\nHello there.\n', looking('other'))).toMatchObject({
      snippet: 'Hello there.',
      line: 6,
      inBody: false,
    });
    expect(makeSnippet('', looking('x'))).toMatchObject({ snippet: '', line: 1, headings: [] });
  });

  test('does not run into the next section', () => {
    expect(snippet('the needle\n\n## Next\nother', 'needle')).toBe('the **needle**');
  });

  test('headings inside fences are none, and siblings replace each other', () => {
    const text = '# A\n## B\n```\n# no\n```\n## C ##\n### D\nneedle';
    expect(makeSnippet(text, looking('needle')).headings).toEqual(['A', 'C', 'D']);
  });

  test('a heading that matches is marked, and is the section', () => {
    expect(makeSnippet('# A\n\n## The needle\n\ntext', looking('needle'))).toMatchObject({
      snippet: '## The **needle** text',
      line: 3,
      headings: ['A', 'The needle'],
      inHeading: true,
      inBody: false,
    });
  });
});

describe('marks', () => {
  test.each([
    ['He was running to cafés', ['run', 'cafe'], 'He was **running** to **cafés**'],
    ['本系統的知識', ['系統'], '本**系統**的知識'],
    ['a re\u0301sume\u0301 b', ['resume'], 'a **re\u0301sume\u0301** b'],
    ['see [[The Needle|it]] now', ['needle'], 'see **[[The Needle|it]]** now'],
    ['run `npm needle` now', ['needle'], 'run **`npm needle`** now'],
    ['is **needle work** here', ['needle'], 'is **needle work** here'],
    ['at https://x.org/needle/y now', ['needle'], 'at **https://x.org/needle/y** now'],
    ['a [needle](b.md) c', ['needle'], 'a **[needle](b.md)** c'],
    ['tagged #a/needle ok', ['needle'], 'tagged **#a/needle** ok'],
    ['quick brown fox', ['quick', 'brown'], '**quick brown** fox'],
    ['x 👩‍👩‍👧 needle 👩‍👩‍👧 y', ['needle'], 'x 👩‍👩‍👧 **needle** 👩‍👩‍👧 y'],
    ['Straße 5', ['strasse'], '**Straße** 5'],
  ])('%s', (text, words, expected) => expect(snippet(text, ...words)).toBe(expected));

  test('patterns are marked', () => {
    const pattern = compilePattern('\\d{4}-\\d\\d', '', true);
    if (typeof pattern === 'string') throw new Error(pattern);
    expect(makeSnippet('on 2024-05 and', { needles: [], patterns: [pattern] }).snippet).toBe(
      'on **2024-05** and',
    );
  });
});

test('any text gives a bounded, well-formed snippet with a true line', () => {
  const pieces = fc.constantFrom(
    'needle',
    ' ',
    '\n',
    '\r\n',
    '# ',
    '**',
    '`',
    '[[',
    ']]',
    '---\n',
    '👩‍👧',
    'e\u0301',
    '系統',
    'word ',
    '```\n',
    '\ufeff',
    'x'.repeat(90),
    'ß',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 80 }), (parts) => {
      const text = parts.join('');
      const found = makeSnippet(text, looking('needle', '系統', 'word'));
      expect(found.snippet.length).toBeLessThanOrEqual(SNIPPET_LENGTH);
      expect(found.snippet).not.toMatch(/\p{Cs}|\n/u);
      expect(found.line).toBeGreaterThanOrEqual(1);
      expect(found.line).toBeLessThanOrEqual(text.split('\n').length);
      const first = /[^\s…*]+/.exec(found.snippet)?.[0];
      const from = text
        .split('\n')
        .slice(found.line - 1)
        .join('\n');
      if (first) expect(from.replace(/\*/g, '')).toContain(first.replace(/\*/g, '').slice(0, 5));
    }),
    { seed: 20261127, numRuns: 1500 },
  );
});

test('ten snippets of long notes cost little, hostile notes too', () => {
  const paragraph =
    'The quick brown fox jumps over the lazy dog, again and again, and says so in plain words. ';
  const note = `---\ntitle: x\n---\n${`## Part\n\n${paragraph.repeat(4)}\n\n`.repeat(140)}the rare needle ends it\n`;
  expect(note.length).toBeGreaterThan(50_000);
  const wanted = looking('rare', 'needle', 'fox');
  for (let warm = 0; warm < 20; warm += 1) makeSnippet(note, wanted);
  // Measured at 2.4 ms.
  const cost = cpu(() => {
    for (let index = 0; index < 10; index += 1) makeSnippet(note, wanted);
  });
  expect(cost).toBeLessThan(30);

  const hostile = [
    '---\n'.repeat(200_000),
    '#'.repeat(500_000),
    ' '.repeat(500_000),
    '`'.repeat(500_000),
    '[['.repeat(250_000),
    'a'.repeat(500_000),
    'e\u0301'.repeat(250_000),
    `# ${' '.repeat(400_000)}`,
    '\n'.repeat(500_000),
  ];
  for (const text of hostile) expect(cpu(() => makeSnippet(text, looking('a', 'needle')))).toBeLessThan(500);
});

/**
 * Processor time, ms, since a loaded machine stretches wall time: the least of three, as the runtime's own threads
 * compile and collect in some of them.
 */
function cpu(work: () => void): number {
  const once = () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return Math.min(once(), once(), once());
}
