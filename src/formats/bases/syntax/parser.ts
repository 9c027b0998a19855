import { BINARY_OPERATORS, type BinaryOperator, type Expression } from './ast.ts';
import { ExpressionError } from './expression-error.ts';
import { type Token, tokens } from './lexer.ts';

/** Longest expression (UTF-16 code units) and deepest nesting that are parsed. */
const MAX_LENGTH = 100_000;
const MAX_DEPTH = 200;
/** Most member accesses, index accesses and calls in a row, which nest to the left. */
const MAX_CHAIN = 500;

/**
 * Parses an expression of a base: a filter, a formula or a summary.
 *
 * @throws ExpressionError with the span of the unexpected token
 */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_LENGTH)
    throw new ExpressionError(`The expression is longer than ${MAX_LENGTH} characters.`, 0, text.length);
  const parser = new Parser(tokens(text));
  return parser.whole();
}

/** A precedence-climbing (Pratt) parser: an operand, then operators of at least the requested precedence. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(found: readonly Token[]) {
    this.#tokens = found;
  }

  whole(): Expression {
    const token = this.#next();
    if (token.type === 'end') throw new ExpressionError('The expression is empty.', 0, 0);
    const expression = this.#binary(1);
    const after = this.#next();
    if (after.type !== 'end') throw unexpected(after);
    return expression;
  }

  #binary(lowest: number): Expression {
    return this.#deeper(() => {
      let left = this.#prefix();
      for (;;) {
        const { type, text } = this.#next();
        const level = type === 'operator' ? BINARY_OPERATORS[text as BinaryOperator] : undefined;
        if (level === undefined || level < lowest) return left;
        this.#take();
        const right = this.#binary(level + 1);
        left = {
          type: 'binary',
          operator: text as BinaryOperator,
          left,
          right,
          start: left.start,
          end: right.end,
        };
      }
    });
  }

  #prefix(): Expression {
    const token = this.#next();
    if (token.type === 'operator' && (token.text === '!' || token.text === '-')) {
      this.#take();
      const operand = this.#deeper(() => this.#prefix());
      return { type: 'unary', operator: token.text, operand, start: token.start, end: operand.end };
    }
    return this.#postfix(this.#primary());
  }

  #postfix(from: Expression): Expression {
    let expression = from;
    for (let length = 0; ; length += 1) {
      const token = this.#next();
      if (token.type !== 'operator') return expression;
      if (length > MAX_CHAIN && '.[('.includes(token.text))
        throw new ExpressionError(
          `More than ${MAX_CHAIN} members and calls follow one another.`,
          token.start,
          token.end,
        );
      if (token.text === '.') expression = this.#member(expression);
      else if (token.text === '[') expression = this.#index(expression);
      else if (token.text === '(') expression = this.#call(expression);
      else return expression;
    }
  }

  #member(object: Expression): Expression {
    this.#take();
    const name = this.#take();
    if (name.type !== 'name') throw unexpected(name, 'a name after the dot');
    return { type: 'member', object, name: name.text, start: object.start, end: name.end };
  }

  #index(object: Expression): Expression {
    this.#take();
    const index = this.#binary(1);
    const { end } = this.#expect(']');
    return { type: 'index', object, index, start: object.start, end };
  }

  #call(callee: Expression): Expression {
    const open = this.#take();
    if (callee.type !== 'name' && callee.type !== 'member')
      throw new ExpressionError('Only a function or a method can be called.', open.start, open.end);
    const found = this.#items(')');
    return { type: 'call', callee, arguments: found.items, start: callee.start, end: found.end };
  }

  #primary(): Expression {
    const { type, text, flags = '', start, end } = this.#take();
    switch (type) {
      case 'number':
        return { type: 'literal', value: Number(text), start, end };
      case 'string':
        return { type: 'literal', value: text, start, end };
      case 'regex':
        return { type: 'regex', source: text, flags, start, end };
      case 'name':
        return named(text, start, end);
      case 'operator':
        if (text === '(') return this.#group();
        if (text === '[') {
          const list = this.#items(']');
          return { type: 'list', items: list.items, start, end: list.end };
        }
        if (text === '{') return this.#object(start);
        throw unexpected({ type, text, start, end });
      case 'end':
        throw new ExpressionError('The expression ends too early: a value is missing.', start, end);
    }
  }

  #group(): Expression {
    const inner = this.#binary(1);
    this.#expect(')');
    return inner;
  }

  #object(start: number): Expression {
    const entries: { key: string; value: Expression }[] = [];
    while (!this.#sees('}')) {
      const key = this.#take();
      if (key.type !== 'string' && key.type !== 'name') throw unexpected(key, 'a key');
      this.#expect(':');
      entries.push({ key: key.text, value: this.#binary(1) });
      if (!this.#sees('}')) this.#expect(',');
    }
    const { end } = this.#take();
    return { type: 'object', entries, start, end };
  }

  /** Comma-separated expressions up to the closing bracket; a trailing comma is accepted. */
  #items(close: string): { items: readonly Expression[]; end: number } {
    const items: Expression[] = [];
    while (!this.#sees(close)) {
      items.push(this.#binary(1));
      if (!this.#sees(close)) this.#expect(',', close);
    }
    return { items, end: this.#take().end };
  }

  #deeper<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) {
      const { start, end } = this.#next();
      throw new ExpressionError(`The expression is nested more than ${MAX_DEPTH} deep.`, start, end);
    }
    const result = read();
    this.#depth--;
    return result;
  }

  #next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Error('The end of an expression is a token of its own.');
    return token;
  }

  #take(): Token {
    const token = this.#next();
    if (token.type !== 'end') this.#at++;
    return token;
  }

  #sees(operator: string): boolean {
    const { type, text } = this.#next();
    return type === 'operator' && text === operator;
  }

  #expect(operator: string, or?: string): Token {
    if (this.#sees(operator)) return this.#take();
    throw unexpected(this.#next(), or === undefined ? operator : `${operator} or ${or}`);
  }
}

function named(text: string, start: number, end: number): Expression {
  switch (text) {
    case 'true':
    case 'false':
      return { type: 'literal', value: text === 'true', start, end };
    case 'null':
      return { type: 'literal', value: null, start, end };
    default:
      return { type: 'name', name: text, start, end };
  }
}

function unexpected({ type, text, start, end }: Token, wanted?: string): ExpressionError {
  const found =
    type === 'end' ? 'The expression ends too early' : `${JSON.stringify(text)} cannot stand here`;
  return new ExpressionError(
    wanted === undefined ? `${found}.` : `${found}: ${wanted} is missing.`,
    start,
    end,
  );
}
