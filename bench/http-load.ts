/**
 * Many clients on the HTTP door at once, reading and writing a generated vault: errors, lost writes,
 * times. The server is the built binary in a process of its own; the clients share this one.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/http-load.ts --clients 64 --seconds 60
 *
 * --notes 5000   size of the generated vault      --write   put the result into docs/performance.md
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type LoadReport, lostWrites, ownNote, runLoad, SHARED_NOTE } from '../test/support/http-load.ts';
import { lectern } from './support/lectern.ts';
import { milliseconds, quantile } from './support/numbers.ts';
import { load, machine, progress, publish, table } from './support/report.ts';
import { workspace } from './support/workspace.ts';
import { generateVault } from './vault/generate.ts';

const { values: flags } = parseArgs({
  options: {
    clients: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '60' },
    notes: { type: 'string', default: '5000' },
    write: { type: 'boolean', default: false },
  },
});
const clients = Number(flags.clients);
const seconds = Number(flags.seconds);

const folder = workspace();
const vault = join(folder, 'vault');
const state = join(folder, 'state');
mkdirSync(join(vault, 'Load'), { recursive: true });
progress(`writing ${flags.notes} notes`);
const { samplePaths } = generateVault(vault, Number(flags.notes));
const numbers = Array.from({ length: clients }, (_, client) => client);
for (const path of [SHARED_NOTE, ...numbers.map(ownNote)]) writeFileSync(join(vault, path), '# Log\n');

const { program, args } = lectern(vault, state);
const [binary = ''] = args;
const place = ['--vault', vault, '--state', state];

function token(client: number): string {
  const create = [
    binary,
    'token',
    'create',
    '--name',
    `client ${client}`,
    '--scope',
    'vault:write',
    ...place,
  ];
  return execFileSync(program, create, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

async function serve(): Promise<{ server: ChildProcess; url: URL }> {
  const options = ['serve', '--http', '--port', '0', '--rate-limit', '0', ...place];
  const server = spawn(program, [binary, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise<URL>((resolve, reject) => {
    let said = '';
    server.stderr.on('data', (data) => {
      said += String(data);
      const [, found] = / at (http:\S+\/mcp) /.exec(said) ?? [];
      if (found !== undefined) resolve(new URL(found));
    });
    server.once('exit', () => reject(new Error(said)));
  });
  return { server, url };
}

async function indexed(url: URL): Promise<void> {
  for (;;) {
    const { index } = (await (await fetch(new URL('/readyz', url))).json()) as { index: string };
    if (index === 'ready') return;
    await setTimeout(200);
  }
}

/** Resident memory of a process in MB, where the system tells. */
function residentMb(pid: number | undefined): string {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return `${Math.round((Number(pages) * 4096) / 2 ** 20)} MB`;
  } catch {
    return 'unknown';
  }
}

function report({ errors, times, written }: LoadReport, memory: readonly string[]): string {
  const requests = [...times.values()].reduce((sum, of) => sum + of.length, 0);
  const lines = [...written.values()].reduce((sum, of) => sum + of.length, 0);
  const lost = lostWrites(written, (path) => readFileSync(join(vault, path), 'utf8'));
  const rows = [...times].map(([name, of]) => [
    name,
    String(of.length),
    ...[0.5, 0.95, 0.99].map((share) => milliseconds(quantile(of, share))),
  ]);
  return [
    `${clients} clients for ${seconds} s on ${flags.notes} notes: ${requests} requests (${Math.round(requests / seconds)} per second), ${errors.length} errors, ${lines} acknowledged writes, ${lost} of them lost. Memory ${memory.join(' → ')}. ${machine()}, load ${load()}; the clients run on the same machine.`,
    '',
    table(['tool', 'calls', 'p50', 'p95', 'p99'], rows),
    ...errors.slice(0, 5).map((error) => `\n${error}`),
  ].join('\n');
}

progress(`making ${clients} tokens`);
const tokens = numbers.map(token);
const { server, url } = await serve();
await indexed(url);
progress(`${clients} clients for ${seconds} s`);
const before = residentMb(server.pid);
const result = await runLoad({
  url,
  tokens,
  durationMs: seconds * 1000,
  notes: samplePaths,
  words: ['note', 'plan', 'log', 'client', 'project', 'turn'],
});
const after = residentMb(server.pid);
const left = new Promise((resolve) => server.once('exit', resolve));
server.kill('SIGTERM');
await left;
const text = report(result, [before, after]);
if (flags.write) publish('docs/performance.md', 'bench/http-load.ts', text);
process.stdout.write(`${text}\n`);
