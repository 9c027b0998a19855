import { FILE_FIELDS } from '../evaluate/file-methods.ts';
import { GLOBAL_FUNCTIONS } from '../evaluate/global-functions.ts';
import { legacyHint } from '../evaluate/legacy.ts';
import { LIST_LAMBDAS } from '../evaluate/list-methods.ts';
import { ANY_METHODS, METHODS } from '../evaluate/value-methods.ts';
import { type CallExpression, children, type Expression } from '../syntax/ast.ts';
import { ExpressionError, unknownName } from '../syntax/expression-error.ts';

interface Arity {
  readonly min: number;
  readonly max: number;
}

const FUNCTIONS: ReadonlyMap<string, Arity> = new Map<string, Arity>([
  ...Object.entries(GLOBAL_FUNCTIONS),
  ['if', { min: 2, max: 3 }],
]);

/** Every method name with the range of argument counts over all types that have it. */
const METHOD_ARITIES: ReadonlyMap<string, Arity> = methodArities();

function methodArities(): ReadonlyMap<string, Arity> {
  const arities = new Map<string, Arity>();
  for (const methods of [ANY_METHODS, ...Object.values(METHODS)]) {
    for (const [name, { min, max }] of Object.entries(methods)) {
      const known = arities.get(name) ?? { min, max };
      arities.set(name, { min: Math.min(known.min, min), max: Math.max(known.max, max) });
    }
  }
  for (const name of LIST_LAMBDAS)
    arities.set(name, name === 'reduce' ? { min: 2, max: 2 } : { min: 1, max: 1 });
  return arities;
}

/**
 * Finds errors in an expression that do not depend on the notes: unknown functions, methods, fields and
 * formulas, and wrong argument counts.
 *
 * @param formulas names of the base's formulas
 * @returns the errors in source order
 */
export function checkExpression(
  expression: Expression,
  formulas: ReadonlySet<string>,
): readonly ExpressionError[] {
  const errors: ExpressionError[] = [];
  // An explicit stack, as a chain of operators nests as deep as it has terms.
  const waiting: Expression[] = [expression];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    errors.push(...ownErrors(each, formulas));
    const { type } = each;
    for (const child of children(each)) {
      // The callee's name is checked with the call.
      if (type !== 'call' || child !== each.callee) waiting.push(child);
      else if (child.type === 'member') waiting.push(child.object);
    }
  }
  return errors.sort((one, other) => one.start - other.start);
}

function ownErrors(expression: Expression, formulas: ReadonlySet<string>): readonly ExpressionError[] {
  if (expression.type === 'call') return callErrors(expression);
  const name = memberName(expression);
  if (name === undefined || (expression.type !== 'member' && expression.type !== 'index')) return [];
  const { object, start, end } = expression;
  if (object.type !== 'name') return [];
  if (object.name === 'file' && !Object.hasOwn(FILE_FIELDS, name))
    return [
      unknownName(`A file has no field ${JSON.stringify(name)}`, name, Object.keys(FILE_FIELDS), start, end),
    ];
  if (object.name === 'formula' && !formulas.has(name))
    return [unknownName(`There is no formula ${JSON.stringify(name)}`, name, [...formulas], start, end)];
  return [];
}

function memberName(expression: Expression): string | undefined {
  if (expression.type === 'member') return expression.name;
  if (expression.type !== 'index' || expression.index.type !== 'literal') return undefined;
  return typeof expression.index.value === 'string' ? expression.index.value : undefined;
}

function callErrors(call: CallExpression): readonly ExpressionError[] {
  const { callee } = call;
  const { name, start, end } = callee;
  const isFunction = callee.type === 'name';
  const known = isFunction ? FUNCTIONS : METHOD_ARITIES;
  const arity = known.get(name);
  if (arity === undefined) {
    const hint = isFunction ? legacyHint(name) : undefined;
    if (hint !== undefined) return [new ExpressionError(hint, start, end)];
    return [
      unknownName(
        `There is no ${isFunction ? 'function' : 'method'} ${name}()`,
        name,
        [...known.keys()],
        start,
        end,
      ),
    ];
  }
  const given = call.arguments.length;
  if (given >= arity.min && given <= arity.max) return [];
  const wanted = arity.min === arity.max ? `${arity.min}` : `${arity.min} to ${arity.max}`;
  return [new ExpressionError(`${name}() takes ${wanted} arguments, not ${given}.`, call.start, call.end)];
}
