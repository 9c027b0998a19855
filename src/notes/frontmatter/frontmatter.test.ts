import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Frontmatter } from '../model.ts';
import {
  aliasesOf,
  bodyStartOf,
  frontmatterScalars,
  parseFrontmatter,
  propertyByName,
} from './frontmatter.ts';

const note = (...lines: string[]) => ['---', ...lines, '---', 'body', ''].join('\n');

function read(text: string): Frontmatter {
  const frontmatter = parseFrontmatter(text, 'obsidian');
  if (frontmatter === undefined) throw new Error('no front matter');
  return frontmatter;
}

/** [key, value, whole pair] as written. */
function sources(text: string): string[][] {
  return read(text).properties.map((one) =>
    [one.keySpan, one.valueSpan, one.span].map(({ start, end }) => text.slice(start, end)),
  );
}

function scalars(text: string): string[] {
  return frontmatterScalars(read(text), text).map(
    ({ keyPath, value, span, style }) =>
      `${keyPath} ${style} ${JSON.stringify(value)} ${JSON.stringify(text.slice(span.start, span.end))}`,
  );
}

const problems = (text: string) =>
  read(text).problems.map(({ severity, code, line }) => `${severity} ${code} ${line}`);

describe('the block', () => {
  it.each([
    ['---\na: 1\n---\nbody', 'body'],
    ['\ufeff---\na: 1\n---\nbody', 'body'],
    ['---\r\na: 1\r\n---\r\nbody', 'body'],
    ['---\na: 1\n---  \nbody', 'body'],
    ['--- \na: 1\n---\t\nbody', 'body'],
    ['---\na: 1\n---', ''],
    ['---\n---\nbody', 'body'],
    ['---\na: 1\n---\ntext\n---\nx: 1\n---\n', 'text\n---\nx: 1\n---\n'],
  ])('of %j ends before %j', (text, body) => {
    expect(text.slice(bodyStartOf(text, read(text)))).toBe(body);
  });

  it.each([
    '---',
    '---\n',
    '---\na: 1\n',
    '\n---\na: 1\n---\n',
    ' ---\na: 1\n---\n',
    '----\na: 1\n----\n',
    '--- a\n---\n',
    '',
    '# x\n\n---\nS2: x\n---\n',
  ])('is not there in %j', (text) => {
    expect(parseFrontmatter(text, 'obsidian')).toBeUndefined();
    expect(bodyStartOf(text, undefined)).toBe(0);
  });

  it('starts the body after a BOM when there is none', () => {
    expect(bodyStartOf('\ufeffbody', undefined)).toBe(1);
  });
});

describe('values', () => {
  it('are YAML 1.2 core', () => {
    expect(
      read(
        note(
          'yes: yes',
          'time: 12:30',
          'date: 2024-01-01',
          'when: 2024-01-01T10:00:00',
          'n: 01234',
          'f: 1.10',
          'b: true',
          'e:',
          't: ~',
          'h: 0x1F',
        ),
      ).data,
    ).toEqual({
      yes: 'yes',
      time: '12:30',
      date: '2024-01-01',
      when: '2024-01-01T10:00:00',
      n: 1234,
      f: 1.1,
      b: true,
      e: null,
      t: null,
      h: 31,
    });
  });

  it('lose no digit: integers beyond 2^53 and numbers that are none stay text', () => {
    expect(
      read(
        note(
          'a: 12345678901234567890',
          'b: 9007199254740991',
          'c: -9007199254740993',
          'd: 1e400',
          'e: .inf',
          'f: .NaN',
          'g: 1e20',
        ),
      ).data,
    ).toEqual({
      a: '12345678901234567890',
      b: 9007199254740991,
      c: '-9007199254740993',
      d: '1e400',
      e: '.inf',
      f: '.NaN',
      g: 1e20,
    });
  });

  it('may be JSON', () => {
    const text = note('{"a": 1, "b": [1, "x"], "c": {"d": null}}');
    expect(read(text).data).toEqual({ a: 1, b: [1, 'x'], c: { d: null } });
    expect(sources(text)[1]).toEqual(['"b"', '[1, "x"]', '"b": [1, "x"]']);
  });

  it('keep a key that objects treat as their own', () => {
    const { data } = read(note('__proto__: x', 'constructor: y'));
    expect(Object.entries(data)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });

  it('follow aliases', () => {
    expect(read(note('a: &x [1, 2]', 'b: *x', 'c: {k: *x}')).data).toEqual({
      a: [1, 2],
      b: [1, 2],
      c: { k: [1, 2] },
    });
  });
});

describe('spans', () => {
  it('cut key, value and pair as written', () => {
    expect(sources(note('a: 1 # c', '"b":   \'x\'', 'c:', 'd: ', 'e: # c', 'f: &x !!str 12'))).toEqual([
      ['a', '1', 'a: 1 # c\n'],
      ['"b"', "'x'", '"b":   \'x\'\n'],
      ['c', '', 'c:\n'],
      ['d', '', 'd: \n'],
      ['e', '', 'e: # c\n'],
      ['f', '&x !!str 12', 'f: &x !!str 12\n'],
    ]);
    expect(
      sources(
        note(
          'l:',
          '- 1',
          '- "b" # c',
          '',
          '# d',
          'm:',
          '  k:',
          '    - x',
          's: |',
          '  one',
          '',
          '  two',
          '',
          't: [a,',
          '  b]',
        ),
      ),
    ).toEqual([
      ['l', '- 1\n- "b"', 'l:\n- 1\n- "b" # c\n'],
      ['m', 'k:\n    - x', 'm:\n  k:\n    - x\n'],
      ['s', '|\n  one\n\n  two', 's: |\n  one\n\n  two\n'],
      ['t', '[a,\n  b]', 't: [a,\n  b]\n'],
    ]);
  });

  it('follow CRLF and a BOM', () => {
    expect(sources('\ufeff---\r\na: x\r\nb:\r\n  - y\r\n---\r\n')).toEqual([
      ['a', 'x', 'a: x\r\n'],
      ['b', '- y', 'b:\r\n  - y\r\n'],
    ]);
  });

  it('name every text with its key path', () => {
    expect(
      scalars(
        note(
          'a: x',
          'related: ["[[b]]", \'c d\', e, 1]',
          'm: {k: v}',
          's: >-',
          '  folded',
          '  text',
          'l:',
          '  - {n: [deep]}',
        ),
      ),
    ).toEqual([
      'a plain "x" "x"',
      'related.0 double "[[b]]" "\\"[[b]]\\""',
      'related.1 single "c d" "\'c d\'"',
      'related.2 plain "e" "e"',
      'm.k plain "v" "v"',
      's block "folded text" ">-\\n  folded\\n  text"',
      'l.0.n.0 plain "deep" "deep"',
    ]);
  });
});

describe('problems', () => {
  it('say the line and what is wrong', () => {
    expect(problems(note('x:', '\t- 1', 'y: 2'))).toEqual(['error tab_indent 3']);
    expect(problems(note('title: A', 'title: B'))).toEqual(['error duplicate_key 3']);
    expect(read(note('title: A', 'title: B')).problems[0]?.message).toBe(
      'duplicate key "title" (lines 2 and 3)',
    );
    expect(problems(note('m:', '  a: 1', '  a: 2'))).toEqual(['error duplicate_key 4']);
    expect(problems(note('- a'))).toEqual(['error not_a_map 2']);
    expect(problems(note('just text'))).toEqual(['error not_a_map 2']);
    expect(problems(note('a: 1', 'b: c: d'))).toEqual(['error invalid_yaml 3']);
    expect(problems(note('a: @x'))).toEqual(['error invalid_yaml 2']);
  });

  it.each<[string, string[], number]>([
    ['a double quote', ['a: 1', 'b: "open', 'c: 2', 'd: 3'], 3],
    ['a single quote', ['a: 1', "b: 'open", 'c: 2'], 3],
    ['a quote in a list', ['b:', '  - x', '  - "y', '  - z', 'c: 1'], 4],
    ['a quote below a nested key', ['b:', '  c: "y', 'd: 1'], 3],
    ['a quoted key', ['a: 1', '"k: 1', 'b: 2'], 3],
    ['a quote before one that is closed', ['b: "open', 'c: "x"', 'd: 1'], 2],
    ['a quote behind an escaped one', ['b: "x\\"', 'c: 1'], 2],
    ['a quote with a comment below', ['a: 1', 'b: "open', '', '# it', 'c: 1'], 3],
    ['a list', ['a: 1', 'b: [x', 'c: 2', 'd: 3'], 3],
    ['a map', ['a: 1', 'b: {x: 1', 'c: 2'], 3],
    ['a quote in a list in brackets', ['b: [x, "y]', 'c: 2'], 2],
    ['nothing: an error within brackets that are closed', ['b: [x,', '  y: z: w,', '  c]', 'd: 1'], 3],
  ])('names the line that opens what nothing closes: %s', (_, lines, line) => {
    expect(read(note(...lines)).problems[0]).toMatchObject({ severity: 'error', line });
    expect(problems(note('a: {{date}} at {{time}}'))).toEqual(['error template_placeholder 2']);
    expect(problems(note('{{properties}}'))).toEqual(['error template_placeholder 2']);
    expect(problems(note('a: 1', '...', 'b: 2'))).toEqual(['error document_marker 3']);
    expect(problems(note('a: *b'))).toEqual(['error unknown_alias 2']);
    expect(read(note('a: 1', 'b: c: d')).properties).toEqual([]);
  });

  it('leave readable what is only odd', () => {
    expect(problems(note('who: [[Bill Gates]]', 'ok: "[[Bill Gates]]"', 'list:', '  - [[A]]'))).toEqual([
      'warning unquoted_wikilink 2',
      'warning unquoted_wikilink 5',
    ]);
    expect(read(note('who: [[Bill Gates]]')).data).toEqual({ who: [['Bill Gates']] });
    expect(problems(note('at: [[1, 2], [3, 4]]', 'one: [[1, 2]]'))).toEqual([]);
    expect(problems(note('created: {{date}}', 'rating:'))).toEqual(['warning template_placeholder 2']);
    expect(read(note('created: {{date:YYYY-MM-DD}}', 'rating:')).data).toEqual({
      created: '{{date:YYYY-MM-DD}}',
      rating: null,
    });
    expect(problems(note('a: !thing x'))).toEqual(['warning unknown_tag 2']);
    expect(read('---\n# only a comment\n---\n')).toMatchObject({ properties: [], problems: [] });
  });

  it.each([
    ['brackets', `a: ${'['.repeat(100_000)}`],
    ['nested lists', Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}- `).join('\n')],
    [
      'aliases that double',
      ['a: &a [x, x]', ...'bcdefghijklmnopqrstuvw']
        .map((one, i, all) => (i === 0 ? one : `${one}: &${one} [*${all[i - 1]?.[0]}, *${all[i - 1]?.[0]}]`))
        .join('\n'),
    ],
    ['binary', '\u0000\u0001: {[\n'.repeat(2000)],
  ])('report hostile %s instead of failing', (_, yaml) => {
    const started = performance.now();
    const frontmatter = read(`---\n${yaml}\n---\n`);
    expect(frontmatter.problems.some((one) => one.severity === 'error')).toBe(true);
    expect(frontmatter.problems.length).toBeLessThanOrEqual(20);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('never throw, and spans stay inside the block', () => {
    const piece = fc.constantFrom(
      'a',
      'b: ',
      ': ',
      '- ',
      '\n',
      '\n  ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '#',
      ' ',
      '|',
      '>',
      '&x ',
      '*x',
      '!t ',
      '\t',
      '---',
      '\r\n',
      '? ',
      ',',
      '{{d}}',
      '[[w]]',
      '\\',
      '👍',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = `---\n${pieces.join('')}\n---\nbody`;
        const frontmatter = parseFrontmatter(text, 'obsidian');
        if (frontmatter === undefined) return;
        let last = frontmatter.contentSpan.start;
        for (const { span, keySpan, valueSpan } of frontmatter.properties) {
          expect(span.start).toBeGreaterThanOrEqual(last);
          expect(keySpan.start).toBeGreaterThanOrEqual(span.start);
          expect(valueSpan.start).toBeGreaterThanOrEqual(keySpan.end);
          expect(valueSpan.end).toBeGreaterThanOrEqual(valueSpan.start);
          expect(span.end).toBeGreaterThanOrEqual(valueSpan.end);
          last = span.end;
        }
        expect(last).toBeLessThanOrEqual(frontmatter.contentSpan.end);
        for (const { span } of frontmatterScalars(frontmatter, text)) {
          expect(span.start).toBeGreaterThanOrEqual(frontmatter.contentSpan.start);
          expect(span.end).toBeLessThanOrEqual(frontmatter.contentSpan.end);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('names', () => {
  it('are found regardless of case, the exact spelling first', () => {
    const frontmatter = read(note('TAGS: [Alpha]', 'a: 1', 'A: 2'));
    expect(propertyByName(frontmatter, 'tags')?.value).toEqual(['Alpha']);
    expect(propertyByName(frontmatter, 'A')?.value).toBe(2);
    expect(propertyByName(undefined, 'A')).toBeUndefined();
  });

  it('give the aliases', () => {
    expect(aliasesOf(read(note('Aliases: [Al, " B ", 3, Al, ""]')))).toEqual(['Al', 'B']);
    expect(aliasesOf(read(note('aliases: One')))).toEqual(['One']);
    expect(aliasesOf(read(note('alias: One')))).toEqual([]);
    expect(aliasesOf(undefined)).toEqual([]);
  });
});

describe('Logseq page properties', () => {
  const logseq = (text: string) => parseFrontmatter(text, 'logseq');

  it('are the key:: value lines of the first block', () => {
    const text =
      'title:: My Page\ntags:: one, two words, [[a, b]], #c\nalias:: MP\npublic:: true\nrank:: 3\ndone_At::\n\n- block\n  done_at:: today\n';
    const frontmatter = logseq(text);
    expect(frontmatter).toMatchObject({ kind: 'logseq', problems: [] });
    expect(frontmatter?.data).toEqual({
      title: 'My Page',
      tags: ['one', 'two words', 'a, b', 'c'],
      alias: ['MP'],
      public: true,
      rank: 3,
      'done-at': '',
    });
    expect(aliasesOf(frontmatter)).toEqual(['MP']);
    expect(text.slice(bodyStartOf(text, frontmatter))).toBe('\n- block\n  done_at:: today\n');
    const spans = frontmatter && frontmatterScalars(frontmatter, text);
    expect(spans?.map(({ keyPath, span }) => `${keyPath} ${text.slice(span.start, span.end)}`)).toEqual([
      'title My Page',
      'tags.0 one',
      'tags.1 two words',
      'tags.2 [[a, b]]',
      'tags.3 #c',
      'alias.0 MP',
    ]);
  });

  it('may stand in a bullet of their own', () => {
    expect(logseq('- title:: X\n  icon:: y\n- text\n')?.data).toEqual({ title: 'X', icon: 'y' });
    expect(logseq('\ufeff\r\ntitle:: X\r\n')?.data).toEqual({ title: 'X' });
  });

  it('are not the properties of a bullet with text', () => {
    expect(logseq('- text\n  a:: 1\n')).toBeUndefined();
    expect(logseq('- a:: 1\n  text\n')).toBeUndefined();
    expect(logseq('text\na:: 1\n')).toBeUndefined();
    expect(logseq('std::vector is a type\n')).toBeUndefined();
    expect(parseFrontmatter('a:: 1\n', 'obsidian')).toBeUndefined();
  });

  it('give way to YAML, which old graphs have', () => {
    expect(logseq('---\ntitle: T\n---\na:: 1\n')).toMatchObject({ kind: 'yaml', data: { title: 'T' } });
  });

  it('are read in linear time', () => {
    const started = performance.now();
    logseq(`a:: ${'['.repeat(200_000)}`);
    logseq(`tags:: ${'[[,'.repeat(100_000)}`);
    logseq(`${' '.repeat(200_000)}\n`.repeat(3));
    logseq(`a::${' '.repeat(200_000)}x\n${' '.repeat(200_000)}`);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
