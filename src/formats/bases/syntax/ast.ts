/**
 * The syntax tree of an expression of Bases. Offsets are UTF-16 code units of the expression's text; the end is
 * exclusive.
 */
export type Expression =
  | LiteralExpression
  | RegexExpression
  | ListExpression
  | ObjectExpression
  | NameExpression
  | MemberExpression
  | IndexExpression
  | CallExpression
  | UnaryExpression
  | BinaryExpression;

interface Place {
  readonly start: number;
  readonly end: number;
}

export interface LiteralExpression extends Place {
  readonly type: 'literal';
  readonly value: null | boolean | number | string;
}

export interface RegexExpression extends Place {
  readonly type: 'regex';
  readonly source: string;
  readonly flags: string;
}

export interface ListExpression extends Place {
  readonly type: 'list';
  readonly items: readonly Expression[];
}

export interface ObjectExpression extends Place {
  readonly type: 'object';
  readonly entries: readonly { readonly key: string; readonly value: Expression }[];
}

export interface NameExpression extends Place {
  readonly type: 'name';
  readonly name: string;
}

export interface MemberExpression extends Place {
  readonly type: 'member';
  readonly object: Expression;
  readonly name: string;
}

export interface IndexExpression extends Place {
  readonly type: 'index';
  readonly object: Expression;
  readonly index: Expression;
}

export interface CallExpression extends Place {
  readonly type: 'call';
  /** A name is a global function, a member a method. */
  readonly callee: NameExpression | MemberExpression;
  readonly arguments: readonly Expression[];
}

export type UnaryOperator = '!' | '-';

export interface UnaryExpression extends Place {
  readonly type: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

/** Binary operators with their precedence; a higher number binds tighter. All are left-associative. */
export const BINARY_OPERATORS = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
} as const;

export type BinaryOperator = keyof typeof BINARY_OPERATORS;

export interface BinaryExpression extends Place {
  readonly type: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** The direct subexpressions of an expression, in source order. */
export function children(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'literal':
    case 'regex':
    case 'name':
      return [];
    case 'list':
      return expression.items;
    case 'object':
      return expression.entries.map(({ value }) => value);
    case 'member':
      return [expression.object];
    case 'index':
      return [expression.object, expression.index];
    case 'call':
      return [expression.callee, ...expression.arguments];
    case 'unary':
      return [expression.operand];
    case 'binary':
      return [expression.left, expression.right];
  }
}
