/**
 * A real Joplin beside a folder of the same notes: how long the first index takes, a warm start, a change made in
 * Joplin until search finds it, search itself, and memory. Measured from outside: the built binary over standard input
 * and output.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/joplin.ts --notes 5000
 *
 * --notes 5000   notes of the generated vault        --searches 150   of each
 * --write        put the result into docs/performance.md
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startJoplin } from '../test/joplin/joplin.ts';
import { lectern } from './support/lectern.ts';
import { type Command, McpProcess } from './support/mcp-process.ts';
import { median, milliseconds, quantile } from './support/numbers.ts';
import { Random } from './support/random.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { indexReady, vectorsReady } from './support/watch.ts';
import { emptyFolder, workspace } from './support/workspace.ts';
import { generateVault, languageOf } from './vault/generate.ts';
import { keywordQueries } from './vault/queries.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '5000' },
    searches: { type: 'string', default: '150' },
    write: { type: 'boolean', default: false },
  },
});
const SEED = 1;
const CHANGES = 5;
const notes = Number(flags.notes);
/** Joplin takes minutes for thousands of notes. */
const KEPT = `../node_modules/.cache/bench-joplin/${notes}-${SEED}`;
const folder = workspace();
const vault = emptyFolder(folder, 'vault');
generateVault(vault, notes, SEED);
progress(`importing ${notes} notes into Joplin`);
const joplin = await startJoplin(vault, fileURLToPath(new URL(KEPT, import.meta.url)));

interface Home {
  readonly name: string;
  command(): Command;
}

const homes: readonly Home[] = [
  { name: 'folder', command: () => lectern(vault, join(folder, 'state-folder')) },
  {
    name: 'Joplin',
    command: () => ({
      ...lectern(`joplin:${joplin.url}`, join(folder, 'state-joplin')),
      env: { LECTERN_JOPLIN_TOKEN: joplin.token },
    }),
  },
];
const search = (query: string) => ({ name: 'vault_search', arguments: { query, mode: 'lexical' } });
const before = load();

async function firstIndex(home: Home): Promise<{ ms: number; megabytes: number }> {
  const server = new McpProcess(home.command());
  await server.initialize();
  const found = await indexReady(server);
  const ms = performance.now() - server.spawnedAt;
  progress(`${home.name}: ${found.notes} notes indexed in ${milliseconds(ms)}`);
  await vectorsReady(server);
  const megabytes = server.memory()?.nowMB ?? 0;
  await server.close();
  return { ms, megabytes };
}

async function warmStart(home: Home, query: string): Promise<number> {
  const server = new McpProcess(home.command());
  await server.initialize();
  const { isError, text } = await server.call(search(query));
  if (isError) throw new Error(text);
  const ms = performance.now() - server.spawnedAt;
  await server.close();
  return ms;
}

const first = [await firstIndex(homes[0] as Home), await firstIndex(homes[1] as Home)];
const queries = keywordQueries(new Random(7), languageOf(notes, SEED), Number(flags.searches) + 20);
const warm = [await warmStart(homes[0] as Home, 'harbour'), await warmStart(homes[1] as Home, 'harbour')];

// Both at once, turn by turn: what else the machine does falls on both.
const servers = homes.map((home) => new McpProcess(home.command()));
for (const server of servers) {
  await server.initialize();
  await indexReady(server);
}
const times: number[][] = [[], []];
for (const [round, query] of queries.entries()) {
  for (const [at, server] of servers.entries()) {
    const { ms, isError, text } = await server.call(search(query));
    if (isError) throw new Error(text);
    if (round >= 20) times[at]?.push(ms);
  }
}

progress('changes in Joplin');
const changes: number[] = [];
const [notebook] = (await joplin.call<{ items: { id: string }[] }>('GET', 'folders')).items;
for (let at = 0; at < CHANGES; at++) {
  const word = `zyxwv${'abcde'[at]}`;
  await joplin.call('POST', 'notes', { title: `Change ${at}`, body: `${word}\n`, parent_id: notebook?.id });
  const started = performance.now();
  for (;;) {
    const { structured } = (await servers[1]?.call(search(word))) ?? {};
    if (((structured?.results as unknown[] | undefined)?.length ?? 0) > 0) break;
    await sleep(50);
  }
  changes.push(performance.now() - started);
}
for (const server of servers) await server.close();
await joplin.close();

const row = (what: string, of: (at: 0 | 1) => string, target: string) => [what, of(0), of(1), target];
const result = [
  `${machine()}, ${notes} notes (load average ${before} before, ${load()} after)`,
  '',
  table(
    ['', 'folder', 'Joplin', 'target'],
    [
      row('first index', (at) => milliseconds(first[at]?.ms ?? 0), '< 60 s'),
      row(
        'memory after the first index and its vectors',
        (at) => `${Math.round(first[at]?.megabytes ?? 0)} MB`,
        'as on a folder',
      ),
      row('warm start to the first answer of a search', (at) => milliseconds(warm[at] ?? 0), '< 1 s'),
      row('search p50', (at) => milliseconds(median(times[at] ?? [])), 'as on a folder'),
      row('search p95', (at) => milliseconds(quantile(times[at] ?? [], 0.95)), ''),
      ['a note made in Joplin until it is found, median', '', milliseconds(median(changes)), '< 5 s'],
      ['the same, longest', '', milliseconds(Math.max(...changes)), '< 5 s'],
    ],
  ),
].join('\n');
console.log(result);
if (flags.write) publish(PERFORMANCE, 'bench/joplin.ts', result);
