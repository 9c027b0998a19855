import * as z from 'zod';

const FORMATS = ['json', 'tsv', 'csv'] as const;

export const format = z
  .enum(FORMATS)
  .optional()
  .describe('Rows as JSON (default), or as text with tabs or commas');
export const totalOnly = z.boolean().optional().describe('Only the number');

type Row = Readonly<Record<string, unknown>>;

interface Shape {
  readonly format?: (typeof FORMATS)[number] | undefined;
  readonly total?: boolean | undefined;
}

/** Rows in the requested format, with their number. */
export function table(
  key: string,
  rows: readonly Row[],
  { format: as = 'json', total }: Shape,
): Record<string, unknown> {
  if (total === true) return { total: rows.length };
  if (as === 'json') return { [key]: rows, total: rows.length };
  const columns = Object.keys(rows[0] ?? {});
  const line = (row: Row) => columns.map((column) => cell(row[column], as)).join(as === 'tsv' ? '\t' : ',');
  return {
    output: [columns.join(as === 'tsv' ? '\t' : ','), ...rows.map(line)].join('\n'),
    total: rows.length,
  };
}

function cell(value: unknown, as: 'tsv' | 'csv'): string {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  if (as === 'tsv') return text.replace(/[\t\r\n]+/g, ' ');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** All rows of a paged list. */
export async function everyRow<Answer extends { readonly next_cursor: string | null }, One>(
  page: (cursor: string | undefined) => Promise<Answer>,
  rows: (answer: Answer) => readonly One[],
): Promise<One[]> {
  const all: One[] = [];
  let cursor: string | undefined;
  do {
    const answer = await page(cursor);
    all.push(...rows(answer));
    cursor = answer.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
