import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSpans } from './check-spans.testing.ts';
import type { Dialect } from './model.ts';
import { parseNote } from './parse.ts';
import { headingPath, sectionOf } from './structure/outline.ts';
import { noteTitle } from './title.ts';

const DIALECTS: readonly Dialect[] = ['obsidian', 'silverbullet', 'logseq'];

/** Pieces whose combinations contain every construct, including broken ones. */
const PIECES = [
  '---\n',
  'tags: [a, "#b"]\n',
  'up: "[[x|y]]"\n',
  'id:: abc-1\n',
  '# ',
  '## H ##\n',
  '===\n',
  '[[',
  ']]',
  '![[p.png\\|9]]',
  '[[t#h|d]]',
  '[',
  '](a%20b.md#c "t")',
  '](<x y.md>)',
  '![i](j.png)',
  '[r][k]',
  '[k]: z.md\n',
  '#tag',
  '#1',
  ' ^id\n',
  '^id\n',
  '`',
  '```\n',
  '~~~\n',
  '$',
  '$$\n',
  '%%',
  '%%\n',
  '<!-- ',
  ' -->',
  '<b>',
  '- [x] ',
  '- ',
  '1. ',
  '> ',
  '    ',
  '\t',
  '| a | b |\n|---|---|\n',
  ' | ',
  '\\',
  '\\|',
  '((abc))',
  '{{embed ',
  '}}',
  '$' + '{',
  '}',
  '#<a b>',
  '@L1',
  '\r\n',
  '\n',
  '\n\n',
  '\r',
  '\ufeff',
  '\u00a0',
  '\0',
  '😀',
  '本',
  'e\u0301',
  '\ud800',
  'word',
  ' ',
  '&amp;',
  '*',
  '__',
];

const documents = fc
  .tuple(fc.boolean(), fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }))
  .map(([bom, pieces]) => (bom ? '\ufeff' : '') + pieces.join(''));

describe('any text', () => {
  it('is parsed without an error into spans that are what they claim', () => {
    fc.assert(
      fc.property(documents, fc.constantFrom(...DIALECTS), (text, dialect) => {
        const note = parseNote(text, { dialect });
        expect(note.text).toBe(text);
        checkSpans(note);
      }),
      { numRuns: 800 },
    );
  });

  it('has no tag and no whole heading in its opaque spans', () => {
    const examples: [string][] = [['%%%%\n---\n'], ['`a`\n===\n'], ['<!-- a -->b\n---\n']];
    fc.assert(
      fc.property(documents, (text) => {
        const note = parseNote(text, { dialect: 'obsidian' });
        for (const { start, end } of note.opaque) {
          for (const tag of note.tags) expect(tag.span.start >= start && tag.span.start < end).toBe(false);
          // A heading may start with code or a comment and continue after it.
          for (const heading of note.headings)
            expect(heading.span.start >= start && heading.span.end <= end).toBe(false);
        }
      }),
      { examples },
    );
  });

  it('keeps its findings when a paragraph is put in front', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const body = text.replace(/^\ufeff/, '').replace(/^---/, '');
        const prefix = 'p\n\n';
        const alone = parseNote(`\n\n${body}`, { dialect: 'obsidian' });
        const after = parseNote(`${prefix}\n${body}`.slice(1), { dialect: 'obsidian' });
        expect(after.tags.map(({ name }) => name)).toEqual(alone.tags.map(({ name }) => name));
        expect(after.headings.map((one) => one.text)).toEqual(alone.headings.map((one) => one.text));
      }),
    );
  });

  it('is covered by its top sections', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const note = parseNote(text, { dialect: 'obsidian' });
        note.headings.forEach((heading, index) => {
          const section = sectionOf(note, index);
          expect(section?.span.start).toBeLessThanOrEqual(heading.span.start);
          expect(section?.bodySpan.end).toBe(section?.span.end);
          expect(headingPath(note, index).at(-1)).toBe(heading.text);
        });
      }),
    );
  });
});

describe('hostile input', () => {
  const MEGABYTE = 1_000_000;
  it.each([
    ['brackets', '['.repeat(50_000)],
    ['closed brackets', '[['.repeat(25_000) + ']]'.repeat(25_000)],
    ['links in brackets', '[a](b'.repeat(20_000)],
    ['nested images', '![a'.repeat(20_000) + '](b)'.repeat(20_000)],
    ['image labels', `![${'](a "'.repeat(20_000)}](b)`],
    ['emphasis', '*a_ '.repeat(50_000)],
    ['mixed emphasis', '**a __b ~~c '.repeat(20_000)],
    ['one property of many links', `---\na: "${'[[x]]'.repeat(150_000)}"\n---\n`],
    ['quotes', `${'> '.repeat(2_000)}a`],
    ['quoted ids', `${'> '.repeat(500)}a ^id\n`.repeat(50)],
    ['lists', Array.from({ length: 500 }, (_, depth) => `${'  '.repeat(depth)}- a ^id`).join('\n')],
    ['dollars', '$a '.repeat(50_000)],
    ['dollars in pairs', '$a$'.repeat(50_000)],
    ['open math', 'a $$\n$$ b\n> $$\n'.repeat(20_001)],
    ['math marks in one line', '$$ '.repeat(50_001)],
    ['percents', '%% a'.repeat(50_000)],
    ['percent lines', '%%\na\n'.repeat(20_001)],
    ['fences', '```\n'.repeat(20_001)],
    ['comment opens', '<!-- '.repeat(20_000)],
    ['hashes', '#a/'.repeat(50_000)],
    ['carets', ' ^a'.repeat(50_000)],
    ['one long line', 'word [[x]] #t '.repeat(MEGABYTE / 14)],
    ['backslashes', '\\'.repeat(MEGABYTE)],
    ['backticks', Array.from({ length: 700 }, (_, n) => '`'.repeat(n)).join(' ')],
    ['tables', `|a|b|\n|-|-|\n${'|[[x\\|y]]|`z`|\n'.repeat(5_000)}`],
    ['definitions', '[a]: b\n'.repeat(20_000) + '[a] '.repeat(20_000)],
    ['headings', '# a ^b\n'.repeat(20_000)],
    ['lua', `${`${'$'}{{`.repeat(50_000)}}`],
    [
      'properties',
      `---\n${Array.from({ length: 500 }, (_, n) => `k${n}: "[[x"\n`).join('')}---\n${'a '.repeat(MEGABYTE / 2)}`,
    ],
  ])(
    'is read in linear time: %s',
    (_, text) => {
      for (const dialect of DIALECTS) {
        const started = process.cpuUsage();
        parseNote(text, { dialect });
        // Processor time, with room for slow machines: quadratic work takes minutes here, linear work less than
        // 1 s.
        const { user, system } = process.cpuUsage(started);
        expect((user + system) / 1000).toBeLessThan(4_000);
      }
    },
    20_000,
  );
});

describe('a note', () => {
  it('keeps BOM and CRLF in its offsets', () => {
    const text = '\ufeff---\r\ntitle: With BOM\r\n---\r\n# H 😀\r\n[[x]] #t\r\n';
    const note = parseNote(text, { dialect: 'obsidian' });
    checkSpans(note);
    expect(note.frontmatter?.data).toEqual({ title: 'With BOM' });
    expect(note.text.slice(note.bodyStart)).toBe('# H 😀\r\n[[x]] #t\r\n');
    expect([note.headings[0]?.line, note.links[0]?.line]).toEqual([4, 5]);
  });

  it('tolerates a second BOM at the start of the body', () => {
    const note = parseNote('---\na: 1\n---\n\ufeff# H [[x]]\n', { dialect: 'obsidian' });
    checkSpans(note);
    expect(note.headings[0]?.text).toBe('H [[x]]');
  });

  it('holds no more than what was asked for', () => {
    const note = parseNote('# a\n\n`b`\n\n[c](d.md)\n', { dialect: 'obsidian' });
    expect(note.opaque).toEqual([{ start: 5, end: 8 }]);
  });

  it('takes its title from the property, the first level-1 heading or the file name', () => {
    const title = (text: string): string =>
      noteTitle(parseNote(text, { dialect: 'obsidian' }), 'a/v1.2 n.md');
    expect(title('---\nTitle: " P "\n---\n# H\n')).toBe('P');
    expect(title('---\ntitle: 12\n---\n## no\n# H *x* #\n')).toBe('H *x*');
    expect(title('```\n# c\n```\n# \n')).toBe('v1.2 n');
  });
});
