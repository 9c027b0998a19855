/**
 * How fast bases answer, measured from outside: the built binary over standard input and output, beside what a
 * program without an index does, which is to read every note and parse its front matter with `gray-matter`.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/bases.ts --notes 5000,100000
 *
 * --notes 5000,100000  sizes of the generated vaults      --calls 60   calls of each kind
 * --write              put the result into docs/performance.md
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Installer } from './side-by-side/install.ts';
import { lectern } from './support/lectern.ts';
import { McpProcess } from './support/mcp-process.ts';
import { median, milliseconds, quantile } from './support/numbers.ts';
import { cpuSecondsOf } from './support/process-usage.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { indexReady, LoopProbe, vectorsReady } from './support/watch.ts';
import { emptyFolder, filesBelow, workspace } from './support/workspace.ts';
import { generateVault, languageOf } from './vault/generate.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '5000,100000' },
    calls: { type: 'string', default: '60' },
    write: { type: 'boolean', default: false },
  },
});
const SEED = 1;
const STATUSES = ['open', 'active', 'waiting', 'done'];
const WARM_UP = 10;
const SCANS = 3;
const folder = workspace();

interface Kind {
  readonly what: string;
  /** Targets by the size of the vault. */
  readonly target: (notes: number) => string;
  /** Of notes: asked of larger vaults it is a question for a narrower filter. */
  readonly most?: number;
  readonly arguments: (round: number) => Readonly<Record<string, unknown>>;
}

/** Every call is another one: an identical read would be answered from the last one. */
function kinds(notes: number): readonly Kind[] {
  const { topics } = languageOf(notes, SEED);
  const tag = (round: number) => topics[round % topics.length]?.tag ?? '';
  const status = (round: number) => STATUSES[round % STATUSES.length] ?? '';
  return [
    {
      what: 'tag, property and sort',
      target: (size) => (size > 5000 ? 'p95 < 100 ms' : 'p50 < 15 ms'),
      arguments: (round) => ({
        source: `filters: file.hasTag("${tag(round)}") && status == "${status(round)}"`,
        columns: ['file.name', 'status', 'created'],
        sort: ['-created'],
      }),
    },
    {
      what: 'folder, range of a number and time of the file',
      target: (size) => (size > 5000 ? 'p95 < 100 ms' : ''),
      arguments: (round) => ({
        source: `filters: file.inFolder("${topics[round % topics.length]?.folder}") && rating >= ${1 + (round % 5)} && file.mtime > date("2016-02-0${1 + (round % 9)}")`,
        columns: ['file.name', 'rating'],
      }),
    },
    {
      what: 'a formula over all notes, sorted by it',
      target: () => 'p50 < 80 ms',
      most: 20_000,
      arguments: (round) => ({
        source: `formulas:\n  age: (date("2026-01-01") - created).days + ${round}\nfilters: file.ext == "md"`,
        columns: ['file.name', 'formula.age'],
        sort: ['-formula.age'],
      }),
    },
  ];
}

interface GrayMatter {
  (text: string): { readonly data: Record<string, unknown> };
  cache: object;
}

/** The first kind as a program would answer it that keeps nothing: every note read and parsed. */
function scan(vault: string, tag: string, status: string, grayMatter: GrayMatter): number {
  const found: { path: string; created: string }[] = [];
  for (const path of filesBelow(vault)) {
    if (!path.endsWith('.md')) continue;
    const text = readFileSync(path, 'utf8');
    const { data } = grayMatter(text);
    const tags = Array.isArray(data.tags) ? data.tags : [];
    const isTagged = tags.includes(tag) || text.includes(`#${tag}`);
    if (isTagged && data.status === status) found.push({ path, created: String(data.created) });
  }
  found.sort((a, b) => (a.created < b.created ? 1 : -1));
  return found.length;
}

async function measure(notes: number, grayMatter: GrayMatter): Promise<string> {
  const vault = emptyFolder(folder, `vault-${notes}`);
  const state = emptyFolder(folder, `state-${notes}`);
  progress(`writing ${notes} notes`);
  generateVault(vault, notes, SEED);
  const before = load();
  const server = new McpProcess(lectern(vault, state, { probed: true }));
  await server.initialize();
  progress('indexing');
  await indexReady(server);
  if (notes <= 5000) await vectorsReady(server);
  const probe = new LoopProbe(server);
  const rows: string[][] = [];
  for (const kind of kinds(notes).filter(({ most = notes }) => notes <= most)) {
    progress(kind.what);
    const times: number[] = [];
    const totals: number[] = [];
    const calls = Number(flags.calls);
    let processor = 0;
    for (let round = 0; round < calls + WARM_UP; round++) {
      const { ms, isError, text, structured } = await server.call({
        name: 'base_query',
        arguments: kind.arguments(round),
      });
      if (isError) throw new Error(text);
      if (round === WARM_UP - 1) {
        await probe.report();
        processor = cpuSecondsOf(server.pid) ?? 0;
      }
      if (round < WARM_UP) continue;
      times.push(ms);
      totals.push(Number(structured.total));
    }
    const used = ((cpuSecondsOf(server.pid) ?? 0) - processor) * 1000;
    const { longestCpuMs } = await probe.report();
    rows.push([
      kind.what,
      String(median(totals)),
      milliseconds(median(times)),
      milliseconds(quantile(times, 0.95)),
      milliseconds(used / calls),
      milliseconds(longestCpuMs),
      kind.target(notes),
    ]);
  }
  await server.close();
  const { topics } = languageOf(notes, SEED);
  const scans: number[] = [];
  let found = 0;
  const usedBefore = process.cpuUsage();
  for (let round = 0; round < SCANS; round++) {
    // It remembers what it parsed, by text.
    grayMatter.cache = {};
    const started = performance.now();
    found = scan(vault, topics[round]?.tag ?? '', STATUSES[round] ?? '', grayMatter);
    scans.push(performance.now() - started);
  }
  const after = process.cpuUsage(usedBefore);
  const scanned = (after.user + after.system) / 1000;
  rows.push([
    'tag, property and sort by `gray-matter` over all files',
    String(found),
    milliseconds(median(scans)),
    milliseconds(Math.max(...scans)),
    milliseconds(scanned / SCANS),
    '',
    '',
  ]);
  return [
    `**${notes} notes** (load average ${before} before, ${load()} after)`,
    '',
    table(
      ['query', 'rows', 'p50', 'p95', 'processor time, mean', 'longest block of the event loop', 'target'],
      rows,
    ),
  ].join('\n');
}

const { folder: place, version } = await new Installer(join(folder, 'packages')).install('gray-matter@4.0.3');
const grayMatter = createRequire(join(place, 'package.json'))(place) as GrayMatter;
const sections: string[] = [];
for (const size of flags.notes.split(',')) sections.push(await measure(Number(size), grayMatter));
const result = [`${machine()}, gray-matter ${version}`, '', ...sections.flatMap((section) => [section, ''])]
  .join('\n')
  .trimEnd();
console.log(result);
if (flags.write) publish(PERFORMANCE, 'bench/bases.ts', result);
