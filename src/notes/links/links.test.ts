import { describe, expect, it } from 'vitest';
import type { Dialect, Link } from '../model.ts';
import { parseNote } from '../parse.ts';

function links(text: string, dialect: Dialect = 'obsidian'): readonly Link[] {
  return parseNote(text, { dialect }).links;
}

/** Target and subpath of each link, with `!` for embeds. */
function addresses(text: string, dialect: Dialect = 'obsidian'): string[] {
  return links(text, dialect).map((link) => (link.embed ? '!' : '') + link.target + link.subpath);
}

function only(text: string, dialect: Dialect = 'obsidian'): Link {
  const [link, ...rest] = links(text, dialect);
  if (link === undefined || rest.length > 0) throw new Error(`not exactly one link in ${text}`);
  return link;
}

function raw(text: string, link: Link): { target: string; subpath: string; display: string | undefined } {
  const slice = (span: { start: number; end: number }): string => text.slice(span.start, span.end);
  return {
    target: slice(link.targetSpan),
    subpath: slice(link.subpathSpan),
    display: link.displaySpan && slice(link.displaySpan),
  };
}

describe('wiki links', () => {
  it.each([
    ['[[t]]', 't', '', undefined, false],
    ['[[t|text]]', 't', '', 'text', false],
    ['[[t#H]]', 't', '#H', undefined, false],
    ['[[t#H1#H2]]', 't', '#H1#H2', undefined, false],
    ['[[t#^id]]', 't', '#^id', undefined, false],
    ['[[#H]]', '', '#H', undefined, false],
    ['[[#^id]]', '', '#^id', undefined, false],
    ['[[t#[^fn]]]', 't', '#[^fn]', undefined, false],
    ['![[t]]', 't', '', undefined, true],
    ['![[p.png|300x200]]', 'p.png', '', '300x200', true],
    ['![[F.base#View]]', 'F.base', '#View', undefined, true],
    ['[[ a/b c.md | shown ]]', 'a/b c.md', '', ' shown ', false],
    ['[[a|b|c]]', 'a', '', 'b|c', false],
    ['[[Note (2026) + C++ $1]]', 'Note (2026) + C++ $1', '', undefined, false],
    ['[[it’s 本😀]]', 'it’s 本😀', '', undefined, false],
  ])('%s', (text, target, subpath, display, embed) => {
    expect(only(text)).toMatchObject({ syntax: 'wiki', target, subpath, display, embed });
  });

  it('gives the raw places of the parts', () => {
    const text = 'x ![[ a b#H | t ]] y';
    const link = only(text);
    expect(text.slice(link.span.start, link.span.end)).toBe('![[ a b#H | t ]]');
    expect(raw(text, link)).toEqual({ target: 'a b', subpath: '#H', display: ' t ' });
  });

  it('leaves the backslash of an escaped pipe out of target and text', () => {
    const text = '| a | b |\n| --- | --- |\n| [[index#Test-Header\\|go]] | ![[p.png\\|100]] |\n';
    const [first, second] = links(text);
    expect(first).toMatchObject({ target: 'index', subpath: '#Test-Header', display: 'go', line: 3 });
    expect(second).toMatchObject({ target: 'p.png', display: '100', embed: true });
    expect(first && raw(text, first).subpath).toBe('#Test-Header');
  });

  it('takes the innermost and nearest brackets', () => {
    expect(addresses('[[a [[b]] c]] [[[d]] [[[[e]]')).toEqual(['b', 'd', 'e']);
  });

  it.each([
    ['[[Note [draft]]]', 'Note [draft]', '', undefined],
    ['[[Note [draft]|d]]', 'Note [draft]', '', 'd'],
    ['[[Note [draft]|see [1]]]', 'Note [draft]', '', 'see [1]'],
    ['![[Note [draft]]]', 'Note [draft]', '', undefined],
    ['[[T#Plan [2026]]]', 'T', '#Plan [2026]', undefined],
    ['[[T#Plan [a [b]]]]', 'T', '#Plan [a [b]]', undefined],
    ['[[#[^1]]]', '', '#[^1]', undefined],
    ['[[[Draft] x]]', '[Draft] x', '', undefined],
    ['[[[a] [b]]]', '[a] [b]', '', undefined],
    ['[[a] b]]', 'a] b', '', undefined],
    ['[[a [b]]', 'a [b', '', undefined],
    ['see [[[a]]]', 'a', '', undefined],
    ['see ([[a [b]]])', 'a [b]', '', undefined],
    ['[[a]]]', 'a', '', undefined],
    ['[[a [b] c]]] x]]', 'a [b] c', '', undefined],
    ['| [[a [b]\\|c]] |\n|---|\n', 'a [b]', '', 'c'],
    ['---\nup: "[[a [b]]]"\n---\n', 'a [b]', '', undefined],
  ])('knows which bracket ends %s', (text, target, subpath, display) => {
    expect(only(text)).toMatchObject({ target, subpath, display });
  });

  it('finds none across a line end, across table cells or without a name', () => {
    expect(addresses('[[a\nb]] [[]] [[ ]] [[|x]] [[#]]')).toEqual([]);
    expect(addresses('| a | b |\n|---|---|\n| [[x|y]] | z |\n')).toEqual([]);
  });

  it('keeps an escaped bracket out, and only that one', () => {
    expect(addresses('\\[[no]] \\\\[[yes]] \\![[plain]]')).toEqual(['yes', 'plain']);
  });

  it('wins over a Markdown link made of its brackets', () => {
    expect(addresses('[[a]](b.md) ![[c]](d.md)')).toEqual(['a', '!c']);
  });

  it('is not broken by dollars in names', () => {
    expect(addresses('[[A $5]] and [[B $6]]')).toEqual(['A $5', 'B $6']);
  });
});

describe('Markdown links', () => {
  it.each([
    ['[x](t.md#H)', 't.md', '#H', 'x', false],
    ['![x](img.png)', 'img.png', '', 'x', true],
    ['[x](<a b.md>)', 'a b.md', '', 'x', false],
    ['[x](a%20b.md#c%20d "title")', 'a b.md', '#c d', 'x', false],
    ['[](e.md)', 'e.md', '', '', false],
    ['[x](#Ex)', '', '#Ex', 'x', false],
    ['[x](100%.md)', '100%.md', '', 'x', false],
    ['[x](a%2.md)', 'a%2.md', '', 'x', false],
    ['[foo\\]bar](x.md)', 'x.md', '', 'foo\\]bar', false],
    ['[a [b] c](x.md)', 'x.md', '', 'a [b] c', false],
    ['![a [b] `]` c](x.md)', 'x.md', '', 'a [b] `]` c', true],
    ['[x](a\\(b.md)', 'a(b.md', '', 'x', false],
    ['[x](a&amp;b.md)', 'a&b.md', '', 'x', false],
    ['[t](Test%20(2026)%20+%20C++%20$1.md)', 'Test (2026) + C++ $1.md', '', 't', false],
    ['[x](:/0123456789abcdef0123456789abcdef)', ':/0123456789abcdef0123456789abcdef', '', 'x', false],
  ])('%s', (text, target, subpath, display, embed) => {
    expect(only(text)).toMatchObject({ syntax: 'markdown', target, subpath, display, embed });
  });

  it('gives the raw places of the parts', () => {
    const text = 'see ![alt [x]](<a b.md#q%20r> "t (u)")!';
    const link = only(text);
    expect(text.slice(link.span.start, link.span.end)).toBe('![alt [x]](<a b.md#q%20r> "t (u)")');
    expect(raw(text, link)).toEqual({ target: 'a b.md', subpath: '#q%20r', display: 'alt [x]' });
    expect(link.angle).toBe(true);
  });

  it('sees a picture that is a link as two links', () => {
    expect(addresses('[![i](x.md)](x.md)')).toEqual(['x.md', '!x.md']);
  });

  it('decodes names in other scripts', () => {
    expect(addresses('![](тест%202.md#^836863) [x](%D1%82%D0%B5%D1%81%D1%82%202.md)')).toEqual([
      '!тест 2.md#^836863',
      'тест 2.md',
    ]);
  });

  it('splits at the fragment, not at an encoded or escaped mark', () => {
    expect(only('[x](a%23b.md#c)')).toMatchObject({ target: 'a#b.md', subpath: '#c' });
    const text = '[x](a&#38;b.md#c)';
    const link = only(text);
    expect(link).toMatchObject({ target: 'a&b.md', subpath: '#c' });
    expect(raw(text, link)).toMatchObject({ target: 'a&#38;b.md', subpath: '#c' });
  });

  it('leaves links to other systems alone', () => {
    const text =
      '[a](https://x.y/z.md) [b](mailto:a@b.c) <https://x.y> https://x.y/#todo [c](obsidian://open) [d](//h/p) ![e](data:image/png;base64,AA) [f](C:\\x)';
    expect(addresses(text)).toEqual([]);
  });

  it('reads destinations that continue behind a quote mark', () => {
    const text = '> ![i\n> j](x.md\n> "t")\n';
    expect(raw(text, only(text))).toMatchObject({ target: 'x.md' });
  });
});

describe('reference links', () => {
  it('points at the destination in the definition', () => {
    const text = 'a [note] b [x] [ref][1] [^1]\n\n[1]: Target.md#h\n[^1]: foot\n';
    const link = only(text);
    expect(link).toMatchObject({ syntax: 'reference', target: 'Target.md', subpath: '#h', display: 'ref' });
    expect(text.slice(link.span.start, link.span.end)).toBe('[ref][1]');
    expect(raw(text, link)).toEqual({ target: 'Target.md', subpath: '#h', display: 'ref' });
    expect(link.targetSpan.start).toBe(text.indexOf('Target.md'));
  });

  it('knows all three forms, images and the first of several definitions', () => {
    const text = '[Ref  Me] [a][ref me] ![ref me][]\n\n[ref me]: </x y.md>\n[REF ME]: z.md\n';
    expect(links(text).map(({ target, display, angle }) => [target, display, angle])).toEqual([
      ['/x y.md', 'Ref  Me', true],
      ['/x y.md', 'a', true],
      ['/x y.md', 'ref me', true],
    ]);
  });
});

describe('where no link is', () => {
  it('code, fences in quotes and lists, indented code, comments, math, HTML', () => {
    const text =
      '[[Old]] `[[Old]]` ``a ` [[Old]]``\n\n    [[Old]] indented code\n\n```\n[[Old]]\n```\n> ```\n> [[Old]]\n> ```\n- item\n  ```\n  [[Old]]\n  ```\n\n<!-- [[Old]] -->\n\n$$\n[[Old]]\n$$\n\n$x [[Old]] y$ %%[[Old]] [o](Old.md)%%\n';
    expect(links(text).map(({ line }) => line)).toEqual([1]);
  });

  it('a closing fence indented by four spaces closes nothing', () => {
    const text = '```\ncode\n    ```\n# still code [[T]]\n```\n# Real [[T]]\n';
    expect(only(text).line).toBe(6);
    expect(parseNote(text, { dialect: 'obsidian' }).headings).toMatchObject([
      { text: 'Real [[T]]', line: 6 },
    ]);
  });

  it('the destination of another link', () => {
    expect(addresses('[x](y[[z]].md)')).toEqual(['y[[z]].md']);
  });

  it('unmatched brackets, however many', () => {
    expect(addresses(`[a\\](b) ${'['.repeat(500)}`)).toEqual([]);
  });
});

describe('links in properties', () => {
  it.each([
    ['"[[Caf\\xE9#\\u00e9]]"', 'Caf\u00e9#\u00e9'],
    ['"[[\\U0001F600]]"', '\u{1f600}'],
    ['"[[\\ud83d\\ude00]]"', '\u{1f600}'],
    ['"[[a\\"b\\\\c]]"', 'a"b\\c'],
    ["'[[it''s \\x41]]'", "it's \\x41"],
    ['[x]', undefined],
  ])('are read through the quoting of %s', (value, address) => {
    const [link] = links(`---\nup: ${value}\n---\n`);
    expect(link && link.target + link.subpath).toBe(address);
  });

  const text =
    '---\nup: "[[a/b|B]]"\nrelated:\n  - \'[[it\'\'s#H]]\'\n  - "[t](c%20d.md)"\nwho: [[Bill]]\nsee: x [[p]] and [[q]]\nurl: "[w](https://x.y)"\n---\n[[body]]\n';

  it('come first, with their key path and the raw places inside the quotes', () => {
    const found = links(text);
    expect(found.map((link) => [link.property, link.target + link.subpath, link.line])).toEqual([
      ['up', 'a/b', 2],
      ['related.0', "it's#H", 4],
      ['related.1', 'c d.md', 5],
      ['see', 'p', 7],
      ['see', 'q', 7],
      [undefined, 'body', 10],
    ]);
    expect(found.slice(0, 3).map((link) => raw(text, link))).toEqual([
      { target: 'a/b', subpath: '', display: 'B' },
      { target: "it''s", subpath: '#H', display: undefined },
      { target: 'c%20d.md', subpath: '', display: 't' },
    ]);
  });

  it('do not make the scanner read the body', () => {
    expect(addresses(`---\na: "[[x]]"\n---\n[[y]] [z](z.md)`)).toEqual(['x', 'y', 'z.md']);
  });
});

describe('Logseq', () => {
  const id = '11111111-1111-4111-8111-111111111111';

  it('reads pages, tags, block references and embeds', () => {
    const text = `- [[A/b#c|d]] #Page #[[Two words]] ((${id})) {{embed [[P q]]}} {{embed ((${id}))}} [t x](((${id}))) [u]([[R s]]) [v](w.md)\n`;
    expect(
      links(text, 'logseq').map(({ syntax, target, embed, display }) => [syntax, target, embed, display]),
    ).toEqual([
      ['wiki', 'A/b#c|d', false, undefined],
      ['tag-ref', 'Page', false, undefined],
      ['tag-ref', 'Two words', false, undefined],
      ['block-ref', id, false, undefined],
      ['wiki', 'P q', true, undefined],
      ['block-ref', id, true, undefined],
      ['block-ref', id, false, 't x'],
      ['wiki', 'R s', false, 'u'],
      ['markdown', 'w.md', false, 'v'],
    ]);
    for (const link of links(text, 'logseq')) {
      expect(text.slice(link.targetSpan.start, link.targetSpan.end)).toBe(link.target);
    }
  });

  it('takes the Markdown link around a page as one link', () => {
    expect(links('- [t]([[Page]])', 'logseq').map(({ span, display }) => [span, display])).toEqual([
      [{ start: 2, end: 15 }, 't'],
    ]);
  });

  it.each([
    ['{{embed \n[[Page]]}}', true],
    ['{{embed \r((11111111-1111-4111-8111-111111111111))}}', true],
    ['[two\nlines]([[Page]])', false],
    ['[two\r\nlines](((11111111-1111-4111-8111-111111111111)))', false],
  ])('says the line on which what is around a reference begins: %j', (text, embed) => {
    expect(only(`- a\n- b ${text}`, 'logseq')).toMatchObject({ embed, line: 2, span: { start: 8 } });
  });

  it('reads the children of a first block without a bullet', () => {
    const text = '## T [[a]]\n\t- [[b]]\n\t\t- [[c]]\n\t\t  ```\n\t\t  [[d]]\n\t\t  ```\n\t- [[e]]\n';
    expect(addresses(text, 'logseq')).toEqual(['a', 'b', 'c', 'e']);
    expect(addresses('## T\n\t\t- [[x]]\n', 'logseq')).toEqual(['x']);
    expect(addresses('p\n\n\t[[code]]\n', 'logseq')).toEqual([]);
  });

  it('reads the pages in tags::, however they are written', () => {
    const found = links('tags:: A, [[B c]], #D, e f\n\n- x\n', 'logseq');
    expect(found.map(({ syntax, target, property }) => [syntax, target, property])).toEqual([
      ['tag-ref', 'A', 'tags.0'],
      ['wiki', 'B c', 'tags.1'],
      ['tag-ref', 'D', 'tags.2'],
      ['tag-ref', 'e f', 'tags.3'],
    ]);
  });

  it('reads references in page properties', () => {
    const found = links('related:: [[A]], #B\n\n- [[C]]\n', 'logseq');
    expect(found.map(({ target, property }) => [target, property])).toEqual([
      ['A', 'related'],
      ['B', 'related'],
      ['C', undefined],
    ]);
  });
});

describe('SilverBullet', () => {
  it('reads positions, anchors and meta pages', () => {
    const text = '[[Page@123]] [[Page@L1C2]] [[Page$anchor]] [[^Meta]] [[P#a b]] [[Q|R]] [[$here]]';
    expect(links(text, 'silverbullet').map(({ target, subpath }) => [target, subpath])).toEqual([
      ['Page', '@123'],
      ['Page', '@L1C2'],
      ['Page', '$anchor'],
      ['Meta', ''],
      ['P', '#a b'],
      ['Q', ''],
      ['', '$here'],
    ]);
  });

  it('treats Lua as code', () => {
    const lua = '$' + '{query[[from p = {[[a]]}]]}';
    const text = `${lua} [[b]] $\{ [[c]]\n\n\`\`\`space-lua\n[[d]] #e\n\`\`\`\n`;
    expect(addresses(text, 'silverbullet')).toEqual(['b', 'c']);
  });
});
