import type { BaseFile } from '../../formats/bases/file/base-file.ts';
import { ExpressionError } from '../../formats/bases/syntax/expression-error.ts';
import { toText } from '../../formats/bases/values/compare.ts';
import { plainValue } from '../../formats/bases/values/plain.ts';
import type { Value } from '../../formats/bases/values/value.ts';
import { canonicalId, readPropertyId } from '../../formats/bases/view/property-id.ts';
import type { Cell, ViewGroup, ViewResult, ViewRow } from '../../formats/bases/view/run-view.ts';
import { extension } from '../../notes/path.ts';

/** A page of a view as plain data. */
export interface BaseAnswer {
  readonly columns: { id: string; name: string }[];
  readonly rows: AnswerRow[];
  readonly errors: AnswerError[];
  readonly groups: AnswerGroup[] | undefined;
  /** Number of further groups, which did not fit. */
  readonly groupsLeftOut: number;
  readonly summaries: SummaryRow[];
}

interface AnswerError {
  path: string;
  column: string;
  message: string;
}

interface AnswerGroup {
  key: string | null;
  rows: number;
  summaries: SummaryRow[];
}

interface AnswerRow {
  path: string;
  /** Key of the row's group, when there are groups; null when its property is empty. */
  group?: string | null;
  values: Record<string, unknown>;
}

interface SummaryRow {
  column: string;
  summary: string;
  value: unknown;
}

/** Characters (UTF-16 code units of JSON) of one value; a longer one becomes an error of its cell. */
const MAX_VALUE = 20_000;
/**
 * The same of all rows, and of all groups: clients end a connection whose message is too long (10 MB in the
 * SDK's stdio client). The rest of the rows is on the next page; one row is always answered.
 */
const MAX_ROWS = 1_000_000;
const MAX_KEY = 1000;

/** Converts the result of a view to plain data: as many of its rows and groups as fit an answer. */
export function answerOf(result: ViewResult, base: BaseFile): BaseAnswer {
  const { columns } = result;
  const rows = fitting(result.rows, (row) => rowOf(row, columns));
  const groups = result.groups && fitting(result.groups, (group) => groupOf(group, base, result));
  return {
    columns: columns.map((id) => ({ id, name: displayName(id, base) })),
    rows: rows.map(({ row }) => row),
    errors: rows.flatMap(({ errors }) => errors),
    groups,
    groupsLeftOut: (result.groups?.length ?? 0) - (groups?.length ?? 0),
    summaries: summariesOf(result.summaries, base, result),
  };
}

/** The first items, converted, whose JSON together is short enough; at least one. */
function fitting<Item, Plain>(items: readonly Item[], convert: (item: Item) => Plain): Plain[] {
  const taken: Plain[] = [];
  let characters = 0;
  for (const item of items) {
    const plain = convert(item);
    characters += JSON.stringify(plain).length;
    if (taken.length > 0 && characters > MAX_ROWS) break;
    taken.push(plain);
  }
  return taken;
}

function groupOf({ key, files, summaries }: ViewGroup, base: BaseFile, result: ViewResult): AnswerGroup {
  return { key: groupKey(key), rows: files.length, summaries: summariesOf(summaries, base, result) };
}

function groupKey(key: Value): string | null {
  if (key === null) return null;
  const text = toText(key);
  return text.length > MAX_KEY ? `${text.slice(0, MAX_KEY)}…` : text;
}

function rowOf({ facts, cells, group }: ViewRow, columns: readonly string[]) {
  const errors: AnswerError[] = [];
  const values = columns.map((id, at) => {
    const value = shownCell(id, cells[at] ?? null);
    if (!(value instanceof ExpressionError)) return [id, value] as const;
    errors.push({ path: facts.path, column: id, message: value.message });
    return [id, null] as const;
  });
  const row: AnswerRow = {
    path: facts.path,
    ...(group !== undefined && { group: groupKey(group) }),
    values: Object.fromEntries(values),
  };
  return { row, errors };
}

/** Notes are shown without their extension. */
function shownCell(id: string, cell: Cell): unknown {
  const isName = canonicalId(id) === 'file.name' && typeof cell === 'string';
  return isName && extension(cell) === 'md' ? cell.slice(0, -3) : shownValue(cell);
}

/** @returns the value as JSON data, or why it is not shown */
function shownValue(cell: Cell): unknown {
  if (cell instanceof ExpressionError) return cell;
  const value = plainValue(cell);
  const { length } = typeof value === 'string' ? value : JSON.stringify(value);
  if (length <= MAX_VALUE) return value;
  return new ExpressionError(`The value has ${length} characters; at most ${MAX_VALUE} are shown.`, 0, 0);
}

function summariesOf(
  found: ReadonlyMap<string, Cell>,
  base: BaseFile,
  { summaryNames }: ViewResult,
): SummaryRow[] {
  return [...found].map(([id, cell]) => {
    const value = shownValue(cell);
    return {
      column: displayName(id, base),
      summary: summaryNames.get(id) ?? '',
      value: value instanceof ExpressionError ? `error: ${value.message}` : value,
    };
  });
}

function displayName(id: string, { displayNames }: BaseFile): string {
  const wanted = canonicalId(id);
  for (const [other, name] of displayNames) if (canonicalId(other) === wanted) return name;
  const { kind, name } = readPropertyId(id);
  return kind === 'file' && name !== 'name' ? `file ${name}` : name;
}

/** One value on one line. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

/** A Markdown table, with the group of each row when there are groups. */
export function markdownOf(answer: BaseAnswer): string {
  const line = (parts: readonly unknown[]) =>
    `| ${parts.map((part) => cellText(part).replace(/\|/g, '\\|')).join(' | ')} |`;
  const [head = [], ...rows] = sheetOf(answer);
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** RFC 4180 with LF line ends. A cell that a spreadsheet would read as a formula is prefixed with a quote. */
export function csvOf(answer: BaseAnswer): string {
  const cell = (value: unknown) => {
    const text =
      value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return sheetOf(answer)
    .map((row) => row.map(cell).join(','))
    .join('\n');
}

/** The header and the rows. */
function sheetOf({ columns, rows, groups }: BaseAnswer): readonly (readonly unknown[])[] {
  const place = (path: string, group: string | null | undefined) =>
    groups === undefined ? [path] : [path, group ?? ''];
  return [
    [...place('path', 'group'), ...columns.map(({ name }) => name)],
    ...rows.map(({ path, group, values }) => [...place(path, group), ...columns.map(({ id }) => values[id])]),
  ];
}
