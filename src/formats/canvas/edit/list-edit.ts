import type { Span } from '../../../notes/model.ts';
import type { Splice } from '../../../notes/splice.ts';
import type { ListLayout } from './layout.ts';

/** What becomes of the parts of a list or of an object: entries or members. */
export interface ListChange {
  /** The brackets, and what is between. */
  readonly span: Span;
  /** The parts there are, in source order. */
  readonly parts: readonly Span[];
  /** New text of a part by its place, `undefined` = taken out. */
  readonly changed: ReadonlyMap<number, string | undefined>;
  /** Parts that are added, each before the part of that place; the number of parts = at the end. In order. */
  readonly added: readonly { readonly before: number; readonly text: string }[];
  /** How a part is set apart where the list has no example. */
  readonly layout: ListLayout;
}

/**
 * The splices that make a change of a list of JSON values, commas and white space included: what is not named stays as
 * it is, byte for byte, and what is added is set apart as its neighbours are.
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

/** Takes parts out with the comma behind them, those behind the last one that stays with the comma before. */
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

/** Nothing of what there was is left. */
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
 * Splices in order. What is added at a place where something is taken out, or where a part is rewritten, becomes one
 * splice with it: for a text two splices at one place have no order.
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
