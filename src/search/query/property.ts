import type { Comparison, LeafNode, PropertyNode, PropertyValue, QueryNode, ValueNode } from './ast.ts';
import { readPhrase, readRegex } from './lexer.ts';

/** A comparison with its operand: a date with its time, a quoted text, or what goes up to a space or parenthesis. */
const COMPARISON = /(>=|<=|>|<)\s*(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?|"[^"]*"|[^\s()<>"][^\s()]*)/y;
/** Parentheses deeper than this are read as if they were not there. */
const MAX_DEPTH = 32;

/** Reads what stands between `[` and `]`; see {@link PropertyNode}. Names with `OR` between them are alternatives. */
export function parseProperty(content: string): QueryNode {
  const { leaf, end } = readName(content);
  const rest = content.slice(end).trimStart();
  const value: PropertyValue = rest.startsWith(':') ? readValue(rest.slice(1).trim()) : { test: 'exists' };
  const [first = leaf, ...others] = namesOf(leaf);
  const property = (name: LeafNode): PropertyNode => ({ kind: 'property', name, value });
  return others.length === 0 ? property(first) : { kind: 'or', parts: [first, ...others].map(property) };
}

/** `(due OR scheduled)` as its two names; any other name as it is. */
function namesOf(name: LeafNode): LeafNode[] {
  if (name.kind !== 'word') return [name];
  const inner = /^\((.*)\)$/s.exec(name.text)?.[1] ?? name.text;
  const names = inner.split(/\s+OR\s+/).map((text) => text.trim());
  if (names.includes('') || inner.includes('(')) return [name];
  return names.map((text) => ({ kind: 'word', text, prefix: false }));
}

function readName(content: string): { leaf: LeafNode; end: number } {
  const start = content.length - content.trimStart().length;
  const first = content.charAt(start);
  if (first === '"') {
    const { text, end } = readPhrase(content, start);
    return { leaf: { kind: 'phrase', text }, end };
  }
  if (first === '/') {
    const close = content.indexOf('/:', start + 1);
    const end = close >= 0 ? close + 1 : content.trimEnd().endsWith('/') ? content.trimEnd().length : 0;
    const regex = readRegex(content.slice(0, end), start);
    if (regex) return { leaf: { kind: 'regex', source: regex.source, flags: regex.flags }, end };
  }
  const colon = content.indexOf(':');
  const end = colon < 0 ? content.length : colon;
  return { leaf: { kind: 'word', text: content.slice(0, end).trim(), prefix: false }, end };
}

function readValue(source: string): PropertyValue {
  const node = new ValueReader(source).read();
  if (node === undefined) return { test: 'exists' };
  if (node.kind === 'compare') return node.comparison;
  if (node.kind === 'word' && node.text.toLowerCase() === 'null') return { test: 'null' };
  return { test: 'match', node };
}

/** `a OR b`, `"exact"`, `/regex/`, `-x`, `>5`, several words, and groups of these in parentheses. */
class ValueReader {
  #at = 0;
  #depth = 0;

  constructor(private readonly source: string) {}

  /** Up to the end, or to the parenthesis that closes the group. */
  read(): ValueNode | undefined {
    const alternatives: ValueNode[][] = [[]];
    while (this.#at < this.source.length) {
      const char = this.source.charAt(this.#at);
      if (/\s/.test(char)) this.#at += 1;
      else if (char === ')' && this.#depth > 0) break;
      else {
        const part = this.#operand();
        if (part === 'OR') alternatives.push([]);
        else if (part !== undefined) alternatives.at(-1)?.push(part);
      }
    }
    const parts = alternatives.filter((part) => part.length > 0).map((part) => joined('and', part));
    return parts.length > 0 ? joined('or', parts) : undefined;
  }

  #operand(): ValueNode | 'OR' | undefined {
    const negated = this.source.charAt(this.#at) === '-' && /[^\s-]/.test(this.source.charAt(this.#at + 1));
    if (negated) this.#at += 1;
    const part = this.source.charAt(this.#at) === '(' ? this.#group() : (this.#comparison() ?? this.#leaf());
    if (part?.kind === 'word' && part.text === 'OR' && !negated) return 'OR';
    return negated && part !== undefined ? { kind: 'not', part } : part;
  }

  #group(): ValueNode | undefined {
    this.#at += 1;
    if (this.#depth >= MAX_DEPTH) return undefined;
    this.#depth += 1;
    const node = this.read();
    this.#depth -= 1;
    if (this.source.charAt(this.#at) === ')') this.#at += 1;
    return node;
  }

  #comparison(): ValueNode | undefined {
    COMPARISON.lastIndex = this.#at;
    const match = COMPARISON.exec(this.source);
    if (match === null) return undefined;
    const [whole, operator, operand = ''] = match;
    this.#at += whole.length;
    return {
      kind: 'compare',
      comparison: { test: 'compare', operator: operator as Comparison['operator'], operand },
    };
  }

  #leaf(): LeafNode {
    const first = this.source.charAt(this.#at);
    if (first === '"') {
      const { text, end } = readPhrase(this.source, this.#at);
      this.#at = end;
      return { kind: 'phrase', text };
    }
    const regex = first === '/' ? readRegex(this.source, this.#at) : undefined;
    if (regex) {
      this.#at = regex.end;
      return { kind: 'regex', source: regex.source, flags: regex.flags };
    }
    const start = this.#at;
    const ends = this.#depth > 0 ? /[\s)]/ : /\s/;
    do this.#at += 1;
    while (this.#at < this.source.length && !ends.test(this.source.charAt(this.#at)));
    return { kind: 'word', text: this.source.slice(start, this.#at), prefix: false };
  }
}

function joined(kind: 'and' | 'or', parts: readonly ValueNode[]): ValueNode {
  const [only] = parts;
  return only && parts.length === 1 ? only : { kind, parts };
}
