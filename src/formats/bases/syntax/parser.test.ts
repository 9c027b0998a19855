import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printExpression } from '../../../../test/support/print-expression.ts';
import { BINARY_OPERATORS, type Expression } from './ast.ts';
import { ExpressionError } from './expression-error.ts';
import { parseExpression } from './parser.ts';

/** Random syntax trees without offsets, as they have no source text. */
const name = fc.constantFrom('a', 'note', 'file', 'größe', '_x', 'value');
const place = { start: 0, end: 0 };
const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc
      .oneof(
        fc.string(),
        fc.nat().map(Number),
        fc.boolean(),
        fc.constant(null),
        fc.double({ min: 0, max: 1e15, noNaN: true }),
      )
      .map((value): Expression => ({ type: 'literal', value: Object.is(value, -0) ? 0 : value, ...place })),
    name.map((text): Expression => ({ type: 'name', name: text, ...place })),
    fc
      .constantFrom('a+', 'x\\/y', '[/]')
      .map((source): Expression => ({ type: 'regex', source, flags: 'g', ...place })),
    fc.array(tie('tree'), { maxLength: 3 }).map((items): Expression => ({ type: 'list', items, ...place })),
    fc
      .array(fc.record({ key: fc.string(), value: tie('tree') }), { maxLength: 2 })
      .map((entries): Expression => ({ type: 'object', entries, ...place })),
    fc
      .tuple(tie('tree'), name)
      .map(([object, text]): Expression => ({ type: 'member', object, name: text, ...place })),
    fc
      .tuple(tie('tree'), tie('tree'))
      .map(([object, index]): Expression => ({ type: 'index', object, index, ...place })),
    fc.tuple(name, fc.array(tie('tree'), { maxLength: 3 })).map(
      ([text, given]): Expression => ({
        type: 'call',
        callee: { type: 'name', name: text, ...place },
        arguments: given,
        ...place,
      }),
    ),
    fc.tuple(tie('tree'), name, fc.array(tie('tree'), { maxLength: 2 })).map(
      ([object, text, given]): Expression => ({
        type: 'call',
        callee: { type: 'member', object, name: text, ...place },
        arguments: given,
        ...place,
      }),
    ),
    fc
      .tuple(fc.constantFrom('!' as const, '-' as const), tie('tree'))
      .map(([operator, operand]): Expression => ({ type: 'unary', operator, operand, ...place })),
    fc
      .tuple(
        fc.constantFrom(...(Object.keys(BINARY_OPERATORS) as (keyof typeof BINARY_OPERATORS)[])),
        tie('tree'),
        tie('tree'),
      )
      .map(([operator, left, right]): Expression => ({ type: 'binary', operator, left, right, ...place })),
  ),
}));

const bare = (expression: Expression): unknown =>
  JSON.parse(
    JSON.stringify(expression, (key, value) => (key === 'start' || key === 'end' ? undefined : value)),
  );

describe('expressions', () => {
  it('what is printed reads as the same tree', () => {
    fc.assert(
      fc.property(tree, (expression) => {
        expect(bare(parseExpression(printExpression(expression)))).toEqual(bare(expression));
      }),
      { numRuns: 500 },
    );
  });

  it('any text is read or refused with a place inside it', () => {
    const piece = fc.constantFrom(
      'a',
      '1',
      '"x"',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '.',
      ',',
      '+',
      '-',
      '!',
      '==',
      '&&',
      '/',
      ' ',
      ':',
      "'",
      '`',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            const { start, end } = parseExpression(text);
            expect(start).toBeGreaterThanOrEqual(0);
            expect(end).toBeLessThanOrEqual(text.length);
          } catch (error) {
            if (!(error instanceof ExpressionError)) throw error;
            expect(error.start).toBeLessThanOrEqual(text.length);
            expect(error.end).toBeLessThanOrEqual(text.length);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('what nests too deep is refused, however it nests', () => {
    const deep = [
      '('.repeat(30_000),
      '['.repeat(30_000),
      '{a:'.repeat(30_000),
      '!'.repeat(30_000),
      '-'.repeat(30_000),
      'if('.repeat(30_000),
      `a${'.b'.repeat(30_000)}`,
      `a${'[0]'.repeat(30_000)}`,
      `a${'.b()'.repeat(20_000)}`,
    ];
    for (const text of deep) expect(() => parseExpression(text)).toThrow(ExpressionError);
    expect(parseExpression(`a${'.b'.repeat(400)}`).type).toBe('member');
  });

  it('every part knows where it stands', () => {
    const text = 'if(a.b > 1, [x, "y"], -z)';
    const call = parseExpression(text);
    if (call.type !== 'call') throw new Error('a call was read as something else');
    expect(call.arguments.map(({ start, end }) => text.slice(start, end))).toEqual([
      'a.b > 1',
      '[x, "y"]',
      '-z',
    ]);
  });
});
