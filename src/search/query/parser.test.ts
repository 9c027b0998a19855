import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QueryNode, ValueNode } from './ast.ts';
import { MAX_LEAVES, MAX_QUERY_LENGTH, parseQuery } from './parser.ts';

/** A tree as one line: easier to read in an expectation than nested objects. */
function show(node: QueryNode | ValueNode | undefined): string {
  if (!node) return '';
  switch (node.kind) {
    case 'word':
      return node.prefix ? `${node.text}*` : node.text;
    case 'phrase':
      return `"${node.text}"`;
    case 'regex':
      return `/${node.source}/${node.flags}`;
    case 'and':
    case 'or':
      return `${node.kind}(${node.parts.map(show).join(', ')})`;
    case 'not':
      return `not(${show(node.part)})`;
    case 'field':
      return `${node.field}(${show(node.part)})`;
    case 'case':
      return `${node.sensitive ? 'match' : 'ignore'}-case(${show(node.part)})`;
    case 'segment':
      return `${node.segment}(${show(node.part)})`;
    case 'compare':
      return `${node.comparison.operator}${node.comparison.operand}`;
    case 'property': {
      const { value } = node;
      const name = show(node.name);
      if (value.test === 'compare') return `[${name} ${value.operator} ${value.operand}]`;
      return value.test === 'match' ? `[${name}: ${show(value.node)}]` : `[${name} ${value.test}]`;
    }
  }
}

const parsed = (query: string): string => show(parseQuery(query).root);

describe('the grammar', () => {
  test.each([
    ['meeting notes', 'and(meeting, notes)'],
    ['a b OR c', 'or(and(a, b), c)'],
    ['a (b OR c)', 'and(a, or(b, c))'],
    ['-a -(b c)', 'and(not(a), not(and(b, c)))'],
    ['"a \\"b\\" c" d', 'and("a "b" c", d)'],
    ['/^\\d{4}-\\d\\d/', '/^\\d{4}-\\d\\d/'],
    ['/a[/]b/i x', 'and(/a[/]b/i, x)'],
    ['path:Daily/2024', 'path(Daily/2024)'],
    ['FILE:"a b" content:(x OR y)', 'and(file("a b"), content(or(x, y)))'],
    ['match-case:HappyCat ignore-case:x', 'and(match-case(HappyCat), ignore-case(x))'],
    ['tag:#a/b -tag:#c', 'and(tag(#a/b), not(tag(#c)))'],
    ['line:(mix flour) -line:x', 'and(line(and(mix, flour)), not(line(x)))'],
    ['block:(dog cat) section:(a line:(b c))', 'and(block(and(dog, cat)), section(and(a, line(and(b, c)))))'],
    ['task:call task-todo:"" task-done:(a OR b)', 'and(task(call), task-todo(""), task-done(or(a, b)))'],
    ['line:/x+/', 'line(/x+/)'],
    ['-path:"a b"', 'not(path("a b"))'],
    ['proj*', 'proj*'],
    ['a AND b', 'and(a, b)'],
  ])('%s', (query, expected) => expect(parsed(query)).toBe(expected));

  test.each([
    ['[status]', '[status exists]'],
    ['[status:Draft]', '[status: Draft]'],
    ['[status:Draft OR Done]', '[status: or(Draft, Done)]'],
    ['[status:"in progress"]', '[status: "in progress"]'],
    ['[due:null]', '[due null]'],
    ['[year:>5] [year:<5]', 'and([year > 5], [year < 5])'],
    ['[done:true]', '[done: true]'],
    ['["my key":x]', '["my key": x]'],
    ['[/^da/:/20\\d\\d/]', '[/^da/: /20\\d\\d/]'],
    ['[url:/a[bc]/]', '[url: /a[bc]/]'],
    ['-[draft]', 'not([draft exists])'],
    ['[a b:c]', '[a b: c]'],
    ['[status:(Draft OR Done)]', '[status: or(Draft, Done)]'],
    ['[status:"a" OR (b -c)]', '[status: or("a", and(b, not(c)))]'],
    ['[status:-(a OR b)]', '[status: not(or(a, b))]'],
    ['[year:>5 <=9]', '[year: and(>5, <=9)]'],
    ['[year:(<5 OR > 9) OR null]', '[year: or(or(<5, >9), null)]'],
    ['[due:>2024-05-01 10:30]', '[due > 2024-05-01 10:30]'],
    ['[due:>"2024-05-01"]', '[due > "2024-05-01"]'],
    ['[by:Ann (Jr)]', '[by: and(Ann, Jr)]'],
    ['[mood:f(x) :)]', '[mood: and(f(x), :))]'],
    ['[due OR start:>5]', 'or([due > 5], [start > 5])'],
    ['[(due OR start)]', 'or([due exists], [start exists])'],
    ['[odds OR:1]', '[odds OR: 1]'],
    ['[a:>]', '[a: >]'],
    ['[a:()]', '[a exists]'],
  ])('property %s', (query, expected) => expect(parsed(query)).toBe(expected));
});

describe('plain text stays plain', () => {
  test.each([
    ['http://example.org/a', 'http://example.org/a'],
    ['note: this', 'and(note:, this)'],
    ['task: buy milk', 'and(task:, buy, milk)'],
    ['/usr/local/bin', '/usr/local/bin'],
    ['--error-on-warnings', '--error-on-warnings'],
    ['POL-358', 'POL-358'],
    ['- [ ] buy [x] done', 'and([, ], buy, [x], done)'],
    ['[[Some Note]]', 'and([[Some, Note]])'],
    ['[text](http://x.y)', 'and([text], http://x.y)'],
    ['6"x4" board', 'and(6"x4", board)'],
    ['R and D or not', 'and(R, and, D, or, not)'],
    ['a - b', 'and(a, b)'],
    ['^x: {y}', 'and(^x:, {y})'],
    ['#tag', '#tag'],
  ])('%s', (query, expected) => expect(parsed(query)).toBe(expected));
});

describe('lenient', () => {
  test.each([
    ['"unclosed phrase', '"unclosed phrase"'],
    ['(a (b OR c', 'and(a, or(b, c))'],
    ['a) b', 'and(a, b)'],
    ['OR a OR', 'a'],
    ['a OR OR b', 'or(a, b)'],
    ['line:(', ''],
    ['-(', ''],
    ['path:)', 'path:'],
    ['', ''],
    ['OR', ''],
    ['AND', ''],
    ['""', ''],
    ['()', ''],
  ])('%s', (query, expected) => expect(parsed(query)).toBe(expected));

  test('says what it cut', () => {
    const long = parseQuery('word '.repeat(30_000));
    expect(long.notices.join(' ')).toContain(`${MAX_QUERY_LENGTH}`);
    const many = parseQuery(Array.from({ length: 100 }, (_, index) => `w${index}`).join(' '));
    expect(many.notices.join(' ')).toContain(`${MAX_LEAVES}`);
    expect(many.root?.kind === 'and' && many.root.parts.length).toBe(MAX_LEAVES);
  });

  test('unpaired surrogates and NUL are spaces', () => {
    expect(parsed('a\ud800b c\0d \udfff')).toBe('and(a, b, c, d)');
    expect(parsed('😀 x')).toBe('and(😀, x)');
  });
});

const PIECES = [
  '(',
  ')',
  '"',
  '-',
  '/',
  '[',
  ']',
  ':',
  ' ',
  'OR',
  'AND',
  '\\',
  '*',
  'path:',
  'line:',
  'tag:#',
  'a',
  '>',
  '\ud83d',
  '\ude00',
  '系',
  '\n',
];

test('any text parses to a bounded tree, and never throws', () => {
  const depth = (node: QueryNode | undefined): number => {
    if (!node) return 0;
    if (node.kind === 'and' || node.kind === 'or') return 1 + Math.max(0, ...node.parts.map(depth));
    return 'part' in node ? 1 + depth(node.part) : 1;
  };
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 400 }).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(hostile, (query) => {
      expect(depth(parseQuery(query).root)).toBeLessThan(200);
    }),
    { seed: 20261127, numRuns: 2000 },
  );
});

test('nesting and repetition cost linear time', () => {
  const start = performance.now();
  for (const piece of ['(', '-(', '[', '/', '"', 'line:(', '[/', '-', '[a:"', '\\']) {
    parseQuery(piece.repeat(50_000));
  }
  expect(performance.now() - start).toBeLessThan(2000);
});
