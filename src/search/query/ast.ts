/**
 * A parsed query: Obsidian's search grammar as a tree. Plain words, phrases and regular
 * expressions are the leaves; everything else narrows where a leaf may match.
 */
export type QueryNode =
  | LeafNode
  | AndNode
  | OrNode
  | NotNode
  | FieldNode
  | CaseNode
  | SegmentNode
  | PropertyNode;

export type LeafNode = WordNode | PhraseNode | RegexNode;

export interface WordNode {
  readonly kind: 'word';
  /** As typed, punctuation included, without a closing `*`. */
  readonly text: string;
  /** Typed with a closing `*`. */
  readonly prefix: boolean;
}

export interface PhraseNode {
  readonly kind: 'phrase';
  /** Without the quotes, `\"` and `\\` unescaped. May be empty: `task:""`. */
  readonly text: string;
}

export interface RegexNode {
  readonly kind: 'regex';
  readonly source: string;
  /** Of `i`, `m`, `s`, `u`, `g`, as typed after the closing slash. */
  readonly flags: string;
}

export interface AndNode {
  readonly kind: 'and';
  readonly parts: readonly QueryNode[];
}

export interface OrNode {
  readonly kind: 'or';
  readonly parts: readonly QueryNode[];
}

export interface NotNode {
  readonly kind: 'not';
  readonly part: QueryNode;
}

/** `file:` the file's name, `path:` its whole path, `content:` its text, `tag:` its tags. */
export interface FieldNode {
  readonly kind: 'field';
  readonly field: 'file' | 'path' | 'content' | 'tag';
  readonly part: QueryNode;
}

export interface CaseNode {
  readonly kind: 'case';
  readonly sensitive: boolean;
  readonly part: QueryNode;
}

export type SegmentKind = 'line' | 'block' | 'section' | 'task' | 'task-todo' | 'task-done';

/** All of `part` inside one and the same line, block, section or task. */
export interface SegmentNode {
  readonly kind: 'segment';
  readonly segment: SegmentKind;
  readonly part: QueryNode;
}

/** `[name]`, `[name:value]`. */
export interface PropertyNode {
  readonly kind: 'property';
  /** A word or phrase is compared whole and case-insensitively; a regex is tested. */
  readonly name: LeafNode;
  readonly value: PropertyValue;
}

export type PropertyValue =
  | { readonly test: 'exists' }
  | { readonly test: 'null' }
  | Comparison
  | { readonly test: 'match'; readonly node: ValueNode };

export interface Comparison {
  readonly test: 'compare';
  readonly operator: '>' | '<' | '>=' | '<=';
  readonly operand: string;
}

/** What a property's value must satisfy: `a OR b`, `(>5 <9) OR null`. */
export type ValueNode =
  | LeafNode
  | { readonly kind: 'compare'; readonly comparison: Comparison }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ValueNode[] }
  | { readonly kind: 'not'; readonly part: ValueNode };

export interface ParsedQuery {
  /** undefined when nothing but operators and punctuation was typed. */
  readonly root: QueryNode | undefined;
  /** What had to be cut or could not be understood, one sentence each. */
  readonly notices: readonly string[];
}

/** Operators that name where to look, as typed before the colon, in lower case. */
export const OPERATORS = [
  'file',
  'path',
  'content',
  'match-case',
  'ignore-case',
  'tag',
  'line',
  'block',
  'section',
  'task',
  'task-todo',
  'task-done',
] as const;

export type OperatorName = (typeof OPERATORS)[number];
