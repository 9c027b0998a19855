import type {
  BinaryExpression,
  CallExpression,
  Expression,
  IndexExpression,
  MemberExpression,
  NameExpression,
} from '../syntax/ast.ts';
import { ExpressionError, unknownName } from '../syntax/expression-error.ts';
import { pathOf } from '../values/compare.ts';
import { DateValue } from '../values/date-value.ts';
import { DurationValue } from '../values/duration-value.ts';
import {
  FileValue,
  isList,
  isTruthy,
  LinkValue,
  ObjectValue,
  RegexValue,
  typeOf,
  type Value,
} from '../values/value.ts';
import { Budget } from './budget.ts';
import type { CallContext } from './call.ts';
import type { FileFacts, Lookup } from './facts.ts';
import { FILE_FIELDS, fileField, propertiesOf } from './file-methods.ts';
import { GLOBAL_FUNCTIONS } from './global-functions.ts';
import { legacyHint } from './legacy.ts';
import { LIST_LAMBDAS, type ListLambda, runLambda } from './list-methods.ts';
import { applyBinary, applyUnary } from './operators.ts';
import { ANY_METHODS, METHODS, timeField } from './value-methods.ts';

/** The names and data that expressions of a base are evaluated with. */
export interface EvaluationScope {
  /** The row's file. */
  readonly file: FileFacts;
  /** The file that `this` refers to; undefined when there is none. */
  readonly self: FileFacts | undefined;
  readonly formulas: ReadonlyMap<string, Expression | ExpressionError>;
  /** The column's values, for a summary. */
  readonly values?: readonly Value[];
  readonly lookup: Lookup;
  readonly now: DateValue;
}

const NO_LOCALS: ReadonlyMap<string, Value> = new Map();
const NO_BUDGET = new Budget();

/** Evaluates expressions for one file. Each formula is evaluated once; an error names its span. */
export class Evaluator {
  readonly #scope: EvaluationScope;
  // There is one evaluator per row, so fields that most rows never need are created on first use.
  #formulas: Map<string, Value | ExpressionError> | undefined;
  #running: Set<string> | undefined;
  #locals = NO_LOCALS;
  #budget = NO_BUDGET;
  #properties: ObjectValue | undefined;

  constructor(scope: EvaluationScope) {
    this.#scope = scope;
  }

  /**
   * @throws ExpressionError when the expression has no value
   * @throws NotLoaded when data of the vault must be loaded first
   */
  evaluate(expression: Expression): Value {
    this.#budget = new Budget();
    this.#running?.clear();
    this.#locals = NO_LOCALS;
    return this.#value(expression);
  }

  #value(expression: Expression): Value {
    const { start, end } = expression;
    this.#budget.step(start, end);
    switch (expression.type) {
      case 'literal':
        return expression.value;
      case 'regex':
        return new RegexValue(expression.source, expression.flags);
      case 'list':
        return expression.items.map((item) => this.#value(item));
      case 'object':
        return ObjectValue.of(expression.entries.map(({ key, value }) => [key, this.#value(value)] as const));
      case 'name':
        return this.#name(expression);
      case 'member':
        return this.#member(expression);
      case 'index':
        return this.#index(expression);
      case 'call':
        return this.#call(expression);
      case 'unary':
        return applyUnary(expression, this.#value(expression.operand));
      case 'binary':
        return this.#binary(expression);
    }
  }

  /**
   * `&&` and `||` return the operand that decides and do not evaluate the rest. A chain of operators nests to
   * the left, so the left side is iterated instead of recursed into: ten thousand terms take no deeper stack
   * than two.
   */
  #binary(expression: BinaryExpression): Value {
    const chain: BinaryExpression[] = [];
    let first: Expression = expression;
    for (; first.type === 'binary'; first = first.left) chain.push(first);
    let value = this.#value(first);
    for (const each of chain.reverse()) {
      this.#budget.step(each.start, each.end);
      if (each.operator === '&&') value = isTruthy(value) ? this.#value(each.right) : value;
      else if (each.operator === '||') value = isTruthy(value) ? value : this.#value(each.right);
      else value = applyBinary(each, value, this.#value(each.right), this.#scope.lookup);
    }
    return value;
  }

  #name({ name }: NameExpression): Value {
    const local = this.#locals.get(name);
    if (local !== undefined) return local;
    const { file, self, values } = this.#scope;
    if (name === 'values' && values !== undefined) return values;
    if (name === 'file') return new FileValue(file.path);
    if (name === 'this') return self === undefined ? null : new FileValue(self.path);
    this.#properties ??= propertiesOf(file);
    return name === 'note' ? this.#properties : this.#properties.get(name);
  }

  #member({ object, name, start, end }: MemberExpression): Value {
    const global = this.#scoped(object, name, start, end);
    if (global !== undefined) return global;
    return this.#field(this.#value(object), name, start, end);
  }

  #index({ object, index, start, end }: IndexExpression): Value {
    const key = this.#value(index);
    if (typeof key === 'string') {
      const global = this.#scoped(object, key, start, end);
      if (global !== undefined) return global;
    }
    const held = this.#value(object);
    if (held === null) return null;
    if (typeof key === 'number') {
      const at = Math.trunc(key);
      if (isList(held)) return held[at] ?? null;
      if (typeof held === 'string') return held[at] ?? null;
    }
    if (typeof key === 'string' && !isList(held)) return this.#field(held, key, start, end);
    throw new ExpressionError(`A ${typeOf(held)} has nothing at a ${typeOf(key)}.`, start, end);
  }

  /**
   * The value of `formula.x`, `this.x` or `this.file`, whose left sides are not values; undefined for others.
   */
  #scoped(object: Expression, name: string, start: number, end: number): Value | undefined {
    if (object.type !== 'name' || this.#locals.has(object.name)) return undefined;
    if (object.name === 'formula') return this.#formula(name, start, end);
    if (object.name !== 'this') return undefined;
    const { self } = this.#scope;
    if (self === undefined) return null;
    return name === 'file' ? new FileValue(self.path) : propertiesOf(self).get(name);
  }

  #formula(name: string, start: number, end: number): Value {
    const known = this.#formulas?.get(name);
    if (known !== undefined) return resultOf(known, name, start, end);
    const expression = this.#scope.formulas.get(name);
    if (expression === undefined) {
      throw unknownName(
        `There is no formula ${JSON.stringify(name)}`,
        name,
        [...this.#scope.formulas.keys()],
        start,
        end,
      );
    }
    if (expression instanceof ExpressionError) return resultOf(expression, name, start, end);
    if (this.#running?.has(name))
      throw new ExpressionError(
        `The formula ${JSON.stringify(name)} needs itself: a circular reference.`,
        start,
        end,
      );
    return this.#compute(name, expression, start, end);
  }

  #compute(name: string, expression: Expression, start: number, end: number): Value {
    const locals = this.#locals;
    this.#formulas ??= new Map();
    this.#running ??= new Set();
    this.#running.add(name);
    this.#locals = NO_LOCALS;
    try {
      const value = this.#budget.deeper(start, end, () => this.#value(expression));
      this.#formulas.set(name, value);
      return value;
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.#formulas.set(name, error);
      throw inFormula(error, name, start, end);
    } finally {
      this.#running.delete(name);
      this.#locals = locals;
    }
  }

  #field(held: Value, name: string, start: number, end: number): Value {
    if (held === null) return null;
    if (held instanceof FileValue) {
      const value = fileField(held.path, name, this.#scope.lookup);
      if (value !== undefined) return value;
      throw unknownName(
        `A file has no field ${JSON.stringify(name)}`,
        name,
        Object.keys(FILE_FIELDS),
        start,
        end,
      );
    }
    if (held instanceof ObjectValue) return held.get(name);
    if (name === 'length' && (typeof held === 'string' || isList(held))) return held.length;
    if (held instanceof DateValue || held instanceof DurationValue) {
      const value = timeField(held, name);
      if (value !== undefined) return value;
    }
    if (held instanceof LinkValue) {
      const path = pathOf(held, this.#scope.lookup);
      return path === undefined ? null : (fileField(path, name, this.#scope.lookup) ?? null);
    }
    throw new ExpressionError(`A ${typeOf(held)} has no field ${JSON.stringify(name)}.`, start, end);
  }

  #call(call: CallExpression): Value {
    return call.callee.type === 'name' ? this.#function(call, call.callee) : this.#method(call, call.callee);
  }

  #function(call: CallExpression, { name, start, end }: NameExpression): Value {
    if (name === 'if') return this.#if(call);
    const found = Object.hasOwn(GLOBAL_FUNCTIONS, name) ? GLOBAL_FUNCTIONS[name] : undefined;
    if (found === undefined) {
      const hint = legacyHint(name);
      if (hint !== undefined) throw new ExpressionError(hint, start, end);
      throw unknownName(
        `There is no function ${name}()`,
        name,
        [...Object.keys(GLOBAL_FUNCTIONS), 'if'],
        start,
        end,
      );
    }
    checkArity(call, name, found);
    return found.run(this.#arguments(call), this.#context(call));
  }

  #if(call: CallExpression): Value {
    checkArity(call, 'if', { min: 2, max: 3 });
    const [condition, then, otherwise] = call.arguments;
    const chosen = condition !== undefined && isTruthy(this.#value(condition)) ? then : otherwise;
    return chosen === undefined ? null : this.#value(chosen);
  }

  #method(call: CallExpression, callee: MemberExpression): Value {
    const { name, start, end } = callee;
    const self = this.#value(callee.object);
    if (isList(self) && (LIST_LAMBDAS as readonly string[]).includes(name))
      return this.#lambda(call, name as ListLambda, self);
    const own = METHODS[typeOf(self)];
    const found = own !== undefined && Object.hasOwn(own, name) ? own[name] : undefined;
    if (found !== undefined) {
      checkArity(call, name, found);
      return found.run(self as never, this.#arguments(call), this.#context(call));
    }
    const general = Object.hasOwn(ANY_METHODS, name) ? ANY_METHODS[name] : undefined;
    if (general !== undefined) {
      checkArity(call, name, general);
      return general.run([self, ...this.#arguments(call)], this.#context(call));
    }
    if (self === null && isMethodName(name)) return nothingFrom(name);
    const names = [...Object.keys(own ?? {}), ...Object.keys(ANY_METHODS)];
    throw unknownName(`A ${typeOf(self)} has no method ${name}()`, name, names, start, end);
  }

  #lambda(call: CallExpression, name: ListLambda, list: readonly Value[]): Value {
    checkArity(call, name, name === 'reduce' ? { min: 2, max: 2 } : { min: 1, max: 1 });
    const [body, initial] = call.arguments;
    if (body === undefined) return null;
    const outer = this.#locals;
    const start = initial === undefined ? null : this.#value(initial);
    try {
      return runLambda(name, list, start, (value, index, accumulated) => {
        this.#locals = new Map([...outer, ['value', value], ['index', index]]);
        if (accumulated !== undefined) this.#locals = new Map([...this.#locals, ['acc', accumulated]]);
        return this.#value(body);
      });
    } finally {
      this.#locals = outer;
    }
  }

  #arguments(call: CallExpression): readonly Value[] {
    return call.arguments.map((argument) => this.#value(argument));
  }

  #context({ start, end }: CallExpression): CallContext {
    const { lookup, now, file } = this.#scope;
    return {
      lookup,
      now,
      source: file.path,
      spend: (steps) => this.#budget.step(start, end, steps),
      fail: (message) => {
        throw new ExpressionError(message, start, end);
      },
    };
  }
}

function resultOf(known: Value | ExpressionError, name: string, start: number, end: number): Value {
  if (known instanceof ExpressionError) throw inFormula(known, name, start, end);
  return known;
}

/** The error of a formula with the span of the reference to it, as it is shown beside the referring text. */
function inFormula(error: ExpressionError, name: string, start: number, end: number): ExpressionError {
  if (end === 0 || /circular reference/.test(error.message)) return error;
  const message = error.message.startsWith('formula.') ? error.message : `formula.${name}: ${error.message}`;
  return new ExpressionError(message, start, end);
}

function checkArity(
  { arguments: given, start, end }: CallExpression,
  name: string,
  callable: { min: number; max: number },
): void {
  const { min, max } = callable;
  if (given.length >= min && given.length <= max) return;
  const wanted =
    max === min ? String(min) : max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
  throw new ExpressionError(
    `${name}() takes ${wanted} argument${wanted === '1' ? '' : 's'}, not ${given.length}.`,
    start,
    end,
  );
}

/** Names of the methods of all types. */
const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(METHODS).flatMap((methods) => Object.keys(methods)),
  ...LIST_LAMBDAS,
]);

function isMethodName(name: string): boolean {
  return METHOD_NAMES.has(name);
}

/** The result of a method called on null: false for a predicate, null for any other. */
function nothingFrom(name: string): Value {
  return /^(?:contains|startsWith|endsWith|has|in[A-Z]|matches|linksTo)/.test(name) ? false : null;
}
