import type { FileCondition, ValueTest } from '../../../notes/file-condition.ts';
import {
  type BaseFile,
  type BaseFilter,
  type BaseView,
  filtersOf,
  type SourceExpression,
} from '../file/base-file.ts';
import type { BinaryExpression, CallExpression, Expression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import type { Value } from '../values/value.ts';
import { type Constants, constantValue } from './constant.ts';
import { fileComparison, fileMethod } from './narrowing-file.ts';
import { comparisonTests, containsTests } from './narrowing-property.ts';

/** Most conditions and deepest nesting that are passed to the index; the evaluator checks the rest. */
const MAX_CONDITIONS = 64;
const MAX_DEPTH = 100;
/** Most expressions that are examined, as formulas may refer to one another any number of times. */
const MAX_STEPS = 2000;

/**
 * Derives the index condition of a view's filters. It may let files through that do not match, and never
 * excludes one that does: filters that the index cannot test are left out.
 *
 * @param extra additional filters that must hold
 * @returns undefined when every file may match
 */
export function narrowingOf(
  base: BaseFile,
  view: BaseView,
  extra: readonly SourceExpression[],
  constants: Constants,
): FileCondition | undefined {
  const formulas = new Map([...base.formulas].map(([name, { parsed }]) => [name, parsed] as const));
  const narrowing = new Narrowing(formulas, constants);
  return narrowing.all(filtersOf(base, view, extra).map((filter) => () => narrowing.filter(filter)));
}

type Part = () => FileCondition | undefined;

class Narrowing {
  readonly #formulas: ReadonlyMap<string, Expression | ExpressionError>;
  readonly #constants: Constants;
  #conditions = 0;
  #depth = 0;
  #steps = 0;

  constructor(formulas: ReadonlyMap<string, Expression | ExpressionError>, constants: Constants) {
    this.#formulas = formulas;
    this.#constants = constants;
  }

  /** The conjunction of the parts that have a condition. */
  all(parts: readonly Part[]): FileCondition | undefined {
    const of: FileCondition[] = [];
    for (const part of parts) {
      if (this.#conditions >= MAX_CONDITIONS) break;
      const condition = part();
      if (condition?.kind === 'all') of.push(...condition.of);
      else if (condition !== undefined) of.push(condition);
    }
    return of.length > 1 ? { kind: 'all', of } : of[0];
  }

  /** The disjunction of the parts; undefined when one of them has no condition, as any file may then match. */
  #any(parts: readonly Part[]): FileCondition | undefined {
    if (parts.length > MAX_CONDITIONS) return undefined;
    const of: FileCondition[] = [];
    for (const part of parts) {
      const condition = this.#conditions < MAX_CONDITIONS ? part() : undefined;
      if (condition === undefined) return undefined;
      if (condition.kind === 'any') of.push(...condition.of);
      else of.push(condition);
    }
    return of.length > 1 ? { kind: 'any', of } : of[0];
  }

  filter(filter: BaseFilter): FileCondition | undefined {
    switch (filter.kind) {
      case 'and':
        return this.all(filter.filters.map((each) => () => this.filter(each)));
      case 'or':
        return this.#any(filter.filters.map((each) => () => this.filter(each)));
      case 'not':
        return this.all(filter.filters.map((each) => () => this.#notFilter(each)));
      case 'expression': {
        const { parsed } = filter.expression;
        return parsed instanceof ExpressionError ? undefined : this.#true(parsed);
      }
    }
  }

  #notFilter(filter: BaseFilter): FileCondition | undefined {
    if (filter.kind !== 'expression') return undefined;
    const { parsed } = filter.expression;
    return parsed instanceof ExpressionError ? undefined : this.#false(parsed);
  }

  /** A condition that holds for every file for which the expression is true. */
  #true(expression: Expression): FileCondition | undefined {
    if (this.#depth >= MAX_DEPTH || ++this.#steps > MAX_STEPS) return undefined;
    this.#depth++;
    const condition = this.#held(expression);
    this.#depth--;
    if (condition !== undefined && condition.kind !== 'all' && condition.kind !== 'any') this.#conditions++;
    return condition;
  }

  #held(expression: Expression): FileCondition | undefined {
    if (expression.type === 'binary') {
      const { operator } = expression;
      if (operator === '&&') return this.all(this.#operands(expression, '&&'));
      if (operator === '||') return this.#any(this.#operands(expression, '||'));
      return this.#comparison(expression);
    }
    if (expression.type === 'call') return this.#call(expression);
    if (expression.type === 'unary')
      return expression.operator === '!' ? this.#false(expression.operand) : undefined;
    const formula = memberOf(expression, 'formula');
    if (formula !== undefined) {
      const found = this.#formulas.get(formula);
      return found === undefined || found instanceof ExpressionError ? undefined : this.#true(found);
    }
    return filled(propertyName(expression));
  }

  /** The operands of a chain of one operator, which nests to the left as deep as it has terms. */
  #operands(expression: BinaryExpression, operator: '&&' | '||'): readonly Part[] {
    const found: Expression[] = [];
    let left: Expression = expression;
    for (; left.type === 'binary' && left.operator === operator; left = left.left) found.push(left.right);
    return [left, ...found.reverse()].map((each) => () => this.#true(each));
  }

  /** A condition that holds for every file for which the expression is false. */
  #false(expression: Expression): FileCondition | undefined {
    if (expression.type === 'call') {
      const property = methodOf(expression, 'isEmpty');
      if (property !== undefined) return filled(propertyName(property));
    }
    if (expression.type === 'unary' && expression.operator === '!') return this.#exactly(expression.operand);
    const condition = this.#exactly(expression);
    return condition && { kind: 'not', of: condition };
  }

  /**
   * A condition that holds for exactly the files for which the expression is true: a single test that cannot
   * fail.
   */
  #exactly(expression: Expression): FileCondition | undefined {
    const isOne =
      expression.type === 'call' || (expression.type === 'binary' && expression.operator === '==');
    const condition = isOne ? this.#true(expression) : undefined;
    return condition !== undefined && isExact(condition) ? condition : undefined;
  }

  #comparison(expression: BinaryExpression): FileCondition | undefined {
    const { left, right } = expression;
    const [constant, flipped] = [this.#constant(right), this.#constant(left)];
    const value = constant === undefined ? flipped : constant;
    if (value === undefined) return undefined;
    const subject = constant === undefined ? right : left;
    const operator = constant === undefined ? flip(expression.operator) : expression.operator;
    const field = memberOf(subject, 'file');
    if (field !== undefined) return fileComparison(field, operator, value);
    const name = propertyName(subject);
    const tests = name === undefined ? undefined : comparisonTests(operator, value);
    return name === undefined || tests === undefined ? undefined : { kind: 'property', name, tests };
  }

  #call(call: CallExpression): FileCondition | undefined {
    const { callee } = call;
    if (callee.type !== 'member') return undefined;
    const values = call.arguments.map((argument) => this.#constant(argument));
    const known = values.filter((value) => value !== undefined);
    const isKnown = known.length === values.length;
    if (callee.object.type === 'name' && callee.object.name === 'file')
      return isKnown ? fileMethod(callee.name, known) : undefined;
    const field = memberOf(callee.object, 'file');
    if (field !== undefined) return isKnown ? ofField(field, callee.name, known) : undefined;
    if (!FALSE_FOR_NULL.has(callee.name)) return undefined;
    const name = propertyName(listed(callee.object));
    if (name === undefined) return undefined;
    const [only] = known;
    const isContains = callee.name === 'contains' && isKnown && only !== undefined;
    return { kind: 'property', name, tests: isContains ? containsTests(only) : [{ is: 'filled' }] };
  }

  #constant(expression: Expression): Value | undefined {
    return constantValue(expression, this.#constants);
  }
}

/** Methods that return false for null. */
const FALSE_FOR_NULL: ReadonlySet<string> = new Set([
  'contains',
  'containsAll',
  'containsAny',
  'startsWith',
  'endsWith',
  'isTruthy',
  'linksTo',
  'matches',
]);

/** The condition of a method on a field of the file: `file.links.contains(x)`. */
function ofField(field: string, method: string, values: readonly Value[]): FileCondition | undefined {
  const [only] = values;
  if (only === undefined || values.length > 1) return undefined;
  if (method === 'contains' && field === 'tags') return fileMethod('hasTag', values);
  if (method === 'contains' && (field === 'links' || field === 'embeds'))
    return fileMethod('hasLink', values);
  const isPath = field === 'path' || field === 'folder';
  if (method === 'startsWith' && isPath && typeof only === 'string' && only !== '')
    return { kind: 'prefix', prefix: only };
  return undefined;
}

/** The argument of `list(x)`, which contains the same items; any other expression as it is. */
function listed(expression: Expression): Expression {
  if (expression.type !== 'call' || expression.callee.type !== 'name' || expression.callee.name !== 'list')
    return expression;
  return expression.arguments[0] ?? expression;
}

function filled(name: string | undefined): FileCondition | undefined {
  const tests: readonly ValueTest[] = [{ is: 'filled' }];
  return name === undefined ? undefined : { kind: 'property', name, tests };
}

/** The object that a method is called on without arguments; undefined for any other call. */
function methodOf(call: CallExpression, name: string): Expression | undefined {
  const { callee, arguments: given } = call;
  return callee.type === 'member' && callee.name === name && given.length === 0 ? callee.object : undefined;
}

const SCOPES: ReadonlySet<string> = new Set(['file', 'this', 'note', 'formula']);

/** The property name in `x`, `note.x` or `note["x"]`; undefined for any other expression. */
function propertyName(expression: Expression): string | undefined {
  if (expression.type === 'name') return SCOPES.has(expression.name) ? undefined : expression.name;
  return memberOf(expression, 'note');
}

/** The name in `scope.name` or `scope["name"]`; undefined for any other expression. */
function memberOf(expression: Expression, scope: string): string | undefined {
  if (expression.type !== 'member' && expression.type !== 'index') return undefined;
  if (expression.object.type !== 'name' || expression.object.name !== scope) return undefined;
  if (expression.type === 'member') return expression.name;
  const { index } = expression;
  return index.type === 'literal' && typeof index.value === 'string' ? index.value : undefined;
}

function flip(operator: string): string {
  return operator.replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));
}

/** Whether the index tests a condition exactly, so that its negation may be used too. */
function isExact({ kind }: FileCondition): boolean {
  return kind === 'tag' || kind === 'folder' || kind === 'ext';
}
