import { isScalar, type YAMLSeq } from 'yaml';
import { scalarText, type TextSplice } from './edit-text.ts';

interface Item {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Changes a list item by item: items that stay keep their quotes and comments, removed items lose their line,
 * new ones are appended.
 *
 * @returns undefined when that is impossible: the list must then be rewritten
 */
export function listSplices(
  source: string,
  list: YAMLSeq,
  wanted: readonly string[],
): readonly TextSplice[] | undefined {
  const items = list.items.flatMap((node): Item[] => {
    const range = isScalar(node) && typeof node.value === 'string' ? node.range : undefined;
    return isScalar(node) && range ? [{ value: String(node.value), start: range[0], end: range[1] }] : [];
  });
  if (items.length !== list.items.length || items.length === 0) return undefined;
  if (list.flow) return flowSplices(source, list, items, wanted);
  const kept = items.filter(({ value }) => wanted.includes(value));
  const added = wanted.slice(kept.length);
  const inOrder = kept.every(({ value }, at) => value === wanted[at]);
  if (!inOrder || kept.length === 0) return undefined;
  const lines = items.map((item) => lineOf(source, item));
  const [firstLine] = lines;
  if (firstLine === undefined || lines.some((line) => line === undefined)) return undefined;
  const removed = lines.filter((_, at) => !kept.includes(items[at] as Item)) as TextSplice[];
  const last = lines.at(-1);
  if (added.length === 0 || last === undefined) return removed;
  const dash = /^\s*-\s*/.exec(source.slice(firstLine.start))?.[0] ?? '- ';
  const eol = source.includes('\r\n') ? '\r\n' : '\n';
  const text = added.map((value) => `${dash}${scalarText(value, false)}${eol}`).join('');
  const isOpen = source[last.end - 1] !== '\n';
  return [...removed, { start: last.end, end: last.end, insert: isOpen ? eol + text : text }];
}

/** The line that contains only this item; undefined when the item shares its line or takes several. */
function lineOf(source: string, { start, end }: Item): TextSplice | undefined {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  const next = source.indexOf('\n', end);
  if (!/^\s*-\s+$/.test(source.slice(from, start)) || source.slice(start, end).includes('\n'))
    return undefined;
  return { start: from, end: next < 0 ? source.length : next + 1, insert: '' };
}

function flowSplices(
  source: string,
  list: YAMLSeq,
  items: readonly Item[],
  wanted: readonly string[],
): readonly TextSplice[] | undefined {
  const [start, end] = list.range ?? [0, 0];
  if (source.slice(start, end).includes('\n')) return undefined;
  const written = new Map(items.map((item) => [item.value, source.slice(item.start, item.end)]));
  const texts = wanted.map((value) => written.get(value) ?? scalarText(value, true));
  return [{ start, end, insert: `[${texts.join(', ')}]` }];
}
