import type { LeafNode, PropertyNode, QueryNode, SegmentKind } from './ast.ts';

/**
 * A query in negation normal form: `not` only at the leaves, `content:`, `file:`, `path:`, `tag:`
 * and case pushed down to them. What the planner splits and the evaluator walks.
 */
export type Normal =
  | Literal
  | { readonly kind: 'and'; readonly parts: readonly Normal[] }
  | { readonly kind: 'or'; readonly parts: readonly Normal[] };

export interface Literal {
  readonly kind: 'literal';
  readonly negated: boolean;
  readonly test: LiteralTest;
}

export type LiteralTest =
  | {
      readonly kind: 'leaf';
      readonly leaf: LeafNode;
      /** Without a field: the text and the path. */
      readonly field: 'file' | 'path' | 'content' | 'tag' | undefined;
      readonly sensitive: boolean;
    }
  | { readonly kind: 'segment'; readonly segment: SegmentKind; readonly part: Normal }
  | { readonly kind: 'property'; readonly property: PropertyNode; readonly sensitive: boolean };

interface Context {
  readonly negated: boolean;
  readonly field: 'file' | 'path' | 'content' | 'tag' | undefined;
  readonly sensitive: boolean;
}

export function normalize(root: QueryNode): Normal {
  return visit(root, { negated: false, field: undefined, sensitive: false });
}

function visit(node: QueryNode, context: Context): Normal {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const kind = (node.kind === 'and') === context.negated ? 'or' : 'and';
      return { kind, parts: node.parts.map((part) => visit(part, context)) };
    }
    case 'not':
      return visit(node.part, { ...context, negated: !context.negated });
    case 'field':
      return visit(node.part, { ...context, field: node.field });
    case 'case':
      return visit(node.part, { ...context, sensitive: node.sensitive });
    case 'segment': {
      const part = visit(node.part, { ...context, negated: false });
      return literal(context, { kind: 'segment', segment: node.segment, part });
    }
    case 'property':
      return literal(context, { kind: 'property', property: node, sensitive: context.sensitive });
    default:
      return literal(context, {
        kind: 'leaf',
        leaf: node,
        field: context.field,
        sensitive: context.sensitive,
      });
  }
}

function literal(context: Context, test: LiteralTest): Literal {
  return { kind: 'literal', negated: context.negated, test };
}

/**
 * Alternatives of things that must all hold. An `or` whose expansion would give more than `limit`
 * alternatives stays whole, to be evaluated on the text.
 */
export function alternatives(normal: Normal, limit: number): Normal[][] {
  if (normal.kind === 'literal') return [[normal]];
  if (normal.kind === 'or') {
    const all = normal.parts.flatMap((part) => alternatives(part, limit));
    return all.length > limit ? [[normal]] : all;
  }
  let product: Normal[][] = [[]];
  for (const part of normal.parts) {
    const options = alternatives(part, limit);
    if (product.length * options.length > limit) product = product.map((row) => [...row, part]);
    else product = product.flatMap((row) => options.map((option) => [...row, ...option]));
  }
  return product;
}

/** Every literal of a tree, with its sign. */
export function* literals(normal: Normal): Generator<Literal> {
  if (normal.kind === 'literal') yield normal;
  else for (const part of normal.parts) yield* literals(part);
}
