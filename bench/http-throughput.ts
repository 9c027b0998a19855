/**
 * How much of what the SDK can do over HTTP is left when a note is read: calls per second of `note_read`
 * beside those of a bare echo tool on the same SDK, Node adapter and protocol revision, in turn within one
 * run. Then, with `--requests`, memory while a mix of reads and searches goes on.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/http-throughput.ts --requests 200000
 *
 * --notes 5000   size of the generated vault      --write   put the result into docs/performance.md
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { callTool } from '../test/support/http-call.ts';
import { createToken, type ServerProcess, serveLectern, startServer } from './support/http-server.ts';
import { figure, median, milliseconds } from './support/numbers.ts';
import { cpuSecondsOf, memoryOf } from './support/process-usage.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { vectorsReady } from './support/watch.ts';
import { workspace } from './support/workspace.ts';
import { generateVault } from './vault/generate.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '10' },
    requests: { type: 'string', default: '0' },
    write: { type: 'boolean', default: false },
  },
});
const CLIENTS = 16;
const ROUND_MS = 2000;
const MEMORY_SAMPLES = 10;

type Call = (turn: number) => readonly [name: string, args: object];

/** Calls without pause on every connection until `more` says that it is enough. */
async function drive(server: ServerProcess, call: Call, more: (made: number) => boolean): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const started = performance.now();
  const cpuBefore = cpuSecondsOf(server.process.pid) ?? Number.NaN;
  let made = 0;
  const client = async () => {
    while (more(made)) {
      const [name, args] = call(made++);
      const { error, result } = await callTool(agent, server.url, token, name, args);
      if (error !== undefined || result?.isError)
        throw new Error(`${name} failed: ${JSON.stringify(error ?? result)}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
  const cpu = (cpuSecondsOf(server.process.pid) ?? Number.NaN) - cpuBefore;
  return { perSecond: (made / (performance.now() - started)) * 1000, cpuMs: (cpu * 1000) / made };
}

interface Round {
  readonly perSecond: number;
  /** Processor time of the server for one call. */
  readonly cpuMs: number;
}

/** Waits for what is learned in the background after indexing; it would be timed with the calls. */
async function settled(): Promise<void> {
  const agent = new Agent();
  await vectorsReady({
    call: async ({ name, arguments: args }) => {
      const started = performance.now();
      const { result } = await callTool(agent, served.url, token, name, args);
      const structured = (result?.structuredContent ?? {}) as Record<string, unknown>;
      const text = JSON.stringify(structured);
      return { ms: performance.now() - started, isError: result?.isError === true, text, structured };
    },
  });
}

function forOneRound(): () => boolean {
  const end = performance.now() + ROUND_MS;
  return () => performance.now() < end;
}

function residentMB(server: ServerProcess): number {
  return memoryOf(server.process.pid)?.nowMB ?? Number.NaN;
}

const folder = workspace();
const place = { vault: join(folder, 'vault'), state: join(folder, 'state') };
mkdirSync(place.vault);
progress(`writing ${flags.notes} notes`);
const { samplePaths } = generateVault(place.vault, Number(flags.notes));
const token = createToken(place, 'bench', 'vault:read');
const served = await serveLectern(place);
progress('learning the vectors');
await settled();
const echoServer = fileURLToPath(new URL('support/echo-server.mjs', import.meta.url));
const echoing = await startServer(process.execPath, [echoServer]);

const path = (turn: number) => samplePaths[turn % samplePaths.length] ?? '';
const texts = samplePaths.map((each) => readFileSync(join(place.vault, each), 'utf8'));
const kinds: readonly (readonly [name: string, server: ServerProcess, call: Call, rounds: Round[]])[] = [
  ['echo of a word', echoing, () => ['echo', { text: 'hello' }], []],
  ['echo of a note', echoing, (turn) => ['echo', { text: texts[turn % texts.length] }], []],
  ['note_read', served, (turn) => ['note_read', { path: path(turn) }], []],
];
for (let round = 0; round <= Number(flags.rounds); round++) {
  progress(`round ${round} of ${flags.rounds}`);
  for (const [, server, call, rounds] of kinds) {
    const result = await drive(server, call, forOneRound());
    // Round 0 is for the runtime to compile what runs often.
    if (round > 0) rounds.push(result);
  }
}
await echoing.stop();

const WORDS = ['note', 'plan', 'project', 'time', 'with', 'work'];
const reading: Call = (turn) => {
  if (turn % 10 === 0)
    return ['vault_search', { q: `${WORDS[turn % 6]} ${WORDS[((turn / 10) % 6) | 0]}`, limit: 5 }];
  if (turn % 10 === 5) return ['note_list', { path_glob: 'Areas/**', limit: 20 }];
  return ['note_read', { path: path(turn) }];
};
const memory = [residentMB(served)];
const requests = Number(flags.requests);
for (let sample = 1; sample <= MEMORY_SAMPLES && requests > 0; sample++) {
  await drive(served, reading, (made) => made < requests / MEMORY_SAMPLES);
  memory.push(residentMB(served));
  progress(`${(sample * requests) / MEMORY_SAMPLES} requests: ${memory.at(-1)} MB`);
}
await served.stop();

const rateOf = (rounds: readonly Round[]) => median(rounds.map((round) => round.perSecond));
const costOf = (rounds: readonly Round[]) => median(rounds.map((round) => round.cpuMs));
const [[, , , bare] = ['', served, reading, []]] = kinds;
const rows = kinds.map(([name, , , rounds]) => [
  name,
  figure(rateOf(rounds)),
  `${Math.round((100 * rateOf(rounds)) / rateOf(bare))} %`,
  milliseconds(costOf(rounds)),
]);
const text = [
  `${CLIENTS} connections, ${flags.rounds} rounds of ${ROUND_MS / 1000} s in turn, ${flags.notes} notes. ${machine()}, load ${load()}; the clients run on the same machine.`,
  '',
  table(['call', 'per second', 'of bare', 'processor time of the server, each'], rows),
  ...(requests > 0
    ? [
        '',
        `Memory over ${requests} reads and searches, every ${requests / MEMORY_SAMPLES}: ${memory.join(' → ')} MB.`,
      ]
    : []),
].join('\n');
if (flags.write) publish(PERFORMANCE, 'bench/http-throughput.ts', text);
process.stdout.write(`${text}\n`);
