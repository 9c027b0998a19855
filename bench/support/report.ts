import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The page with what was measured last. */
export const PERFORMANCE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

/** Where and under what load the numbers were taken: without it they mean nothing. */
export function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const today = new Date().toISOString().slice(0, 10);
  return `${today}, Node ${process.versions.node}, ${process.platform} ${release().split('-')[0]}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${memory} GB`;
}

/** Load average of the last minute, one digit. Above the number of processors, others were waited for. */
export function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

/** A Markdown table; the first column is text, what follows is aligned right. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align = '---:',
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(header),
    `| ${header.map((_, at) => (at === 0 ? '---' : align)).join(' | ')} |`,
    ...rows.map(line),
  ].join('\n');
}

/**
 * Puts a result into a page, between `<!-- name -->` and `<!-- /name -->`.
 * @throws Error when the page has no such place
 */
export function publish(file: string, name: string, text: string): void {
  const page = readFileSync(file, 'utf8');
  const open = `<!-- ${name} -->`;
  const from = page.indexOf(open);
  const to = page.indexOf(`<!-- /${name} -->`, from);
  if (from === -1 || to === -1) throw new Error(`${file} has no place named ${name}.`);
  writeFileSync(file, `${page.slice(0, from + open.length)}\n${text}\n${page.slice(to)}`);
}

/** Progress goes to standard error, so that standard output is the result alone. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
