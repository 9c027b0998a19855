import { isRecord } from '../../is-record.ts';

/** Smallest width of a shortened column, terminal columns. */
const MIN_WIDTH = 8;
const GAP = 2;
/** Numbers, words and times up to this width are shortened last, as a part of one is useless. */
const SHORT = 16;

/** Columns of prose, which are shortened first. */
const PROSE: ReadonlySet<string> = new Set(['title', 'tags', 'context', 'summary', 'paths', 'sources']);
/** Columns that identify a row for the next command, which are shortened after other long ones. */
const NAMES: ReadonlySet<string> = new Set(['path', 'source', 'target', 'trash_path', 'original_path']);

/**
 * Formats rows as aligned columns. When the terminal is too narrow, prose is shortened first, then other long
 * columns, then names.
 *
 * @param width columns of the terminal; undefined = unlimited, with values in their machine-readable form
 */
export function table(
  rows: readonly unknown[],
  { colour, width }: { readonly colour: boolean; readonly width: number | undefined },
): string {
  const records = rows.filter(isRecord);
  const keys = [...new Set(records.flatMap((row) => Object.keys(row)))];
  const cells = records.map((row) => keys.map((key) => cellOf(row[key], width !== undefined)));
  const columns = keys.filter((_, at) => cells.some((line) => line[at] !== ''));
  const kept = cells.map((line) => line.filter((_, at) => columns.includes(keys[at] ?? '')));
  const natural = columns.map((name, at) =>
    Math.max(name.length, ...kept.map((line) => displayWidth(line[at] ?? ''))),
  );
  const widths = fitted(natural, columns, width);
  const format = (line: readonly string[]) =>
    line.map((cell, at) => padded(cell, widths[at] ?? 0, at === line.length - 1)).join(' '.repeat(GAP));
  const head = format(columns.map((name) => name.replaceAll('_', ' ')));
  return [colour ? `\u001b[36m${head}\u001b[39m` : head, ...kept.map(format)]
    .map((line) => line.trimEnd())
    .join('\n');
}

/**
 * The text of a cell.
 *
 * @param forEyes prints times in the local time zone, true as `yes` and false as nothing
 */
function cellOf(value: unknown, forEyes: boolean): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((item) => cellOf(item, forEyes)).join(', ');
  if (isRecord(value))
    return Object.values(value)
      .map((item) => cellOf(item, forEyes))
      .join(':');
  if (forEyes && typeof value === 'boolean') return value ? 'yes' : '';
  if (forEyes && typeof value === 'string' && TIME.test(value)) return localTime(new Date(value));
  return String(value).replace(/\s+/g, ' ').trim();
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function localTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** Column widths that fit the terminal: shortens prose, then other long columns, then names, then the rest. */
function fitted(
  natural: readonly number[],
  columns: readonly string[],
  width: number | undefined,
): readonly number[] {
  if (width === undefined) return natural;
  const isShort = (at: number) => (natural[at] ?? 0) <= SHORT && !PROSE.has(columns[at] ?? '');
  const orders = [
    (at: number) => PROSE.has(columns[at] ?? ''),
    (at: number) => !isShort(at) && !NAMES.has(columns[at] ?? ''),
    (at: number) => NAMES.has(columns[at] ?? ''),
    isShort,
  ];
  return orders.reduce((widths: readonly number[], mayShrink) => shrunk(widths, width, mayShrink), natural);
}

/** Shortens the widest of some columns until the line fits or each has the smallest width. */
function shrunk(
  natural: readonly number[],
  width: number,
  mayShrink: (at: number) => boolean,
): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP * (widths.length - 1) - width;
  while (excess > 0) {
    const candidates = widths.filter((each, at) => mayShrink(at) && each > MIN_WIDTH);
    if (candidates.length === 0) break;
    const widest = Math.max(...candidates);
    const second = Math.max(MIN_WIDTH, ...candidates.filter((each) => each < widest));
    const at = widths.findIndex((each, index) => each === widest && mayShrink(index));
    const cut = Math.max(1, Math.min(excess, widest - second));
    widths[at] = widest - cut;
    excess -= cut;
  }
  return widths;
}

function padded(cell: string, width: number, isLast: boolean): string {
  const size = displayWidth(cell);
  if (size <= width) return isLast ? cell : cell + ' '.repeat(width - size);
  let text = '';
  let used = 0;
  for (const { segment } of graphemes().segment(cell)) {
    const next = displayWidth(segment);
    if (used + next > width - 1) break;
    text += segment;
    used += next;
  }
  return `${text}…${isLast ? '' : ' '.repeat(width - used - 1)}`;
}

let segmenter: Intl.Segmenter | undefined;

/** Created on first use, as it takes a while and every command loads this file. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter();
  return segmenter;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** The width of a text on a terminal, columns. */
export function displayWidth(text: string): number {
  if (/^[\u0000-\u02ff]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes().segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
