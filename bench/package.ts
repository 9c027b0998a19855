/**
 * The package: its size, what it brings with it, and how long it takes until a client has an answer.
 *
 *   node scripts/run-ts.mjs bench/package.ts
 *
 * --rounds 3     installs to take the median of
 * --write        put the result into docs/performance.md
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installGlobally, pack, packagesBeside } from './support/installed-package.ts';
import { median, milliseconds } from './support/numbers.ts';
import { load, machine, PERFORMANCE, progress, publish, table } from './support/report.ts';
import { emptyFolder, folderBytes, workspace } from './support/workspace.ts';

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, write: { type: 'boolean', default: false } },
});
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1)} MB`;
const folder = workspace();
const before = load();

progress('packing');
const packed = await pack(folder);
const prefix = join(folder, 'prefix');
const cache = join(folder, 'cache');

/** ms of one `npm install -g <tarball>` into an empty prefix. */
async function install(): Promise<number> {
  emptyFolder(prefix);
  const start = performance.now();
  program = await installGlobally(packed.file, prefix, ['--cache', cache]);
  return performance.now() - start;
}

let program = '';
const cold: number[] = [];
const warm: number[] = [];
for (let round = 0; round < Number(flags.rounds); round++) {
  progress(`install ${round + 1}`);
  emptyFolder(cache);
  cold.push(await install());
  warm.push(await install());
}
const version = spawnSync(program, ['--version'], { encoding: 'utf8' });
if (version.status !== 0) throw new Error(`What was installed does not start: ${version.stderr}`);

const rows = [
  ['packed', megabytes(packed.bytes), '≤ 1.2 MB'],
  ['installed, own files and packages', megabytes(folderBytes(prefix)), '≤ 45 MB'],
  ['packages beside our own', String(packagesBeside(prefix).length), '≤ 25'],
  ['`npm install -g <tarball>`, nothing in npm’s cache', milliseconds(median(cold)), ''],
  ['`npm install -g <tarball>`, packages in npm’s cache', milliseconds(median(warm)), ''],
];
const text = `${machine()} (load average ${before} before, ${load()} after)

${table(['measured', 'value', 'target'], rows)}`;
console.log(text);
if (flags.write) publish(PERFORMANCE, 'bench/package.ts', text);
