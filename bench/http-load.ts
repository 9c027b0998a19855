/**
 * Many clients on the HTTP door at once, reading and writing a generated vault: errors, lost writes,
 * times. The server is the built binary in a process of its own; the clients share this one.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/http-load.ts --clients 64 --seconds 60
 *
 * --notes 5000   size of the generated vault      --write   put the result into docs/performance.md
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadReport, lostWrites, ownNote, runLoad, SHARED_NOTE } from '../test/support/http-load.ts';
import { createToken, serveLectern } from './support/http-server.ts';
import { milliseconds, quantile } from './support/numbers.ts';
import { memoryOf } from './support/process-usage.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
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

function report({ errors, times, written }: LoadReport, memory: readonly number[]): string {
  const requests = [...times.values()].reduce((sum, of) => sum + of.length, 0);
  const lines = [...written.values()].reduce((sum, of) => sum + of.length, 0);
  const lost = lostWrites(written, (path) => readFileSync(join(vault, path), 'utf8'));
  const rows = [...times].map(([name, of]) => [
    name,
    String(of.length),
    ...[0.5, 0.95, 0.99].map((share) => milliseconds(quantile(of, share))),
  ]);
  return [
    `${clients} clients for ${seconds} s on ${flags.notes} notes: ${requests} requests (${Math.round(requests / seconds)} per second), ${errors.length} errors, ${lines} acknowledged writes, ${lost} of them lost. Memory ${memory.join(' → ')} MB. ${machine()}, load ${load()}; the clients run on the same machine.`,
    '',
    table(['tool', 'calls', 'p50', 'p95', 'p99'], rows),
    ...errors.slice(0, 5).map((error) => `\n${error}`),
  ].join('\n');
}

progress(`making ${clients} tokens`);
const place = { vault, state };
const tokens = numbers.map((client) => createToken(place, `client ${client}`, 'vault:write'));
const server = await serveLectern(place);
progress(`${clients} clients for ${seconds} s`);
const before = memoryOf(server.process.pid)?.nowMB ?? Number.NaN;
const result = await runLoad({
  url: server.url,
  tokens,
  durationMs: seconds * 1000,
  notes: samplePaths,
  words: ['note', 'plan', 'log', 'client', 'project', 'turn'],
});
const after = memoryOf(server.process.pid)?.nowMB ?? Number.NaN;
await server.stop();
const text = report(result, [before, after]);
if (flags.write) publish(PERFORMANCE, 'bench/http-load.ts', text);
process.stdout.write(`${text}\n`);
