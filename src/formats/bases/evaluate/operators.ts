import type { BinaryExpression, UnaryExpression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import { compared, isEqual, lengthOf, toText } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { DurationValue } from '../values/duration-value.ts';
import { isList, isTruthy, typeOf, type Value } from '../values/value.ts';
import { MAX_ITEMS, MAX_TEXT } from './budget.ts';
import type { Lookup } from './facts.ts';

/** Applies `!` or `-`. @throws ExpressionError for an operand type that the operator does not support */
export function applyUnary({ operator, start, end }: UnaryExpression, operand: Value): Value {
  if (operator === '!') return !isTruthy(operand);
  if (typeof operand === 'number') return -operand;
  if (operand instanceof DurationValue) return operand.times(-1);
  throw new ExpressionError(`There is no negative of a ${typeOf(operand)}.`, start, end);
}

/**
 * Applies a binary operator, except `&&` and `||`, whose right side must not always be evaluated.
 *
 * @throws ExpressionError for operand types that the operator does not support, division by zero, a date out of
 *   range, and a text or list that is too long
 * @throws NotLoaded when comparing links needs data that is not loaded
 */
export function applyBinary(expression: BinaryExpression, left: Value, right: Value, lookup: Lookup): Value {
  switch (expression.operator) {
    case '==':
      return isEqual(left, right, lookup);
    case '!=':
      return !isEqual(left, right, lookup);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isOrdered(expression.operator, compared(left, right));
    case '+':
      return plus(expression, left, right);
    case '-':
      return minus(expression, left, right);
    default:
      return multiplied(expression, left, right);
  }
}

function isOrdered(operator: '<' | '<=' | '>' | '>=', order: number | undefined): boolean {
  if (order === undefined) return false;
  if (order === 0) return operator.endsWith('=');
  return operator.startsWith('<') === order < 0;
}

function plus(expression: BinaryExpression, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  if (left instanceof DateValue) {
    const by = durationOf(right);
    if (by !== undefined) return shifted(expression, left, by, 1);
  }
  if (right instanceof DateValue && left instanceof DurationValue) return shifted(expression, right, left, 1);
  if (left instanceof DurationValue || right instanceof DurationValue) {
    const [one, other] = [durationOf(left), durationOf(right)];
    if (one !== undefined && other !== undefined) return one.plus(other);
  }
  if (isList(left) && isList(right)) return joined(expression, left, right);
  if (typeof left === 'string' || typeof right === 'string') {
    const text = toText(left) + toText(right);
    if (text.length <= MAX_TEXT) return text;
    throw new ExpressionError('The text grows too long.', expression.start, expression.end);
  }
  throw mismatch(expression, left, right);
}

function joined(
  { start, end }: BinaryExpression,
  left: readonly Value[],
  right: readonly Value[],
): readonly Value[] {
  if (left.length + right.length <= MAX_ITEMS) return [...left, ...right];
  throw new ExpressionError('The list grows too long.', start, end);
}

function minus(expression: BinaryExpression, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (left instanceof DateValue) {
    if (right instanceof DateValue) return new DurationValue(0, left.wallMs - right.wallMs);
    const by = durationOf(right);
    if (by !== undefined) return shifted(expression, left, by, -1);
    const date = typeof right === 'string' ? DateValue.parse(right) : undefined;
    if (date !== undefined) return new DurationValue(0, left.wallMs - date.wallMs);
  }
  if (left instanceof DurationValue || right instanceof DurationValue) {
    const [one, other] = [durationOf(left), durationOf(right)];
    if (one !== undefined && other !== undefined) return one.plus(other.times(-1));
  }
  throw mismatch(expression, left, right);
}

function shifted(
  { start, end }: BinaryExpression,
  date: DateValue,
  by: DurationValue,
  sign: 1 | -1,
): DateValue {
  const result = date.plus(by, sign);
  if (result !== undefined) return result;
  throw new ExpressionError('The date is out of range.', start, end);
}

/** Reads a duration from a duration, its text, or a number of milliseconds. */
function durationOf(value: Value): DurationValue | undefined {
  if (value instanceof DurationValue) return value;
  if (typeof value === 'number') return new DurationValue(0, value);
  return typeof value === 'string' ? DurationValue.parse(value) : undefined;
}

function multiplied(expression: BinaryExpression, left: Value, right: Value): Value {
  const { operator, start, end } = expression;
  const divides = operator === '/' || operator === '%';
  const divisor = right instanceof DurationValue ? right.totalMs : right;
  if (divides && divisor === 0) throw new ExpressionError('Division by zero.', start, end);
  if (typeof left === 'number' && typeof right === 'number') return computed(operator, left, right);
  if (left instanceof DurationValue) {
    if (typeof right === 'number' && operator === '*') return left.times(right);
    if (typeof right === 'number' && operator === '/') return left.times(1 / right);
    const length = right instanceof DurationValue ? lengthOf(right) : undefined;
    if (length !== undefined && divides) return computed(operator, left.totalMs, length);
  }
  throw mismatch(expression, left, right);
}

function computed(operator: string, left: number, right: number): number {
  if (operator === '*') return left * right;
  return operator === '/' ? left / right : left % right;
}

const VERBS: Readonly<Record<string, string>> = {
  '+': 'added',
  '-': 'subtracted',
  '*': 'multiplied',
  '/': 'divided',
  '%': 'divided',
};

function mismatch({ operator, start, end }: BinaryExpression, left: Value, right: Value): ExpressionError {
  const verb = VERBS[operator] ?? 'combined';
  return new ExpressionError(
    `${named(left)} and ${named(right).toLowerCase()} cannot be ${verb}.`,
    start,
    end,
  );
}

function named(value: Value): string {
  return value === null ? 'A missing value' : `A ${typeOf(value)}`;
}
