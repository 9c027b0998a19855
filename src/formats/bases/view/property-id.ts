import type { Expression } from '../syntax/ast.ts';

/** A parsed column id: a field of the file, a formula, or a property of the note. */
export type PropertyId =
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'formula'; readonly name: string }
  | { readonly kind: 'note'; readonly name: string };

/**
 * Parses `file.name`, `formula.Type icon`, `note.rating`, `note["Price ($)"]`; any other text names a property.
 */
export function readPropertyId(id: string): PropertyId {
  const [, prefix = '', rest = ''] = /^(file|formula|note)(?:\.|(?=\[))(.+)$/s.exec(id.trim()) ?? [];
  const name = /^\[\s*(["'])(.*)\1\s*\]$/s.exec(rest)?.[2] ?? rest;
  if (prefix === 'file' || prefix === 'formula') return { kind: prefix, name };
  return { kind: 'note', name: prefix === '' ? id.trim() : name };
}

/** The normal form of a column id: `rating` becomes `note.rating`. */
export function canonicalId(id: string): string {
  const { kind, name } = readPropertyId(id);
  return `${kind}.${name}`;
}

/** The expression whose values a column shows. */
export function columnExpression(id: string): Expression {
  const { kind, name } = readPropertyId(id);
  const place = { start: 0, end: id.length };
  return { type: 'member', object: { type: 'name', name: kind, ...place }, name, ...place };
}
