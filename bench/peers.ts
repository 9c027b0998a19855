/**
 * Lectern beside published servers for the same notes, in one run on one machine: start, first answer,
 * search, size of answers, memory.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/peers.ts --notes 5000
 *
 * --notes 1000,5000   sizes of the generated vaults     --queries 40        searches of each server
 * --rounds 5          starts to take the median of      --mode lexical,hybrid  Lectern's search modes
 * --install <folder>  keep the installed servers there  --write             put the result into docs/performance.md
 */
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { lecternItself } from './side-by-side/lectern.ts';
import type { Peer } from './side-by-side/peer.ts';
import { installPeers } from './side-by-side/peers.ts';
import { type Answer, McpProcess } from './support/mcp-process.ts';
import { figure, kilobytes, mean, median, milliseconds, quantile } from './support/numbers.ts';
import { Random } from './support/random.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { emptyFolder, workspace } from './support/workspace.ts';
import { generateVault, languageOf } from './vault/generate.ts';
import { keywordQueries } from './vault/queries.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '5000' },
    queries: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '5' },
    mode: { type: 'string', default: 'lexical,hybrid' },
    install: { type: 'string' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const LIMIT = 10;
/** Searches of each server before those that are timed. */
const WARM_UP = 5;
/** How often each server's turn comes with searches in a row. */
const TURNS = 4;
/** Searches of a turn, and the time after which a slow server has had enough of them; the first part is not timed. */
const UNTIMED = { most: 20, ms: 3000 };
const TIMED = { most: 20, ms: 15_000 };
/** Before a turn: a server that has just searched through every file clears up after that, with both processors. */
const REST_MS = 2000;
const rounds = Number(flags.rounds);
const seed = Number(flags.seed);
const folder = workspace();

interface Measured {
  readonly peer: Peer;
  readonly home: string;
  readonly initialize: number[];
  readonly firstAnswer: number[];
  readonly searches: Answer[];
  /** ms of searches that follow each other without a pause. */
  readonly inARow: number[];
  /** ms from the very first start, or the indexing command, to complete answers. */
  firstTime: number;
  toolListBytes: number;
  memoryMB: number | undefined;
  /** Of all searches together, all threads. */
  cpuSeconds: number | undefined;
}

/** What happens once per vault: an index command, or the first start up to complete answers. */
async function firstTime(measured: Measured, vault: string, query: string): Promise<void> {
  const { peer, home } = measured;
  const started = performance.now();
  await peer.prepare?.(vault, home);
  const server = new McpProcess(peer.serve(vault, home));
  await server.initialize();
  await peer.ready?.(server);
  await search(peer, server, query);
  measured.firstTime = performance.now() - started;
  await peer.settle?.(server);
  await server.close();
}

async function start(
  { peer, home, initialize, firstAnswer }: Measured,
  vault: string,
  query: string,
): Promise<void> {
  const server = new McpProcess(peer.serve(vault, home));
  initialize.push(await server.initialize());
  await search(peer, server, query);
  firstAnswer.push(performance.now() - server.spawnedAt);
  await server.close();
}

async function search(peer: Peer, server: McpProcess, query: string): Promise<Answer> {
  const answer = await server.call(peer.search(query, LIMIT));
  if (answer.isError) throw new Error(`${peer.name} cannot search '${query}': ${answer.text}`);
  return answer;
}

/**
 * All servers up at once, each query to one after the other: what else the machine does falls on all alike, and
 * each has waited for seconds when it is asked. Then other queries in a row, to one server after the other, in
 * several turns, as the machine does not stay as fast as it is.
 */
async function searchAll(
  all: readonly Measured[],
  vault: string,
  queries: readonly string[],
  inARow: readonly string[],
): Promise<void> {
  const running = [];
  for (const measured of all) {
    const server = new McpProcess(measured.peer.serve(vault, measured.home));
    await server.initialize();
    await measured.peer.ready?.(server);
    await measured.peer.settle?.(server);
    measured.toolListBytes = await server.toolListBytes();
    for (const query of queries.slice(-WARM_UP)) await search(measured.peer, server, query);
    running.push({ measured, server, cpuBefore: server.cpuSeconds() });
  }
  for (const query of queries)
    for (const { measured, server } of running)
      measured.searches.push(await search(measured.peer, server, query));
  for (const { measured, server, cpuBefore } of running) {
    const cpu = server.cpuSeconds();
    if (cpu !== undefined && cpuBefore !== undefined) measured.cpuSeconds = cpu - cpuBefore;
    measured.memoryMB = server.memory()?.nowMB;
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    const first = turn * (UNTIMED.most + TIMED.most);
    const untimed = inARow.slice(first, first + UNTIMED.most);
    const timed = inARow.slice(first + UNTIMED.most, first + UNTIMED.most + TIMED.most);
    for (const { measured, server } of [...running.slice(turn), ...running.slice(0, turn)]) {
      await delay(REST_MS);
      await searchInARow(measured.peer, server, untimed, UNTIMED.ms);
      measured.inARow.push(...(await searchInARow(measured.peer, server, timed, TIMED.ms)));
    }
  }
  for (const { server } of running) await server.close();
}

/** @returns ms of each, of those that were begun within `limitMs` */
async function searchInARow(
  peer: Peer,
  server: McpProcess,
  queries: readonly string[],
  limitMs: number,
): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + limitMs;
  for (const query of queries) {
    if (performance.now() > end) break;
    times.push((await search(peer, server, query)).ms);
  }
  return times;
}

async function compare(peers: readonly Peer[], notes: number): Promise<string> {
  const vault = emptyFolder(folder, 'vault');
  const made = generateVault(vault, notes, seed);
  const queriesOf = (chance: number, count: number) =>
    keywordQueries(new Random(seed + chance), languageOf(notes, seed), count);
  const queries = queriesOf(2, Number(flags.queries));
  const before = load();
  const all: Measured[] = peers.map((peer, at) => ({
    peer,
    home: emptyFolder(folder, `home-${at}`),
    initialize: [],
    firstAnswer: [],
    searches: [],
    inARow: [],
    firstTime: 0,
    toolListBytes: 0,
    memoryMB: undefined,
    cpuSeconds: undefined,
  }));
  progress(`${notes} notes: first start of each`);
  for (const measured of all) await firstTime(measured, vault, queries[0] ?? 'word');
  progress(`${notes} notes: ${rounds} starts of each`);
  for (let round = 0; round < rounds; round++)
    for (const measured of all) await start(measured, vault, queries[round % queries.length] ?? 'word');
  progress(`${notes} notes: ${queries.length} searches of each`);
  await searchAll(all, vault, queries, queriesOf(3, TURNS * (UNTIMED.most + TIMED.most)));
  const size = `**${notes} notes, ${figure(made.bytes / 1e6)} MB; ${queries.length} keyword queries, at most ${LIMIT} hits** (load average ${before} before, ${load()} after)`;
  return `${size}\n\n${table(
    HEADER,
    all.map((measured) => row(measured, all)),
  )}`;
}

const HEADER = [
  'server',
  'first time',
  'start to `initialize`',
  'start to first answer',
  'search p50',
  'p95',
  'p50 to first row',
  'p50 in a row',
  'to first row',
  'processor time each',
  'queries with hits',
  'answer text',
  'whole message',
  '`tools/list`',
  'memory',
];

function row(measured: Measured, [own]: readonly Measured[]): string[] {
  const { peer, searches } = measured;
  const times = searches.map((answer) => answer.ms);
  const p50 = median(times);
  const found = searches.filter((answer) => peer.hits(answer) > 0).length;
  return [
    `${peer.name} ${peer.version}`,
    milliseconds(measured.firstTime),
    milliseconds(median(measured.initialize)),
    milliseconds(median(measured.firstAnswer)),
    milliseconds(p50),
    milliseconds(quantile(times, 0.95)),
    timesAs(p50, own && median(own.searches.map((answer) => answer.ms))),
    milliseconds(median(measured.inARow)),
    timesAs(median(measured.inARow), own && median(own.inARow)),
    measured.cpuSeconds === undefined
      ? 'not measured here'
      : milliseconds((measured.cpuSeconds * 1000) / searches.length),
    `${found} of ${searches.length}`,
    kilobytes(mean(searches.map((answer) => Buffer.byteLength(answer.text)))),
    kilobytes(mean(searches.map((answer) => answer.wireBytes))),
    kilobytes(measured.toolListBytes),
    measured.memoryMB === undefined ? 'not measured here' : `${measured.memoryMB} MB`,
  ];
}

function timesAs(ms: number, own: number | undefined): string {
  return own === undefined ? '' : `${figure(ms / own)} ×`;
}

const place = flags.install ?? emptyFolder(folder, 'servers');
mkdirSync(place, { recursive: true });
const { peers, missing } = await installPeers(place);
const compared = [...flags.mode.split(',').map(lecternItself), ...peers];
const parts = [machine()];
for (const notes of flags.notes.split(',')) parts.push(await compare(compared, Number(notes)));
for (const { name, reason } of missing) parts.push(`Left out: ${name} (${reason}).`);
const result = parts.join('\n\n');
console.log(result);
if (flags.write) publish(PERFORMANCE, 'bench/peers.ts', result);
