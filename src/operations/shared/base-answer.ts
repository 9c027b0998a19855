import type { BaseFile } from '../../formats/bases/file/base-file.ts';
import { ExpressionError } from '../../formats/bases/syntax/expression-error.ts';
import { toText } from '../../formats/bases/values/compare.ts';
import { plainValue } from '../../formats/bases/values/plain.ts';
import type { Value } from '../../formats/bases/values/value.ts';
import { canonicalId, readPropertyId } from '../../formats/bases/view/property-id.ts';
import type { Cell, ViewResult, ViewRow } from '../../formats/bases/view/run-view.ts';
import { extension } from '../../notes/path.ts';

/** A page of a view as plain data. */
export interface BaseAnswer {
  readonly columns: { id: string; name: string }[];
  readonly rows: AnswerRow[];
  readonly errors: { path: string; column: string; message: string }[];
  readonly groups: { key: string | null; rows: number; summaries: SummaryRow[] }[] | undefined;
  readonly summaries: SummaryRow[];
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

/** Converts the result of a view to plain data. */
export function answerOf(result: ViewResult, base: BaseFile): BaseAnswer {
  const { columns, rows } = result;
  return {
    columns: columns.map((id) => ({ id, name: displayName(id, base) })),
    rows: rows.map((row) => rowOf(row, columns)),
    errors: rows.flatMap((row) => errorsOf(row, columns)),
    groups: result.groups?.map((group) => ({
      key: groupKey(group.key),
      rows: group.files.length,
      summaries: summariesOf(group.summaries, base, result),
    })),
    summaries: summariesOf(result.summaries, base, result),
  };
}

function groupKey(key: Value): string | null {
  return key === null ? null : toText(key);
}

function rowOf({ facts, cells, group }: ViewRow, columns: readonly string[]): AnswerRow {
  return {
    path: facts.path,
    ...(group !== undefined && { group: groupKey(group) }),
    values: Object.fromEntries(columns.map((id, at) => [id, shownCell(id, cells[at] ?? null)])),
  };
}

/** Notes are shown without their extension. */
function shownCell(id: string, cell: Cell): unknown {
  if (cell instanceof ExpressionError) return null;
  const isName = canonicalId(id) === 'file.name' && typeof cell === 'string';
  return isName && extension(cell) === 'md' ? cell.slice(0, -3) : plainValue(cell);
}

function errorsOf({ facts, cells }: ViewRow, columns: readonly string[]) {
  return columns.flatMap((column, at) => {
    const cell = cells[at];
    return cell instanceof ExpressionError ? [{ path: facts.path, column, message: cell.message }] : [];
  });
}

function summariesOf(
  found: ReadonlyMap<string, Cell>,
  base: BaseFile,
  { summaryNames }: ViewResult,
): SummaryRow[] {
  return [...found].map(([id, cell]) => ({
    column: displayName(id, base),
    summary: summaryNames.get(id) ?? '',
    value: cell instanceof ExpressionError ? `error: ${cell.message}` : plainValue(cell),
  }));
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
