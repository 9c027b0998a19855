import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../errors.ts';
import { parseJoplinQuery } from './parse.ts';

const NOW = new Date(2024, 2, 13, 15, 30).getTime();
const parse = (query: string) => parseJoplinQuery(query, NOW);
const text = (value: string, rest: object = {}) => ({
  kind: 'text',
  in: 'any',
  text: value,
  negated: false,
  ...rest,
});

describe('terms', () => {
  it.each<[string, object[]]>([
    ['', []],
    ['  ', []],
    ['a b', [text('a'), text('b')]],
    ['"a b"c', [text('a b'), text('c')]],
    ['-a -"b c"', [text('a', { negated: true }), text('b c', { negated: true })]],
    ['-', [text('-')]],
    ['"open phrase', [text('open phrase')]],
    ['http://x:y', [text('http://x:y')]],
    ['foo:bar', [text('foo:bar')]],
    ['"tag:x"', [text('tag:x')]],
    ['tag:x', [{ kind: 'like', of: 'tag', pattern: 'x', negated: false }]],
    ['TAG:"x y"', [{ kind: 'like', of: 'tag', pattern: 'x y', negated: false }]],
    ['-Tag:x*', [{ kind: 'like', of: 'tag', pattern: 'x*', negated: true }]],
    ['tag: x', [{ kind: 'like', of: 'tag', pattern: 'x', negated: false }]],
    [
      'sourceurl:https://a.b/c:d',
      [{ kind: 'like', of: 'sourceurl', pattern: 'https://a.b/c:d', negated: false }],
    ],
    ['title:"a-b c_d"', ['a', 'b', 'c', 'd'].map((word) => text(word, { in: 'title' }))],
    ['-body:x*', [text('x*', { in: 'body', negated: true })]],
    ['type:todo', [{ kind: 'type', isTodo: true, negated: false }]],
    ['iscompleted:0', [{ kind: 'completed', isCompleted: false, negated: false }]],
    ['latitude:-12.5', [{ kind: 'least', of: 'latitude', value: -12.5, negated: false }]],
    [
      'joplin://x-callback-url/openNote?id=ABCDEF0123456789abcdef0123456789',
      [{ kind: 'like', of: 'id', pattern: 'abcdef0123456789abcdef0123456789', negated: false }],
    ],
  ])('%s', (query, terms) => {
    expect(parse(query).terms).toEqual(terms);
  });

  it.each<[string, boolean, boolean]>([
    ['a', false, false],
    ['any:1 a', true, false],
    ['a any:0', false, false],
    ['any:1 any:0', false, false],
    ['東京', false, true],
    ['title:ไทย a', false, true],
    ['tag:東京 a', false, false],
    ['/a b', false, true],
  ])('%s: any %s, parts of the text %s', (query, any, substring) => {
    expect(parse(query)).toMatchObject({ any, substring });
  });

  it.each<[string, [number, number, number]]>([
    ['created:2020', [2020, 0, 1]],
    ['created:202007', [2020, 6, 1]],
    ['created:20200731', [2020, 6, 31]],
    ['created:day-0', [2024, 2, 13]],
    ['created:day-1', [2024, 2, 12]],
    ['updated:day+20', [2024, 3, 2]],
    ['updated:week-0', [2024, 2, 10]],
    ['updated:week-1', [2024, 2, 3]],
    ['due:month-3', [2023, 11, 1]],
    ['due:month+10', [2025, 0, 1]],
    ['due:YEAR-4', [2020, 0, 1]],
    ['-due:year+1', [2025, 0, 1]],
  ])('%s begins on %j', (query, day) => {
    expect(parse(query).terms).toMatchObject([{ kind: 'since', ms: new Date(...day).getTime() }]);
  });
});

it('any text is a query or an error that says what is wrong', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom(
      'tag:',
      'any:1',
      '-type:todo',
      '"',
      ' ',
      ':',
      '*',
      '-',
      '/',
      'created:',
      'due:day+7',
      '東京',
      '\0',
      '\ud800',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        const { terms } = parse(pieces.join(''));
        expect(terms.length).toBeLessThanOrEqual(64);
      } catch (error) {
        expect(isLecternError(error) && error.code).toBe('invalid_input');
      }
    }),
    { numRuns: 2000 },
  );
});

it.each(['x'.repeat(4001), 'x '.repeat(65)])('a query that is too long is refused', (query) => {
  expect(() => parse(query)).toThrow(/at most/);
});
