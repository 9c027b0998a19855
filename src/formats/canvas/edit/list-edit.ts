import type { Span } from '../../../notes/model.ts';
import type { Splice } from '../../../notes/splice.ts';
import type { ListLayout } from './layout.ts';

/** A change of the parts of a JSON list (entries) or object (members). */
export interface ListChange {
  /** The list or object, brackets included. */
  readonly span: Span;
  /** The existing parts, in source order. */
  readonly parts: readonly Span[];
  /** New text of a part by its index; `undefined` removes the part. */
  readonly changed: ReadonlyMap<number, string | undefined>;
  /** New parts in order, each inserted before the part of that index; the number of parts appends. */
  readonly added: readonly { readonly before: number; readonly text: string }[];
  /** The text between parts, used for added parts. */
  readonly layout: ListLayout;
}

/**
 * The splices for a change of a JSON list or object, commas and white space included. All other bytes stay;
 * added parts are separated by the given layout.
 */
export function listSplices(change: ListChange): readonly Splice[] {
  const { span, parts, changed, added, layout } = change;
  const kept = parts.flatMap((part, at) =>
    changed.has(at) && changed.get(at) === undefined ? [] : [{ part, at }],
  );
  if (kept.length === 0) return emptied(span, parts, added, layout);
  const splices: Splice[] = [];
  for (const { part, at } of kept) {
    const text = changed.get(at);
    if (text !== undefined) splices.push({ ...part, insert: text });
  }
  splices.push(...removals(parts, kept));
  const lastKept = kept.at(-1);
  for (const { before, text } of added) {
    const next = kept.find(({ at }) => at >= before);
    if (next !== undefined)
      splices.push({ start: next.part.start, end: next.part.start, insert: text + layout.between });
    else if (lastKept !== undefined)
      splices.push({ start: lastKept.part.end, end: lastKept.part.end, insert: layout.between + text });
  }
  return joined(splices);
}

/** Removes parts with the comma after them; parts after the last kept one with the comma before them. */
function removals(
  parts: readonly Span[],
  kept: readonly { readonly part: Span; readonly at: number }[],
): Splice[] {
  const splices: Splice[] = [];
  let from = 0;
  for (const { part, at } of kept) {
    const first = parts[from];
    if (at > from && first !== undefined) splices.push({ start: first.start, end: part.start, insert: '' });
    from = at + 1;
  }
  const lastKept = kept.at(-1)?.part;
  const last = parts.at(-1);
  if (from < parts.length && lastKept !== undefined && last !== undefined)
    splices.push({ start: lastKept.end, end: last.end, insert: '' });
  return splices;
}

/** The splices when no existing part is kept. */
function emptied(
  span: Span,
  parts: readonly Span[],
  added: ListChange['added'],
  { open, between, close }: ListLayout,
): readonly Splice[] {
  const inner = { start: span.start + 1, end: span.end - 1 };
  if (added.length > 0) {
    const texts = added.map(({ text }) => text).join(between);
    return [{ ...inner, insert: `${open}${texts}${close}` }];
  }
  return parts.length === 0 ? [] : [{ ...inner, insert: '' }];
}

/**
 * Sorts splices by position. An insertion that touches a removal or a replaced part is merged with it, as two
 * splices at one position have no order.
 */
function joined(splices: readonly Splice[]): readonly Splice[] {
  const ordered = splices
    .map((splice, at) => ({ ...splice, at }))
    .sort((a, b) => a.start - b.start || a.end - b.end || a.at - b.at);
  const result: { start: number; end: number; insert: string }[] = [];
  for (const { start, end, insert } of ordered) {
    const last = result.at(-1);
    if (last !== undefined && start === last.end && (start === last.start || last.start === last.end)) {
      last.end = end;
      last.insert += insert;
    } else result.push({ start, end, insert });
  }
  return result;
}
