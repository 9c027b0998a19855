// Retrieval quality and speed of the three search modes, beside an independent BM25, on every collection
// that is at hand. Prints tables, and with --write puts them into docs/retrieval.md; exits with 1 when a target is missed.
// Started by run.mjs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openIndexReader } from '../../src/index/sqlite/read/reader.ts';
import { fileInput } from '../../src/index/sqlite/testing.ts';
import { openVectorReader } from '../../src/index/sqlite/vectors/reader.ts';
import { openVectorWriter } from '../../src/index/sqlite/vectors/writer.ts';
import { openIndexWriter } from '../../src/index/sqlite/write/writer.ts';
import { startEmbeddingJob } from '../../src/search/embed/job.ts';
import { PassageIndex } from '../../src/search/semantic/passage-index.ts';
import { search } from '../../src/search/semantic/passage-search.ts';
import type { SearchMode } from '../../src/search/types.ts';
import { machine, progress, publish, table } from '../support/report.ts';
import { type Collection, loadCranfield, sharedFolder } from './collection.ts';
import { KNOWN_ITEM_SETS, loadVault } from './known-items.ts';
import { type Measures, measure } from './measures.ts';
import { ReferenceBm25 } from './reference-bm25.ts';

const MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid'];

const COST_HEADER = [
  'collection',
  'notes',
  'queries',
  'passages',
  'learned and embedded in',
  'passages per second',
  'index without vectors',
  'vectors on disk',
  'vectors in memory',
  'process',
];
const QUALITY_HEADER = [
  'collection',
  'mode',
  'nDCG@10',
  'recall@1',
  'recall@5',
  'recall@10',
  'MRR@10',
  'right section',
  'p50 ms',
  'p95 ms',
];

interface Row extends Measures {
  readonly collection: string;
  readonly mode: string;
  readonly sections?: number;
  readonly p50?: number;
  readonly p95?: number;
}

const shared = sharedFolder();
if (!shared) {
  console.log('The test collections are not here (set LECTERN_SHARED): nothing to measure.');
  process.exit(0);
}
const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
if (flags.write && wanted.length > 0) throw new Error('Only a run of all collections is written down.');
const scratch = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
const rows: Row[] = [];
/** What each collection is, and what its vectors cost. */
const costs: string[][] = [];
try {
  for (const name of ['cranfield', ...KNOWN_ITEM_SETS]) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    rows.push(...(await measureCollection(load(name, shared))));
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const result = [machine(), table(COST_HEADER, costs), table(QUALITY_HEADER, rows.map(quality))].join('\n\n');
console.log(result);
if (flags.write)
  publish(fileURLToPath(new URL('../../docs/retrieval.md', import.meta.url)), 'bench/retrieval', result);
process.exitCode = check(rows) ? 0 : 1;

function load(name: string, folder: string): Collection {
  if (name === 'cranfield') return loadCranfield(folder);
  const vault = join(scratch, name);
  const archive = join(folder, 'vaults', `${name}.tar.gz`);
  if (!existsSync(archive)) throw new Error(`${archive} is missing.`);
  spawnSync('tar', ['-xzf', archive, '-C', scratch], { stdio: 'inherit' });
  return loadVault(name, vault);
}

async function measureCollection(collection: Collection): Promise<Row[]> {
  const { name, notes, queries } = collection;
  const path = join(scratch, `${name}.db`);
  const index = openIndexWriter(path, { dialect: 'obsidian' });
  index.beginBulk();
  for (let from = 0; from < notes.length; from += 128)
    index.apply(
      notes.slice(from, from + 128).map((note) => fileInput(note.path, note.text)),
      [],
    );
  index.endBulk();
  const lexicalBytes = sizeOf(path);
  const seconds = await embed(path);
  const reader = openIndexReader(path);
  const passages = new PassageIndex(openVectorReader(path));
  const spaces = await passages.spaces();
  if (typeof spaces === 'string') throw new Error(spaces);
  const { matrix } = spaces.vectors;
  costs.push([
    name,
    String(notes.length),
    String(queries.length),
    String(matrix.passages),
    `${seconds.toFixed(1)} s`,
    `${Math.round(matrix.passages / seconds)}`,
    `${megabytes(lexicalBytes)} MB`,
    `${megabytes(sizeOf(path) - lexicalBytes)} MB`,
    `${megabytes(matrix.byteLength)} MB`,
    `${megabytes(process.memoryUsage.rss())} MB`,
  ]);
  progress(`${name}: embedded in ${seconds.toFixed(1)} s`);
  const reference = new ReferenceBm25(notes);
  const ranking = queries.map(({ text }) => reference.search(text, 10).map((hit) => hit.path));
  const rows: Row[] = [{ collection: name, mode: 'reference', ...measure(ranking, queries) }];
  for (const mode of MODES) rows.push(await measureMode(collection, mode, reader, passages));
  await passages.close();
  await reader.close();
  index.close();
  return rows;
}

/** Seconds of wall time for training and embedding everything. */
async function embed(path: string): Promise<number> {
  const start = performance.now();
  const job = startEmbeddingJob({ vectors: openVectorWriter(path), dialect: 'obsidian', settleMs: 0 });
  job.wake();
  await job.idle();
  await job.close();
  return (performance.now() - start) / 1000;
}

async function measureMode(
  { name, queries }: Collection,
  mode: SearchMode,
  reader: Parameters<typeof search>[0],
  passages: PassageIndex,
): Promise<Row> {
  const rankings: string[][] = [];
  const times: number[] = [];
  let inSection = 0;
  let withSection = 0;
  for (const query of queries) {
    const start = performance.now();
    const answer = await search(reader, passages, { query: query.text, mode, filter: {}, limit: 10 });
    times.push(performance.now() - start);
    rankings.push(answer.items.map((hit) => hit.path));
    const found = query.section && answer.items.find((hit) => query.relevant.has(hit.path));
    if (!found) continue;
    withSection += 1;
    if (found.headings.some((heading) => plain(heading) === plain(query.section ?? ''))) inSection += 1;
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    collection: name,
    mode,
    ...measure(rankings, queries),
    ...(withSection > 0 && { sections: inSection / withSection }),
    p50: at(0.5),
    p95: at(0.95),
  };
}

function plain(heading: string): string {
  return heading.replace(/[`[\]]/g, '').toLowerCase();
}

/** The database with what is still in its log. */
function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function quality(row: Row): string[] {
  const number = (value: number | undefined, digits: number) =>
    value === undefined ? '' : value.toFixed(digits);
  return [
    row.collection,
    row.mode,
    ...[row.ndcg10, row.recall1, row.recall5, row.recall10, row.mrr10].map((each) => number(each, 3)),
    number(row.sections, 2),
    number(row.p50, 1),
    number(row.p95, 1),
  ];
}

function check(measured: readonly Row[]): boolean {
  const of = (collection: string, mode: string) =>
    measured.find((row) => row.collection === collection && row.mode === mode);
  const failures: string[] = [];
  const reference = of('cranfield', 'reference')?.ndcg10 ?? 0;
  if ((of('cranfield', 'lexical')?.ndcg10 ?? 1) < 0.387)
    failures.push('cranfield: lexical nDCG@10 below 0.387');
  if ((of('cranfield', 'hybrid')?.ndcg10 ?? 1) < 1.05 * reference)
    failures.push('cranfield: hybrid nDCG@10 below 1.05 x the reference');
  for (const name of KNOWN_ITEM_SETS) {
    const [lexical, semantic, hybrid] = MODES.map((mode) => of(name, mode)?.recall5 ?? 0);
    if ((hybrid ?? 0) < Math.max(lexical ?? 0, semantic ?? 0))
      failures.push(`${name}: hybrid recall@5 below one of its parts`);
  }
  for (const failure of failures) console.log(`MISSED ${failure}`);
  return failures.length === 0;
}
