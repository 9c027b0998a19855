import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFencedBlock } from './block.ts';
import { readQuick } from './quick.ts';
import { readYaml } from './yaml.ts';

function both(yaml: string) {
  const text = `---\n${yaml}---\nbody\n`;
  const content = findFencedBlock(text)?.contentSpan ?? { start: 4, end: 4 };
  return { quick: readQuick(text, content), yaml: readYaml(text, content) };
}

const plain = fc.constantFrom(
  'x',
  'two words',
  '2024-01-01',
  '12:30',
  '-60',
  '+1',
  '007',
  '1.10',
  '.5',
  '1.',
  '1e3',
  '-0',
  '-',
  '- a',
  '-a',
  'null',
  'Null',
  '~',
  '~a',
  'true',
  'False',
  'tRUE',
  'no',
  'nothing',
  '0x1F',
  '0o7',
  '.inf',
  '-.INF',
  '.NaN',
  '.nano',
  '9007199254740993',
  '1e400',
  'a: b',
  'a:',
  ':a',
  'a #b',
  'a#b',
  '#b',
  '# b',
  "it's",
  'a, b',
  '[a',
  'a]',
  '{a',
  '{{date}}',
  '[[w]]',
  '@a',
  '`a`',
  '%a',
  '&a',
  '*a',
  '!a',
  '|',
  '>',
  '? a',
  '?a',
  '=',
  '<<',
  'https://x.y/z?a=b#c',
  'a\\b',
  'é',
  '中文',
  '👍',
  'a\u00a0',
  'a\tb',
  '\ta',
  'a ',
  '...',
  '---',
  'a\u2028b',
  'a\u0085',
  '\ufeffa',
  'a\u0000b',
  '--- a',
  '... a',
);
const quoted = fc.constantFrom(
  '"a"',
  "'a'",
  '"a b"',
  "'it''s'",
  "''",
  '""',
  '"a\\"b"',
  '"a\\n"',
  "'a",
  '"a',
  '"a" b',
  "'a'b",
  '"a"#b',
  '"a" # b',
  '"a": b',
  "'''a'",
  "'a'''",
  "''''",
  '"[[w]]"',
  '"a:b"',
  '"a\tb"',
);
const scalar = fc.oneof(
  { weight: 3, arbitrary: plain },
  { weight: 2, arbitrary: quoted },
  fc.string({ unit: fc.constantFrom(...'ab1 :#-\'",[]{}?.~'), maxLength: 6 }),
);
const spaces = fc.constantFrom('', ' ', ' ', ' ', '  ', '\t');
const flow = fc
  .tuple(fc.array(fc.tuple(spaces, scalar, spaces)), fc.constantFrom(']', ']', ']', ',]', ', ]', ''), spaces)
  .map(([items, close, after]) => `[${items.map((parts) => parts.join('')).join(',')}${close}${after}`);
const key = fc.constantFrom(
  'a',
  'b',
  'c d',
  'é',
  'key-1',
  '_k',
  'a/b',
  'tags',
  'true',
  '1',
  '-a',
  '"q"',
  'a ',
  ' a',
  '- a',
  'a:b',
  'a#b',
  'a #b',
  '中 文',
  'null',
  'x(y)',
  '<<',
  '?',
  'a\u2028',
);
const comment = fc.constantFrom('', '', '', '', ' # c', '# c', ' #', '  # "c', ' # \t');
const eol = fc.constantFrom('\n', '\n', '\n', '\n', '\r\n', '\r');
const pairLine = fc
  .tuple(
    key,
    fc.constantFrom(':', ':', ':', ' :', '::', ''),
    spaces,
    fc.oneof(scalar, flow, fc.constant('')),
    comment,
    eol,
  )
  .map((parts) => parts.join(''));
const itemLine = fc
  .tuple(
    fc.constantFrom('', '  ', '  ', '    ', '\t'),
    fc.constantFrom('- ', '- ', '-', '-  ', '-\t'),
    fc.oneof(scalar, scalar, flow, pairLine),
    comment,
    eol,
  )
  .map((parts) => parts.join(''));
const otherLine = fc.constantFrom(
  '\n',
  '  \n',
  '\t\n',
  '# c\n',
  '  # c\n',
  '  more\n',
  ' \r\n',
  '...\n',
  '#\t\n',
);
const listOf = fc
  .tuple(key, fc.array(itemLine, { minLength: 1, maxLength: 4 }))
  .map(([name, items]) => `${name}:\n${items.join('')}`);
const tidyKey = fc.constantFrom('a', 'b c', 'Tags', 'é', 'x_1');
const tidyList = fc
  .tuple(
    tidyKey,
    fc.constantFrom('', '  '),
    fc.array(fc.oneof(quoted, plain), { minLength: 1, maxLength: 4 }),
  )
  .map(([name, indent, items]) => `${name}:\n${items.map((one) => `${indent}- ${one}\n`).join('')}`);
const tidyPair = fc
  .tuple(tidyKey, fc.oneof(scalar, flow), comment)
  .map(([name, value, after]) => `${name}: ${value}${after}\n`);

describe('readQuick', () => {
  it('equals the YAML reader wherever it answers', () => {
    let answers = 0;
    const block = fc
      .array(fc.oneof(pairLine, itemLine, otherLine, listOf, tidyList, tidyPair, tidyPair), { maxLength: 5 })
      .map((lines) => lines.join(''));
    fc.assert(
      fc.property(block, (source) => {
        const { quick, yaml } = both(source.endsWith('\n') || source === '' ? source : `${source}\n`);
        if (quick === undefined) return;
        answers += 1;
        expect(quick).toEqual(yaml);
      }),
      { numRuns: 800 },
    );
    expect(answers).toBeGreaterThan(80);
  });

  it('answers for what notes mostly hold', () => {
    const { quick, yaml } = both(
      'title: A note: no, "quotes"\n'.replace(': no', ' -- no') +
        'created: 2024-01-01 10:00 # when\naliases: [One, \'Two\', "Three four"]\ntags:\n  - a/b\n  - c\n\n# more\nrating: 4\ndone: false\nempty:\nlist:\n- x\n',
    );
    expect(quick).toBeDefined();
    expect(quick).toEqual(yaml);
  });

  it.each([
    'a: [[w]]\n',
    'a: {{date}}\n',
    'a: |\n  x\n',
    'a: &x 1\n',
    'a: 1\na: 2\n',
    'a:\n\t- 1\n',
    'a: x\n  y\n',
    '"a": 1\n',
    'a:\n  b: 1\n',
    '{"a": 1}\n',
    'a: "\\n"\n',
    'a: b: c\n',
    'a:\n  - x\n- y\n',
    'a:\n- x\n  - y\n',
  ])('leaves %j to the YAML reader', (source) => {
    expect(both(source).quick).toBeUndefined();
  });
});
