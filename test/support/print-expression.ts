import {
  BINARY_OPERATORS,
  type BinaryExpression,
  type Expression,
} from '../../src/formats/bases/syntax/ast.ts';

const UNARY = 7;
const POSTFIX = 8;

/** An expression as text with no more brackets than it needs; reading the text gives the same tree. */
export function printExpression(expression: Expression): string {
  return printed(expression, 0);
}

/** @param lowest how tightly the expression has to bind to stand without brackets */
function printed(expression: Expression, lowest: number): string {
  switch (expression.type) {
    case 'literal':
      return literal(expression.value, lowest);
    case 'regex':
      return `/${expression.source}/${expression.flags}`;
    case 'list':
      return `[${list(expression.items)}]`;
    case 'object':
      return `{${expression.entries.map(({ key, value }) => `${JSON.stringify(key)}: ${printed(value, 0)}`).join(', ')}}`;
    case 'name':
      return expression.name;
    case 'member': {
      const object = printed(expression.object, POSTFIX);
      // A dot after a bare number would be read as its fraction.
      return `${/^\d+$/.test(object) ? `(${object})` : object}.${expression.name}`;
    }
    case 'index':
      return `${printed(expression.object, POSTFIX)}[${printed(expression.index, 0)}]`;
    case 'call':
      return `${printed(expression.callee, POSTFIX)}(${list(expression.arguments)})`;
    case 'unary':
      return bracketed(`${expression.operator}${printed(expression.operand, UNARY)}`, UNARY, lowest);
    case 'binary':
      return chain(expression, lowest);
  }
}

/** A chain of operators of one level stands without brackets, however many terms it has. */
function chain(expression: BinaryExpression, lowest: number): string {
  const level = BINARY_OPERATORS[expression.operator];
  const parts: string[] = [];
  let first: Expression = expression;
  while (first.type === 'binary' && BINARY_OPERATORS[first.operator] === level) {
    parts.push(` ${first.operator} ${printed(first.right, level + 1)}`);
    first = first.left;
  }
  return bracketed(printed(first, level) + parts.reverse().join(''), level, lowest);
}

function literal(value: null | boolean | number | string, lowest: number): string {
  if (typeof value === 'string') return JSON.stringify(value).replace(/\\u([\da-f]{4})/gi, '\\u$1');
  const text = String(value);
  return typeof value === 'number' && value < 0 ? bracketed(text, UNARY, lowest) : text;
}

function list(items: readonly Expression[]): string {
  return items.map((item) => printed(item, 0)).join(', ');
}

function bracketed(text: string, level: number, lowest: number): string {
  return level < lowest ? `(${text})` : text;
}
