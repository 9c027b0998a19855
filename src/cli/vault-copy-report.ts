import type { CopyReport, Count } from '../copy/report.ts';
import { terminalWidth, wrapped } from './commands/wrap.ts';

/** Most rows of a list in the text; JSON has all of them. */
const SHOWN = 40;

/** The report with the field names of the JSON output. */
export function reportAsJson(report: CopyReport): object {
  const { dryRun, notCarried, ...rest } = report;
  return { ...rest, dry_run: dryRun, not_carried: notCarried };
}

/** The report as text. @param width columns of the terminal; undefined = unlimited */
export function reportAsText(report: CopyReport, width: number | undefined = terminal()): string {
  const { dryRun, notes, attachments, folders, links, notCarried, differences, remarks, ms } = report;
  const counts = [
    counted('notes', notes),
    counted('attachments', attachments),
    ...(folders.copied + folders.there > 0 ? [counted('empty folders', folders)] : []),
  ];
  const spelled =
    links.respelled > 0 ? `, ${links.respelled} of them would come back spelled another way` : '';
  const lines = [
    ...list(
      'Not carried',
      notCarried.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...list(
      'Carried, but',
      differences.map(({ path, detail }) => `${path}: ${detail}`),
    ),
    ...remarks,
    `${dryRun ? 'Would copy' : 'Copied'} ${counts.join(', ')}. ${links.mapped} links written anew${spelled}.`,
    ...(dryRun
      ? ['Nothing was written. Run it without --dry-run to copy.']
      : [`Took ${(ms / 1000).toFixed(1)} s.`]),
  ];
  return `${lines.map((line) => wrapped(line, width)).join('\n')}\n`;
}

function counted(what: string, { copied, there }: Count): string {
  return `${copied} ${what}${there > 0 ? ` (${there} were there already)` : ''}`;
}

function list(head: string, rows: readonly string[]): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length > SHOWN ? [`  and ${rows.length - SHOWN} more, with --json`] : [];
  return [`${head}:`, ...rows.slice(0, SHOWN).map((row) => `  ${row}`), ...more];
}

function terminal(): number | undefined {
  return process.stdout.isTTY ? terminalWidth(process.stdout.columns) : undefined;
}
