import type { Comparison, LeafNode, PropertyNode, PropertyValue, ValueNode } from '../query/ast.ts';
import { compose, fold } from '../text/fold.ts';

type LeafTest = (leaf: LeafNode, text: string) => boolean;

/** A date, from its year alone to its seconds; fractions and the zone behind it do not count. */
const DATE =
  /^(\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?)?)?)(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Whether a note's properties satisfy `[name]` or `[name:value]`. Names are compared whole and
 * case-insensitively. A bare word is contained in a text (numbers and checkboxes are compared
 * whole), a quoted one is the whole value; a list matches when one of its items does. `null` is a
 * property without a value, not an empty text or list. `>` and `<` compare numbers and dates.
 * @param test whether a leaf matches inside a text; patterns are the caller's business
 */
export function matchesProperty(
  property: PropertyNode,
  data: Readonly<Record<string, unknown>>,
  sensitive: boolean,
  test: LeafTest,
): boolean {
  return Object.entries(data).some(
    ([key, value]) =>
      nameMatches(property.name, key, test) && valueMatches(property.value, value, sensitive, test),
  );
}

function nameMatches(name: LeafNode, key: string, test: LeafTest): boolean {
  if (name.kind === 'regex') return test(name, key);
  return compose(name.text).toLowerCase() === compose(key).toLowerCase();
}

function valueMatches(expected: PropertyValue, value: unknown, sensitive: boolean, test: LeafTest): boolean {
  switch (expected.test) {
    case 'exists':
      return true;
    case 'null':
      return value === null || value === undefined;
    case 'compare':
      return items(value).some((item) => compares(expected, item));
    default:
      return nodeMatches(expected.node, items(value), sensitive, test);
  }
}

function nodeMatches(
  node: ValueNode,
  values: readonly unknown[],
  sensitive: boolean,
  test: LeafTest,
): boolean {
  switch (node.kind) {
    case 'and':
      return node.parts.every((part) => nodeMatches(part, values, sensitive, test));
    case 'or':
      return node.parts.some((part) => nodeMatches(part, values, sensitive, test));
    case 'not':
      return !nodeMatches(node.part, values, sensitive, test);
    case 'compare':
      return values.some((value) => compares(node.comparison, value));
    default:
      return node.kind === 'word' && node.text.toLowerCase() === 'null'
        ? values.some((value) => value === null)
        : values.some((value) => leafMatches(node, value, sensitive, test));
  }
}

function leafMatches(leaf: LeafNode, value: unknown, sensitive: boolean, test: LeafTest): boolean {
  if (value === null || value === undefined) return false;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (leaf.kind === 'regex') return test(leaf, text);
  const whole = leaf.kind === 'phrase' || typeof value === 'boolean' || typeof value === 'number';
  if (!whole) return test(leaf, text);
  if (typeof value === 'number' && leaf.text.trim() !== '' && Number(leaf.text) === value) return true;
  return sensitive ? compose(text) === compose(leaf.text) : fold(text) === fold(leaf.text);
}

function compares({ operator, operand }: Comparison, value: unknown): boolean {
  const order = compareValues(value, operand);
  if (order === undefined) return false;
  if (order === 0) return operator.length === 2;
  return order > 0 === operator.startsWith('>');
}

/** Below, at or above zero; undefined when the two cannot be compared. */
function compareValues(value: unknown, operand: string): number | undefined {
  const expected = operand.replace(/^"(.*)"$/s, '$1');
  const [date, limit] = [typeof value === 'string' ? dateOf(value) : undefined, dateOf(expected)];
  // Two plain years are numbers, to be compared as such.
  if (date !== undefined && limit !== undefined && Math.max(date.length, limit.length) > 4) {
    const length = Math.min(date.length, limit.length);
    const [left, right] = [date.slice(0, length), limit.slice(0, length)];
    return left === right ? 0 : left > right ? 1 : -1;
  }
  const [left, right] = [typeof value === 'number' ? value : toNumber(value), toNumber(expected)];
  return left === undefined || right === undefined ? undefined : left - right;
}

/** A date as it is compared, as exact as it was written: `2024-05`, `2024-05-01T10:30`. */
function dateOf(text: string): string | undefined {
  return DATE.exec(text.trim())?.[1]?.replace(' ', 'T');
}

function toNumber(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
