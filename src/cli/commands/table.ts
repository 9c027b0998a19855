import type { OutputStyle } from './output.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column is at least so wide before others give way. */
const LEAST = 8;
const GAP = 2;

/** Rows of a list as aligned columns; when the terminal is too narrow the widest columns are cut. */
export function table(
  rows: readonly unknown[],
  { colour, width }: Pick<OutputStyle, 'colour' | 'width'>,
): string {
  const records = rows.filter(isRecord);
  const keys = [...new Set(records.flatMap((row) => Object.keys(row)))];
  const cells = records.map((row) => keys.map((key) => cellOf(row[key])));
  const columns = keys.filter((_, at) => cells.some((line) => line[at] !== ''));
  const kept = cells.map((line) => line.filter((_, at) => columns.includes(keys[at] ?? '')));
  const natural = columns.map((name, at) =>
    Math.max(name.length, ...kept.map((line) => displayWidth(line[at] ?? ''))),
  );
  const widths = fitted(natural, width);
  const format = (line: readonly string[]) =>
    line.map((cell, at) => padded(cell, widths[at] ?? 0, at === line.length - 1)).join(' '.repeat(GAP));
  const head = format(columns.map((name) => name.replaceAll('_', ' ')));
  return [colour ? `\u001b[36m${head}\u001b[39m` : head, ...kept.map(format)]
    .map((line) => line.trimEnd())
    .join('\n');
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cellOf).join(', ');
  if (isRecord(value)) return Object.values(value).map(cellOf).join(':');
  return String(value).replace(/\s+/g, ' ').trim();
}

/** Takes from the widest column until the line fits or every column is at its least. */
function fitted(natural: readonly number[], width: number | undefined): number[] {
  const widths = [...natural];
  if (width === undefined) return widths;
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP * (widths.length - 1) - width;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= LEAST) break;
    const second = Math.max(LEAST, ...widths.filter((each) => each < widest));
    const at = widths.indexOf(widest);
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
  for (const { segment } of segmenter.segment(cell)) {
    const next = displayWidth(segment);
    if (used + next > width - 1) break;
    text += segment;
    used += next;
  }
  return `${text}…${isLast ? '' : ' '.repeat(width - used - 1)}`;
}

const segmenter = new Intl.Segmenter();
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Columns a text takes on a terminal. */
function displayWidth(text: string): number {
  if (/^[\u0000-\u02ff]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
