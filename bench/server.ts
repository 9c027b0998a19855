/**
 * What Lectern costs and how fast it answers, measured from outside: the built binary over standard
 * input and output, as a client sees it.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/server.ts --notes 5000
 *
 * --notes 1000,5000   sizes of the generated vaults      --vault <folder>  an own vault instead (only read)
 * --mode lexical,hybrid  search modes                    --queries 300     searches per mode
 * --rounds 15         starts to take the median of       --write           put the result into docs/performance.md
 * --against <folder>  `dist` of another commit, measured in turn with this one
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Build, builds } from './support/lectern.ts';
import { McpProcess } from './support/mcp-process.ts';
import { figure, kilobytes, mean, median, milliseconds, quantile } from './support/numbers.ts';
import type { Memory } from './support/process-usage.ts';
import { Random } from './support/random.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { indexReady, LoopProbe, type LoopReport, vectorsReady } from './support/watch.ts';
import { emptyFolder, folderBytes, workspace } from './support/workspace.ts';
import { generateVault, languageOf } from './vault/generate.ts';
import { keywordQueries } from './vault/queries.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '5000' },
    vault: { type: 'string' },
    mode: { type: 'string', default: 'lexical,hybrid' },
    queries: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '15' },
    against: { type: 'string' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const rounds = Number(flags.rounds);
const seed = Number(flags.seed);
const modes = flags.mode.split(',');
/** Searches before those that are timed: the runtime compiles what runs often. */
const WARM_UP = 20;
const folder = workspace();

type Row = readonly [what: string, value: string, target: string];

/** A build with its state folder. */
interface Side extends Build {
  readonly state: string;
}

/** Time from `spawn` to the end of a process that does nothing: what no program on this runtime can beat. */
function bareStart(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).once('exit', () =>
      resolve(performance.now() - started),
    );
  });
}

/** The first rows are those of no build. */
async function starts(vault: string, sides: readonly Side[]): Promise<readonly (readonly Row[])[]> {
  const bare: number[] = [];
  const server = sides.map((): number[] => []);
  // In turn, so that whatever else the machine does falls on all alike.
  for (let round = 0; round < rounds; round++) {
    bare.push(await bareStart());
    for (const [at, { command, state }] of sides.entries()) {
      const started = new McpProcess(command(vault, state));
      server[at]?.push(await started.initialize());
      await started.close();
    }
  }
  const of = median(bare);
  return server.map((times) => {
    const to = median(times);
    return [
      ['bare `node -e 0`, start to end', milliseconds(of), ''],
      [
        'start to `initialize` answered',
        `${milliseconds(to)} (${figure(to / of)} × bare)`,
        `< 1.5 × bare + 100 ms = ${milliseconds(1.5 * of + 100)}`,
      ],
    ];
  });
}

function inMegabytes(memory: Memory | undefined): string {
  return memory ? `${memory.nowMB} / ${memory.mostMB} / ${memory.ownMB} MB` : 'not measured here';
}

/** A first start on an empty state folder: the first answer, then the whole index. */
async function cold({ command, state }: Side, vault: string, query: string): Promise<Row[]> {
  const server = new McpProcess(command(vault, state));
  await server.initialize();
  const opened = performance.now();
  await server.call({ name: 'vault_search', arguments: { q: query } });
  const firstAnswer = performance.now() - server.spawnedAt;
  const indexed = await indexReady(server);
  const seconds = (performance.now() - opened) / 1000;
  const memory = server.memory();
  const cpu = server.cpuSeconds();
  const learned = await vectorsReady(server);
  const afterwards = server.memory();
  await server.close();
  return [
    ['first search answered, no index yet', milliseconds(firstAnswer), ''],
    [
      'index build',
      `${figure(indexed.notes / seconds)} notes/s (${figure(indexed.bytes / 1e6 / seconds)} MB/s, ${figure(seconds)} s)`,
      '> 1,500 notes/s',
    ],
    [
      'index build, by processor time of the whole start',
      cpu ? `${figure(indexed.notes / cpu)} notes per processor second` : 'not measured here',
      '',
    ],
    ['memory right after the build: now / most / own now', inMegabytes(memory), ''],
    ['vectors for search by meaning, after that', milliseconds(learned), '< 90 s at 5,000 notes'],
    ['memory after both: now / most / own now', inMegabytes(afterwards), ''],
    [
      'state on disk (index and journal)',
      `${figure(folderBytes(state) / 1e6)} MB for ${figure(indexed.bytes / 1e6)} MB of notes`,
      '',
    ],
  ];
}

/** Starts with an index there, each up to the first answer to a search. */
async function warm(
  sides: readonly Side[],
  vault: string,
  queries: readonly string[],
  mode: string,
): Promise<readonly (readonly Row[])[]> {
  const times = sides.map((): number[] => []);
  for (let round = 0; round < Math.ceil(rounds / 2); round++) {
    for (const [at, { command, state }] of sides.entries()) {
      const server = new McpProcess(command(vault, state));
      await server.initialize();
      const q = queries[round % queries.length] ?? 'word';
      await server.call({ name: 'vault_search', arguments: { q, mode } });
      times[at]?.push(performance.now() - server.spawnedAt);
      await server.close();
    }
  }
  const target = mode === 'lexical' ? '< 500 ms' : '< 1 s';
  return times.map((each) => [
    [`first ${mode} search answered, index there`, milliseconds(median(each)), target],
  ]);
}

/** What a search may take inside the server, p50 and p95 in ms. */
function searchTargets(mode: string, notes: number): readonly [string, string] {
  if (notes > 50_000) return mode === 'lexical' ? ['', '< 40 ms'] : ['', '< 60 ms'];
  return mode === 'lexical' ? ['< 3 ms', '< 10 ms'] : ['< 10 ms', '< 30 ms'];
}

/** Times of one build's searches in one mode, and of the calls between them that look nothing up. */
class Searches {
  readonly whole: number[] = [];
  readonly door: number[] = [];
  readonly cpu: number[] = [];
  readonly #wire: number[] = [];
  readonly #text: number[] = [];
  readonly #used = new Map<string, number>();

  async run(server: McpProcess, q: string, mode: string, path: string): Promise<void> {
    const before = server.cpuSeconds() ?? 0;
    const nothing = await server.call({ name: 'note_exists', arguments: { path } });
    const answer = await server.call({ name: 'vault_search', arguments: { q, mode } });
    if (answer.isError) throw new Error(`vault_search failed: ${answer.text}`);
    this.cpu.push(((server.cpuSeconds() ?? 0) - before) * 1000);
    this.door.push(nothing.ms);
    this.whole.push(answer.ms);
    this.#wire.push(answer.wireBytes);
    this.#text.push(Buffer.byteLength(answer.text));
    const ran = String(answer.structured.mode_used);
    this.#used.set(ran, (this.#used.get(ran) ?? 0) + 1);
  }

  rows(mode: string, notes: number): Row[] {
    const share = median(this.door);
    const inside = this.whole.map((ms) => Math.max(0, ms - share));
    const targets = searchTargets(mode, notes);
    const rows: Row[] = [
      [
        `${mode} search, round trip p50 / p95`,
        `${milliseconds(median(this.whole))} / ${milliseconds(quantile(this.whole, 0.95))}`,
        '',
      ],
      [`${mode} search, inside the server p50`, milliseconds(median(inside)), targets[0]],
      [`${mode} search, inside the server p95`, milliseconds(quantile(inside, 0.95)), targets[1]],
      [
        `${mode} search, processor time with the empty call before it, mean`,
        milliseconds(mean(this.cpu)),
        '',
      ],
      [
        `${mode} answer, text / whole message`,
        `${kilobytes(mean(this.#text))} / ${kilobytes(mean(this.#wire))}`,
        '< 2 KB of text',
      ],
    ];
    if (this.#used.size !== 1 || !this.#used.has(mode))
      rows.push([
        `${mode} search, modes that ran`,
        [...this.#used].map(([ran, count]) => `${ran}: ${count}`).join(', '),
        '',
      ]);
    return rows;
  }
}

/** Searches one after the other, each asked of one build after the other. What a call that looks nothing up takes is the door's own share. */
async function searches(
  sides: readonly Side[],
  vault: string,
  queries: readonly string[],
  path: string,
): Promise<readonly (readonly Row[])[]> {
  const all: { readonly server: McpProcess; readonly notes: number; readonly rows: Row[] }[] = [];
  for (const { command, state } of sides) {
    const server = new McpProcess(command(vault, state));
    await server.initialize();
    const { notes } = await indexReady(server);
    await vectorsReady(server);
    const toolList = await server.toolListBytes();
    all.push({ server, notes, rows: [['`tools/list`', kilobytes(toolList), '< 20 KB']] });
  }
  for (const mode of modes) {
    const times = all.map(() => new Searches());
    for (const [at, q] of [...queries.slice(-WARM_UP), ...queries].entries()) {
      const isTimed = at >= Math.min(WARM_UP, queries.length);
      for (const [side, { server }] of all.entries())
        await (isTimed ? times[side] : new Searches())?.run(server, q, mode, path);
    }
    for (const [side, { notes, rows }] of all.entries()) rows.push(...(times[side]?.rows(mode, notes) ?? []));
  }
  for (const { server, notes, rows } of all) {
    rows.push([
      'memory after the searches: now / most / own now',
      inMegabytes(server.memory()),
      notes > 50_000 ? '< 600 MB' : '< 200 MB',
    ]);
    await server.close();
  }
  return all.map(({ rows }) => rows);
}

/** A probe in the server's main thread says how long its event loop was blocked while the index is built. */
async function eventLoop(
  { command, state }: Side,
  vault: string,
  queries: readonly string[],
): Promise<Row[]> {
  const server = new McpProcess(command(vault, state, { probed: true }));
  await server.initialize();
  await server.call({ name: 'vault_search', arguments: { q: queries[0] ?? 'word' } });
  const probe = new LoopProbe(server);
  const opening = await probe.report();
  const answers: number[] = [];
  let at = 0;
  const searchOnce = async () => {
    const q = queries[at++ % queries.length] ?? 'word';
    answers.push((await server.call({ name: 'vault_search', arguments: { q } })).ms);
  };
  await indexReady(server, searchOnce);
  const indexing = await probe.report();
  await vectorsReady(server, searchOnce);
  const learning = await probe.report();
  await server.close();
  const longest = (report: LoopReport) =>
    `${milliseconds(report.longestCpuMs)} of work (by the clock ${milliseconds(report.longestMs)})`;
  return [
    ['longest block of the event loop: loading and opening', longest(opening), ''],
    ['longest block of the event loop: while indexing and searching', longest(indexing), '< 20 ms'],
    ['longest block of the event loop: while learning vectors and searching', longest(learning), '< 20 ms'],
    [
      'search while indexing and learning, round trip p50 / most',
      `${milliseconds(median(answers))} / ${milliseconds(Math.max(...answers))}`,
      '',
    ],
  ];
}

async function measure(notes: number): Promise<string> {
  const vault = flags.vault ?? emptyFolder(folder, 'vault');
  const before = load();
  const made = flags.vault === undefined ? generateVault(vault, notes, seed) : undefined;
  const queries = keywordQueries(new Random(seed + 2), languageOf(notes, seed), Number(flags.queries));
  const fresh = () =>
    builds(flags.against).map((build) => ({ ...build, state: emptyFolder(folder, `state-${build.name}`) }));
  const sides = fresh();
  const path = made?.samplePaths[0] ?? 'nothing.md';
  const parts: (readonly (readonly Row[])[])[] = [];
  progress(`${notes} notes: first start`);
  const first: Row[][] = [];
  for (const side of sides) first.push(await cold(side, vault, queries[0] ?? 'word'));
  progress(`${notes} notes: ${rounds} starts`);
  parts.push(await starts(vault, sides), first);
  progress(`${notes} notes: ${queries.length} searches`);
  parts.push(await searches(sides, vault, queries, path));
  for (const mode of modes) parts.push(await warm(sides, vault, queries, mode));
  progress(`${notes} notes: event loop`);
  const loops: Row[][] = [];
  for (const side of fresh()) loops.push(await eventLoop(side, vault, queries));
  parts.push(loops);
  const size = made
    ? `${notes} notes, ${figure(made.bytes / 1e6)} MB, median ${kilobytes(made.medianBytes)}, largest ${kilobytes(made.largestBytes)}`
    : 'own vault';
  const names = sides.length === 1 ? ['value'] : sides.map(({ name }) => name);
  const rows = parts.flatMap(sideBySide);
  return `**${size}** (load average ${before} before, ${load()} after)\n\n${table(['measured', ...names, 'target'], rows, '---')}`;
}

/** The rows of several builds as one table; one that not all have is left empty there. */
function sideBySide(all: readonly (readonly Row[])[]): string[][] {
  const what = [...new Set(all.flatMap((rows) => rows.map(([name]) => name)))];
  return what.map((name) => {
    const found = all.map((rows) => rows.find(([each]) => each === name));
    return [name, ...found.map((row) => row?.[1] ?? ''), found.at(-1)?.[2] ?? ''];
  });
}

const parts = [machine()];
for (const notes of flags.notes.split(',')) parts.push(await measure(Number(notes)));
const result = parts.join('\n\n');
console.log(result);
if (flags.write) publish(PERFORMANCE, 'bench/server.ts', result);
