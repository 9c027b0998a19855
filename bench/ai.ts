/**
 * What the builtin provider answers, measured from outside: the built binary over standard input and output, on the
 * questions of bench/retrieval. Of each question: is the right note cited, is the quote from the right section, and is
 * every quote in the file, to the character? Beside it what vault_search shows among its first five. Then fifty
 * summaries: do they keep their length, and does every sentence stand where it says?
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/ai.ts [--write]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readKnownItems } from './retrieval/known-items.ts';
import { onRealVaults } from './support/builtin.ts';
import type { McpProcess } from './support/mcp-process.ts';
import { milliseconds, quantile } from './support/numbers.ts';
import { machine, progress, publish, table } from './support/report.ts';
import { vectorsReady } from './support/watch.ts';

const SETS = ['silverbullet-docs', 'powershell-docs'];
/** Questions that none of the two handbooks answers. */
const FOREIGN = [
  'how long should sourdough rest before baking',
  'which vaccines does a kitten need in its first year',
  'what is the capital of Mongolia',
  'how do I tune the strings of a violin',
  'when were the Olympic games in Helsinki',
  'best month to prune apple trees',
  'how many moons does Jupiter have',
  'recipe for a vegetarian lasagne',
  'who painted the ceiling of the Sistine chapel',
  'treatment of a sprained ankle',
];
const LENGTHS = { short: 3, medium: 7, long: 15 };

interface Citation {
  readonly path: string;
  readonly line_start: number;
  readonly line_end: number;
  readonly quote: string;
}

const { values: flags } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const questionRows: string[][] = [];
const summaryRows: string[][] = [];
let missed = 0;

await onRealVaults(SETS, async (name, vault, server) => {
  await vectorsReady(server);
  progress(`${name}: ready`);
  await measureQuestions(name, vault, server);
  await measureSummaries(name, vault, server);
});
const result = [
  machine(),
  table(
    [
      'questions',
      'asked',
      'right note among the first 5 of search',
      'right note cited',
      'right section shown by search',
      'right section quoted',
      'quotes',
      'exact',
      'answered "not in your notes"',
      'the same of foreign questions',
      'p50 ms',
      'p95 ms',
    ],
    questionRows,
  ),
  table(
    ['summaries', 'notes', 'length', 'sentences at most', 'longest', 'quotes', 'exact', 'p50 ms', 'p95 ms'],
    summaryRows,
  ),
].join('\n\n');
console.log(result);
if (flags.write) publish(fileURLToPath(new URL('../docs/retrieval.md', import.meta.url)), 'bench/ai', result);
process.exitCode = missed === 0 ? 0 : 1;

async function measureQuestions(name: string, vault: string, server: McpProcess): Promise<void> {
  const items = readKnownItems(name);
  const times: number[] = [];
  const counts = { found: 0, cited: 0, shown: 0, quoted: 0, sections: 0, quotes: 0, exact: 0, none: 0 };
  for (const { question, paths, section } of items) {
    const right = new Set(paths);
    const search = await server.call({ name: 'vault_search', arguments: { q: question, limit: 5 } });
    const hits = search.structured.results as { path: string; headings: string[]; line: number }[];
    const answer = await server.call({ name: 'ai_ask', arguments: { question } });
    if (answer.isError) throw new Error(answer.text);
    times.push(answer.ms);
    const citations = answer.structured.citations as Citation[];
    if (answer.structured.found !== true) counts.none += 1;
    const hit = hits.find(({ path }) => right.has(path));
    const cited = citations.find(({ path }) => right.has(path));
    counts.found += hit ? 1 : 0;
    counts.cited += cited ? 1 : 0;
    if (section !== undefined && hit && cited) {
      counts.sections += 1;
      counts.shown += isIn(vault, hit.path, hit.line, section) ? 1 : 0;
      counts.quoted += isIn(vault, cited.path, cited.line_start, section) ? 1 : 0;
    }
    for (const citation of citations) {
      counts.quotes += 1;
      counts.exact += isExact(vault, citation) ? 1 : 0;
    }
  }
  let foreign = 0;
  for (const question of FOREIGN) {
    const answer = await server.call({ name: 'ai_ask', arguments: { question } });
    foreign += answer.structured.found === true ? 0 : 1;
  }
  times.sort((a, b) => a - b);
  const share = (count: number, of: number) => (count / Math.max(1, of)).toFixed(3);
  questionRows.push([
    name,
    String(items.length),
    share(counts.found, items.length),
    share(counts.cited, items.length),
    share(counts.shown, counts.sections),
    share(counts.quoted, counts.sections),
    String(counts.quotes),
    String(counts.exact),
    String(counts.none),
    `${foreign} of ${FOREIGN.length}`,
    milliseconds(quantile(times, 0.5)),
    milliseconds(quantile(times, 0.95)),
  ]);
  const fine =
    counts.cited >= counts.found && counts.quoted >= counts.shown && counts.exact === counts.quotes;
  if (!fine) {
    missed += 1;
    progress(`MISSED ${name}: ${JSON.stringify(counts)}`);
  }
}

async function measureSummaries(name: string, vault: string, server: McpProcess): Promise<void> {
  const list = await server.call({ name: 'note_list', arguments: { sort: '-size', limit: 200 } });
  const paths = (list.structured.notes as { path: string }[]).map(({ path }) => path).slice(0, 50);
  for (const [length, most] of Object.entries(LENGTHS)) {
    const times: number[] = [];
    const counts = { quotes: 0, exact: 0, longest: 0 };
    for (const path of paths) {
      const answer = await server.call({
        name: 'ai_summarize',
        arguments: { scope: { paths: [path] }, length },
      });
      if (answer.isError) throw new Error(answer.text);
      times.push(answer.ms);
      const citations = answer.structured.citations as Citation[];
      const sentences = answer.structured.sentences as unknown[];
      counts.longest = Math.max(counts.longest, sentences.length);
      counts.quotes += citations.length;
      counts.exact += citations.filter((citation) => isExact(vault, citation)).length;
    }
    times.sort((a, b) => a - b);
    summaryRows.push([
      name,
      String(paths.length),
      length,
      String(most),
      String(counts.longest),
      String(counts.quotes),
      String(counts.exact),
      milliseconds(quantile(times, 0.5)),
      milliseconds(quantile(times, 0.95)),
    ]);
    if (counts.longest > most || counts.exact !== counts.quotes) missed += 1;
  }
}

/** Looked up in the file by its own lines, without a line of Lectern's. */
function isExact(vault: string, { path, line_start, line_end, quote }: Citation): boolean {
  const lines = readFileSync(join(vault, path), 'utf8').split(/(?<=\n)/);
  return lines
    .slice(line_start - 1, line_end)
    .join('')
    .includes(quote);
}

/** Whether a heading of that text stands above the line, with no heading of its level or a higher one between. */
function isIn(vault: string, path: string, line: number, section: string): boolean {
  const plain = (heading: string) =>
    heading
      .replace(/[`[\]]/g, '')
      .trim()
      .toLowerCase();
  const lines = readFileSync(join(vault, path), 'utf8').split(/\r?\n/).slice(0, line);
  const open: { level: number; text: string }[] = [];
  let fenced = false;
  for (const each of lines) {
    if (/^\s*(?:```|~~~)/.test(each)) fenced = !fenced;
    const heading = fenced ? null : /^(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/.exec(each);
    if (!heading) continue;
    const level = heading[1]?.length ?? 1;
    while ((open.at(-1)?.level ?? 0) >= level) open.pop();
    open.push({ level, text: heading[2] ?? '' });
  }
  return open.some(({ text }) => plain(text) === plain(section));
}
