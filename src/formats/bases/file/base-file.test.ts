import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../../errors.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { parseBase } from './base-file.ts';

const SHOWS = `filters:
  and:
    - '!file.name.contains("Template")'
    - categories.contains(link("Shows"))
formulas:
  Type icon: list(type)[0]
  broken: 1 +
properties:
  note.rating:
    displayName: Rating
    width: 3
display:
  year: Year
summaries:
  half: values.length / 2
plugin-key: kept
views:
  - type: table
    name: All
    order: [file.name, rating, formula.Type icon]
    sort:
      - column: note.rating
        direction: DESC
      - property: file.name
    group_by: { property: year, direction: DESC }
    limit: 20
    summaries: { rating: Average }
    columnSize: { rating: 80 }
  - type: cards
    filters: rating > 6
`;

describe('parseBase', () => {
  const base = parseBase(SHOWS, 'Shows.base');

  it('reads views with today’s keys and those of before', () => {
    expect(base.views.map(({ name, type }) => [name, type])).toEqual([
      ['All', 'table'],
      ['View 2', 'cards'],
    ]);
    expect(base.views[0]).toMatchObject({
      order: ['file.name', 'rating', 'formula.Type icon'],
      sort: [
        { property: 'note.rating', direction: 'DESC' },
        { property: 'file.name', direction: 'ASC' },
      ],
      groupBy: { property: 'year', direction: 'DESC' },
      limit: 20,
    });
    expect([...base.displayNames]).toEqual([
      ['year', 'Year'],
      ['note.rating', 'Rating'],
    ]);
  });

  it('knows where each expression stands, and keeps what is wrong with one by itself', () => {
    expect(base.formulas.get('Type icon')).toMatchObject({
      line: 6,
      column: 14,
      where: 'formulas.Type icon',
    });
    expect(base.formulas.get('broken')?.parsed).toBeInstanceOf(ExpressionError);
    expect(base.views[1]?.filter).toMatchObject({
      kind: 'expression',
      expression: { text: 'rating > 6', line: 30, where: 'views[1].filters' },
    });
  });

  it.each(['', '\n', '# nothing\n', 'views: []\n', 'filters:\n'])('%j is a table of everything', (source) => {
    const { views, filter } = parseBase(source, 'x.base');
    expect(filter).toBeUndefined();
    expect(views).toMatchObject([{ type: 'table', order: ['file.name'] }]);
  });

  it.each([
    ['a: [', /^x\.base:1:\d+: the base is not YAML/],
    ['- a\n- b', /^x\.base:1:1: the base is not a base/],
    ['filters:\n  and: [a]\n  or: [b]', /^x\.base:2:\d+: .*may only have one of and, or and not/],
    ['filters:\n  any: [a]', /neither an expression nor one of/],
    ['views: 3', /views is not a list/],
    ['views:\n  - name: a\n    sort: []\n  - x', /views\[1\] is not a map/],
    ['formulas: [a]', /formulas is not a map/],
    ['a: &a [x]\nviews:\n  - *a', /alias/],
  ])('%j is refused with its place', (source, message) => {
    expect(() => parseBase(source, 'x.base')).toThrow(message);
    expect(() => parseBase(source, 'x.base')).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('counts lines from where the block begins', () => {
    expect(() => parseBase('views: 3', 'N.md', 41)).toThrow(/^N\.md:41:/);
  });

  it('a bomb of aliases costs nothing', () => {
    const bomb = Array.from(
      { length: 30 },
      (_, at) => `a${at}: &a${at} [${at === 0 ? 'x' : `*a${at - 1}, *a${at - 1}`}]`,
    );
    expect(() => parseBase(`${bomb.join('\n')}\nviews: *a29`, 'x.base')).toThrow(/alias/);
  });

  it('no YAML crashes it', () => {
    const piece = fc.constantFrom(
      'views:',
      '- ',
      '  ',
      '\n',
      'filters: ',
      'and:',
      'x',
      ': ',
      '[',
      ']',
      '{',
      '}',
      '"',
      '|',
      '*a',
      '&a ',
      '#',
      '1',
      'null',
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((parts) => parts.join('')),
        (source) => {
          try {
            parseBase(source, 'x.base');
          } catch (error) {
            if (!isLecternError(error)) throw error;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
