import type { LeafNode, PropertyNode, PropertyValue, QueryNode } from './ast.ts';
import { readPhrase, readRegex } from './lexer.ts';

const COMPARISON = /^(>=|<=|>|<)\s*(\S.*)$/s;

/** Reads what stands between `[` and `]`; see {@link PropertyNode}. */
export function parseProperty(content: string): PropertyNode {
  const { leaf: name, end } = readName(content);
  const rest = content.slice(end).trimStart();
  return {
    kind: 'property',
    name,
    value: rest.startsWith(':') ? readValue(rest.slice(1).trim()) : { test: 'exists' },
  };
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
  if (source === '') return { test: 'exists' };
  if (source.toLowerCase() === 'null') return { test: 'null' };
  const comparison = COMPARISON.exec(source);
  if (comparison) {
    const [, operator, operand = ''] = comparison;
    return { test: 'compare', operator: operator as '>' | '<' | '>=' | '<=', operand: operand.trim() };
  }
  const node = readMatch(source);
  return node ? { test: 'match', node } : { test: 'exists' };
}

/** `a OR b`, `"exact"`, `/regex/`, `-x`, several words; parentheses are plain here. */
function readMatch(source: string): QueryNode | undefined {
  const alternatives: QueryNode[][] = [[]];
  let at = 0;
  while (at < source.length) {
    if (/\s/.test(source.charAt(at))) {
      at += 1;
      continue;
    }
    const negated = source.charAt(at) === '-' && /[^\s-]/.test(source.charAt(at + 1));
    const read = readLeaf(source, negated ? at + 1 : at);
    at = read.end;
    if (read.leaf.kind === 'word' && read.leaf.text === 'OR' && !negated) alternatives.push([]);
    else alternatives.at(-1)?.push(negated ? { kind: 'not', part: read.leaf } : read.leaf);
  }
  const parts = alternatives.filter((part) => part.length > 0).map((part) => node('and', part));
  return parts.length > 0 ? node('or', parts) : undefined;
}

function readLeaf(source: string, start: number): { leaf: LeafNode; end: number } {
  const first = source.charAt(start);
  if (first === '"') {
    const { text, end } = readPhrase(source, start);
    return { leaf: { kind: 'phrase', text }, end };
  }
  const regex = first === '/' ? readRegex(source, start) : undefined;
  if (regex) return { leaf: { kind: 'regex', source: regex.source, flags: regex.flags }, end: regex.end };
  let end = start + 1;
  while (end < source.length && !/\s/.test(source.charAt(end))) end += 1;
  return { leaf: { kind: 'word', text: source.slice(start, end), prefix: false }, end };
}

function node(kind: 'and' | 'or', parts: readonly QueryNode[]): QueryNode {
  const [only] = parts;
  return only && parts.length === 1 ? only : { kind, parts };
}
