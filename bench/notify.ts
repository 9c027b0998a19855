/**
 * How long after an editor's save a subscribed client is told, from the save's first system call to the
 * notification in the client, over standard input and output and over HTTP, in both protocol eras.
 *
 *   node scripts/build.mjs && node scripts/run-ts.mjs bench/notify.ts
 *
 * --notes 20000   size of the generated vault      --saves 100   of each kind, per door
 * --write         put the result into docs/performance.md
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { encodePath } from '../src/mcp/resource-uri.ts';
import { lectern } from './support/lectern.ts';
import { McpProcess } from './support/mcp-process.ts';
import { median, milliseconds, quantile } from './support/numbers.ts';
import { Random } from './support/random.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { type Era, serveOverHttp, subscribeOverHttp, subscribeOverStdio } from './support/subscriber.ts';
import { indexReady, vectorsReady } from './support/watch.ts';
import { emptyFolder, workspace } from './support/workspace.ts';
import { generateVault } from './vault/generate.ts';

const { values: flags } = parseArgs({
  options: {
    notes: { type: 'string', default: '20000' },
    saves: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const saves = Number(flags.saves);
const random = new Random(Number(flags.seed));
const folder = workspace();
const vault = emptyFolder(folder, 'vault');
const state = emptyFolder(folder, 'state');
const ERAS: readonly Era[] = ['2025-11-25', '2026-07-28'];
/** Before the first save that counts: the runtime compiles what runs often. */
const WARM_UP = 10;
const TARGET_MS = 500;
const LOST_MS = 30_000;

type Save = (file: string, text: string) => void;

const SAVES: readonly (readonly [string, Save])[] = [
  ['written in place', (file, text) => writeFileSync(file, text)],
  [
    'written beside it and renamed',
    (file, text) => {
      writeFileSync(`${file}.new~`, text);
      renameSync(`${file}.new~`, file);
    },
  ],
];

/** Waits for the notification of one URI at a time. */
class Ear {
  #heard: { readonly uri: string; readonly done: () => void } | undefined;

  readonly told = (uri: string): void => {
    if (uri === this.#heard?.uri) this.#heard.done();
  };

  /** @returns ms until `uri` was told of, from when `save` began */
  async hear(uri: string, save: () => void): Promise<number> {
    const started = performance.now();
    const heard = new Promise<number>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${uri} was not told of.`)), LOST_MS);
      const done = () => {
        clearTimeout(late);
        resolve(performance.now() - started);
      };
      this.#heard = { uri, done };
    });
    save();
    return await heard;
  }
}

/** @returns ms per ear and save */
async function timed(ears: readonly Ear[], save: Save, paths: readonly string[]): Promise<number[][]> {
  const times: number[][] = ears.map(() => []);
  for (let n = -WARM_UP; n < saves; n++) {
    const path = random.pick(paths);
    const file = join(vault, path);
    const text = `${readFileSync(file, 'utf8')}\nSaved once more.\n`;
    const uri = `vault://${encodePath(path)}`;
    // One save, however many listen.
    let saved = false;
    const once = () => {
      if (!saved) save(file, text);
      saved = true;
    };
    const heard = await Promise.all(ears.map((ear) => ear.hear(uri, once)));
    if (n >= 0) for (const [at, ms] of heard.entries()) times[at]?.push(ms);
    // As a person saves: at any moment of whatever the server does in turns.
    await sleep(100 + random.below(200));
  }
  return times;
}

function row(door: string, how: string, times: readonly number[]): readonly string[] {
  return [
    `${door}, ${how}`,
    ...[median(times), quantile(times, 0.95), Math.max(...times)].map(milliseconds),
    `p95 < ${TARGET_MS} ms`,
  ];
}

async function stopped(child: ChildProcess, stop: () => void): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  stop();
  await gone;
}

async function overStdio(era: Era, paths: readonly string[]): Promise<(readonly string[])[]> {
  const { program, args } = lectern(vault, state);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ear = new Ear();
  await subscribeOverStdio(child, era, 'vault://**', ear.told);
  const rows = [];
  for (const [how, save] of SAVES) {
    const [times = []] = await timed([ear], save, paths);
    rows.push(row(`stdio, ${era}`, how, times));
  }
  await stopped(child, () => child.stdin.end());
  return rows;
}

async function overHttp(paths: readonly string[]): Promise<(readonly string[])[]> {
  const binary = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
  const args = [binary, 'serve', '--no-auth', '--port', '0', '--vault', vault, '--state', state];
  const { child, url } = await serveOverHttp({ program: process.execPath, args });
  const ears = ERAS.map(() => new Ear());
  for (const [at, era] of ERAS.entries())
    await subscribeOverHttp(url, era, 'vault://**', (uri) => ears[at]?.told(uri));
  const rows = [];
  for (const [how, save] of SAVES) {
    const times = await timed(ears, save, paths);
    for (const [at, era] of ERAS.entries()) rows.push(row(`HTTP, ${era}`, how, times[at] ?? []));
  }
  await stopped(child, () => child.kill('SIGTERM'));
  return rows;
}

const notes = Number(flags.notes);
progress(`writing ${notes} notes`);
const { samplePaths } = generateVault(vault, notes, Number(flags.seed));
const before = load();
const first = new McpProcess(lectern(vault, state));
await first.initialize();
progress('indexing');
await indexReady(first);
progress('learning vectors');
await vectorsReady(first);
await first.close();
const rows: (readonly string[])[] = [];
for (const era of ERAS) {
  progress(`stdio, ${era}`);
  rows.push(...(await overStdio(era, samplePaths)));
}
progress('HTTP');
rows.push(...(await overHttp(samplePaths)));

const result = [
  machine(),
  `**${notes} notes, ${saves} saves of each kind** (load average ${before} before, ${load()} after)`,
  table(['from a save to the notification', 'p50', 'p95', 'most', 'target'], rows),
].join('\n\n');
process.stdout.write(`${result}\n`);
if (flags.write) publish(PERFORMANCE, 'bench/notify.ts', result);
process.exit(0);
