import { Evaluator } from '../evaluate/evaluator.ts';
import { type FileFacts, type Lookup, type Need, NO_FILE, NotLoaded } from '../evaluate/facts.ts';
import { children, type Expression } from '../syntax/ast.ts';
import { ExpressionError } from '../syntax/expression-error.ts';
import type { DateValue } from '../values/date-value.ts';
import type { Value } from '../values/value.ts';

/** Data an expression may use and still have the same value for every file. */
export interface Constants {
  /** The file that `this` refers to. */
  readonly self: FileFacts | undefined;
  readonly now: DateValue;
}

const notLoaded = (need: Need): never => {
  throw new NotLoaded(need);
};
const NOTHING_LOADED: Lookup = {
  facts: (path) => notLoaded({ kind: 'facts', path }),
  links: (path) => notLoaded({ kind: 'links', path }),
  backlinks: (path) => notLoaded({ kind: 'backlinks', path }),
  resolve: (target, source) => notLoaded({ kind: 'resolve', target, source }),
};

/** The value of an expression that has the same value for every file; undefined for any other expression. */
export function constantValue(expression: Expression, { self, now }: Constants): Value | undefined {
  if (!isConstant(expression)) return undefined;
  const scope = { file: NO_FILE, self, formulas: new Map(), lookup: NOTHING_LOADED, now };
  try {
    return new Evaluator(scope).evaluate(expression);
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof NotLoaded) return undefined;
    throw error;
  }
}

function isConstant(expression: Expression): boolean {
  const waiting: Expression[] = [expression];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (each.type === 'name' && each.name !== 'this') return false;
    if (each.type !== 'call') waiting.push(...children(each));
    else if (each.callee.type === 'member') waiting.push(each.callee.object, ...each.arguments);
    else if (each.callee.name === 'random') return false;
    else waiting.push(...each.arguments);
  }
  return true;
}
