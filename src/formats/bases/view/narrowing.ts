import type { BaseFile, BaseFilter, BaseView, SourceExpression } from '../file/base-file.ts';
import type { CallExpression, Expression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';

/** What every file that matches has, as far as an index can tell. All of it must hold. */
export interface Narrowing {
  /** Notes only. */
  readonly notes: boolean;
  /** The tag itself or one below it. */
  readonly tags: readonly string[];
}

/**
 * What can be asked of an index before a filter is worked out. It never leaves out a file that matches:
 * what an index cannot tell exactly as the filter means it is not in here.
 */
export function narrowingOf(
  base: BaseFile,
  view: BaseView,
  extra: readonly SourceExpression[] = [],
): Narrowing {
  const filters: BaseFilter[] = [
    ...(base.filter === undefined ? [] : [base.filter]),
    ...(view.filter === undefined ? [] : [view.filter]),
    ...extra.map((expression) => ({ kind: 'expression' as const, expression })),
  ];
  const conditions = filters.flatMap(conjuncts);
  return {
    notes: conditions.some(isOfNotes),
    tags: [...new Set(conditions.flatMap(tagOf))],
  };
}

/** The expressions that must all be true. */
function conjuncts(filter: BaseFilter): readonly Expression[] {
  if (filter.kind === 'and') return filter.filters.flatMap(conjuncts);
  if (filter.kind !== 'expression') return [];
  const { parsed } = filter.expression;
  return parsed instanceof ExpressionError ? [] : operands(parsed);
}

/** A chain of `&&` is nested to the left, as deep as it has terms. */
function operands(expression: Expression): readonly Expression[] {
  const found: Expression[] = [];
  let left = expression;
  for (; left.type === 'binary' && left.operator === '&&'; left = left.left) found.push(left.right);
  return [left, ...found.reverse()];
}

/** `file.ext == "md"` */
function isOfNotes(expression: Expression): boolean {
  if (expression.type !== 'binary' || expression.operator !== '==') return false;
  const sides = [expression.left, expression.right];
  return (
    sides.some((side) => side.type === 'member' && side.name === 'ext' && isFile(side.object)) &&
    sides.some((side) => side.type === 'literal' && side.value === 'md')
  );
}

/** `file.hasTag("x")`: one tag, as several are alternatives. */
function tagOf(expression: Expression): readonly string[] {
  if (expression.type !== 'call' || !isFileMethod(expression, 'hasTag')) return [];
  const [tag, ...others] = expression.arguments;
  if (tag?.type !== 'literal' || typeof tag.value !== 'string' || others.length > 0) return [];
  const name = tag.value.replace(/^#/, '');
  return name === '' ? [] : [name];
}

function isFileMethod({ callee }: CallExpression, name: string): boolean {
  return callee.type === 'member' && callee.name === name && isFile(callee.object);
}

function isFile(expression: Expression): boolean {
  return expression.type === 'name' && expression.name === 'file';
}
