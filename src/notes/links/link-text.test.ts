import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNote } from '../parse.ts';
import { nameKey } from '../path.ts';
import { headingKey } from '../structure/heading-key.ts';
import { encodeDestination, headingFragment, type LinkTextOptions, linkText } from './link-text.ts';
import { resolveLink } from './resolve.ts';

function write(
  source: string,
  target: string,
  paths: readonly string[],
  rest: Partial<LinkTextOptions> = {},
) {
  const files = { byName: (key: string) => paths.filter((path) => nameKey(path) === key) };
  return linkText({
    source,
    target,
    syntax: 'wiki',
    format: 'shortest',
    dialect: 'obsidian',
    files,
    ...rest,
  });
}

describe('linkText', () => {
  it('writes the name alone while it is unique, else the full path', () => {
    expect(write('S.md', 'a/Foo.md', ['a/Foo.md'])).toBe('Foo');
    expect(write('S.md', 'a/Foo.md', ['a/Foo.md', 'b/foo.md'])).toBe('a/Foo');
    expect(write('S.md', 'foo.md', ['foo.md', 'a/foo.md'])).toBe('foo');
    expect(write('S.md', 'a/pic.png', ['a/pic.png'])).toBe('pic.png');
  });

  it('keeps .md where leaving it out would open another file', () => {
    expect(write('S.md', 'x.canvas.md', ['x.canvas.md', 'x.canvas'])).toBe('x.canvas.md');
  });

  it('writes paths relative to the source and guards them against a namesake at the root', () => {
    const relative = { format: 'relative' } as const;
    expect(write('a/b/S.md', 'a/c/Foo.md', ['a/c/Foo.md'], relative)).toBe('../c/Foo');
    expect(write('a/S.md', 'a/foo.md', ['a/foo.md'], relative)).toBe('foo');
    expect(write('a/S.md', 'a/foo.md', ['a/foo.md', 'foo.md'], relative)).toBe('./foo');
  });

  it('writes the vault path for absolute', () => {
    expect(write('a/S.md', 'a/Foo.md', ['a/Foo.md'], { format: 'absolute' })).toBe('a/Foo');
  });

  it('encodes Markdown destinations and keeps angle brackets', () => {
    const markdown = { syntax: 'markdown' } as const;
    expect(write('S.md', 'a/My Note (1).md', ['a/My Note (1).md'], markdown)).toBe('My%20Note%20%281%29.md');
    expect(write('S.md', 'a b.md', ['a b.md'], { ...markdown, angle: true })).toBe('a b.md');
    expect(write('S.md', 'тест 2.md', ['тест 2.md'], markdown)).toBe('тест%202.md');
    expect(write('S.md', '100%25.md', ['100%25.md'], markdown)).toBe('100%2525.md');
  });

  it('refuses a wikilink to a name that a wikilink cannot hold', () => {
    expect(write('S.md', 'C#.md', ['C#.md'])).toBeUndefined();
    expect(write('S.md', 'a|b.md', ['a|b.md'])).toBeUndefined();
    expect(write('S.md', 'C#.md', ['C#.md'], { syntax: 'markdown' })).toBe('C%23.md');
  });

  it('follows SilverBullet and Logseq', () => {
    const silverbullet = { dialect: 'silverbullet' } as const;
    expect(write('a/S.md', 'a/P.md', ['a/P.md'], silverbullet)).toBe('a/P');
    expect(
      write('a/S.md', 'b/P.md', ['b/P.md'], { ...silverbullet, syntax: 'markdown', format: 'relative' }),
    ).toBe('../b/P.md');
    expect(write('a/S.md', 'b/P.md', ['b/P.md'], { ...silverbullet, syntax: 'markdown' })).toBe('/b/P.md');
    const logseq = { dialect: 'logseq' } as const;
    expect(write('pages/S.md', 'pages/a___b%3F.md', ['pages/a___b%3F.md'], logseq)).toBe('a/b?');
    expect(write('pages/S.md', 'journals/2024_01_22.md', ['journals/2024_01_22.md'], logseq)).toBe(
      'Jan 22nd, 2024',
    );
  });

  it('writes only what resolves back, for any tree of files', () => {
    const segment = fc
      .stringMatching(/^[ab.%()& é-]{1,3}$/)
      .filter((s) => !/^\.+$|%%/.test(s) && s.trim() === s);
    const path = fc
      .tuple(
        fc.array(segment, { maxLength: 2 }),
        segment,
        fc.constantFrom('.md', '.md.md', '.png', '.canvas'),
      )
      .map(([folders, name, extension]) => [...folders, `${name}${extension}`].join('/'));
    const world = fc.uniqueArray(path, { minLength: 2, maxLength: 8, selector: (one) => one.toLowerCase() });
    const how = fc.record({
      syntax: fc.constantFrom('wiki' as const, 'markdown' as const),
      format: fc.constantFrom('shortest' as const, 'relative' as const, 'absolute' as const),
      angle: fc.boolean(),
    });
    fc.assert(
      fc.property(world, how, (paths, options) => {
        const [source = '', target = ''] = paths;
        const written = write(source, target, paths, options);
        expect(written).toBeDefined();
        const meant = options.syntax === 'wiki' ? (written ?? '') : decodeURIComponent(written ?? '');
        const files = { byName: (key: string) => paths.filter((one) => nameKey(one) === key) };
        expect(resolveLink(source, meant, options.syntax, files, 'obsidian')).toEqual({
          path: target,
          ambiguous: [],
        });
      }),
    );
  });
});

describe('headingFragment', () => {
  it.each([
    ['A | B', 'A B'],
    ['C# basics', 'C basics'],
    ['Why?', 'Why?'],
    ['a: b ^c', 'a b c'],
    ['See [[Note]] 50%%', 'See Note 50'],
    ['Plan [2026]', 'Plan 2026'],
    ['[x] done', 'x done'],
    ['a [b] c', 'a [b] c'],
    ['a [b', 'a b'],
    ['In [x](y z.md) w', 'In x y z.md w'],
    ['a ]b[ c', 'a b c'],
  ])('%j is written %j', (text, fragment) => {
    expect(headingFragment(text)).toBe(fragment);
  });

  it('is encoded in a Markdown link', () => {
    expect(headingFragment('Plan [2026]', 'markdown')).toBe('Plan%20%5B2026%5D');
    expect(headingFragment('My (first) heading', 'markdown')).toBe('My%20%28first%29%20heading');
  });

  it('is read as it was written, in any link and whatever brackets stand around it', () => {
    const text = fc.string({ unit: fc.constantFrom(...'[]()|#^:% a'), maxLength: 12 });
    const around = fc.constantFrom(['', ''], ['[', ']'], ['[', ' x]'], ['(', ')'], ['[[', ']]']);
    fc.assert(
      fc.property(text, fc.constantFrom('', '|d', '|[e]'), around, (heading, display, [before, after]) => {
        const fragment = headingFragment(heading);
        fc.pre(fragment !== '');
        const link = `[[T#${fragment}${display}]]`;
        const { links } = parseNote(`${before}${link}${after}\n`, { dialect: 'obsidian' });
        expect(links.map(({ target, subpath, display: shown }) => [target, subpath, shown])).toEqual([
          ['T', `#${fragment}`, display === '' ? undefined : display.slice(1)],
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  it('still names the heading it was made from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(headingKey(headingFragment(text))).toBe(headingKey(text));
      }),
    );
  });
});

describe('encodeDestination', () => {
  it('decodes back to the same text and holds nothing that ends a destination', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, angle) => {
        const well = text;
        const encoded = encodeDestination(well, angle);
        expect(decodeURIComponent(encoded)).toBe(well);
        expect(encoded).not.toMatch(angle ? /[<>\r\n]/ : /[\s()<>]/);
      }),
    );
  });
});
