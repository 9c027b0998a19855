/**
 * How soon each dialect answers a client that starts it over standard input and output: the contract of obsidian-mcp
 * asks for `initialize` within 100 ms and `tools/list` within 200 ms.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/dialects.ts
 *
 * --notes 1000  size of the generated vault    --rounds 15  starts to take the median of    --write  into docs/performance.md
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { CATALOGUES } from '../src/catalogues/list.ts';
import { lectern } from './support/lectern.ts';
import { McpProcess } from './support/mcp-process.ts';
import { median, milliseconds } from './support/numbers.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { indexReady } from './support/watch.ts';
import { emptyFolder, workspace } from './support/workspace.ts';
import { generateVault } from './vault/generate.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '15' },
    write: { type: 'boolean', default: false },
  },
});
const notes = Number(flags.notes);
const folder = workspace();
const vault = emptyFolder(folder, 'vault');
const state = emptyFolder(folder, 'state');
generateVault(vault, notes);

/** Time of a process that does nothing: what no program on this runtime can beat. */
function bareStart(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).once('exit', () =>
      resolve(performance.now() - started),
    );
  });
}

interface Times {
  readonly bare: number[];
  readonly start: number[];
  readonly firstList: number[];
  readonly list: number[];
  readonly initialize: number[];
}

async function round(catalogue: string, times: Times): Promise<void> {
  times.bare.push(await bareStart());
  const server = new McpProcess(lectern(vault, state, { catalogue }));
  times.start.push(await server.initialize());
  times.firstList.push(await server.timed('tools/list'));
  times.list.push(await server.timed('tools/list'));
  // Only a dispatcher of its own answers a second handshake.
  if (catalogue === 'obsidian' || catalogue === 'joplin')
    times.initialize.push(await server.timed('initialize'));
  await server.close();
}

const before = load();
const first = new McpProcess(lectern(vault, state));
await first.initialize();
await indexReady(first);
await first.close();
const all = CATALOGUES.map(({ name }) => ({
  name,
  times: { bare: [], start: [], firstList: [], list: [], initialize: [] } as Times,
}));
for (let at = 0; at < Number(flags.rounds); at++) {
  progress(`round ${at + 1} of ${flags.rounds}`);
  // In turn, so that whatever else the machine does falls on all alike.
  for (const { name, times } of all) await round(name, times);
}
const shown = (values: readonly number[]) => (values.length === 0 ? '–' : milliseconds(median(values)));
const text = [
  machine(),
  '',
  `**${notes} notes, indexed; median of ${flags.rounds} starts** (load average ${before} before, ${load()} after)`,
  '',
  table(
    [
      'dialect',
      'bare `node -e 0`',
      'start to `initialize` answered',
      'beyond bare',
      'first `tools/list`',
      'the next one',
      '`initialize` again',
    ],
    all.map(({ name, times }) => [
      `\`${name}\``,
      shown(times.bare),
      shown(times.start),
      milliseconds(median(times.start) - median(times.bare)),
      shown(times.firstList),
      shown(times.list),
      shown(times.initialize),
    ]),
  ),
].join('\n');
console.log(text);
if (flags.write) publish(PERFORMANCE, 'bench/dialects.ts', text);
