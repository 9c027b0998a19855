// Everything a fresh clone needs, with nothing but Node: installs when the lock file changed, builds
// when a source changed, then runs what was asked. No dependency may be imported at the top of this file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The line of Node that the container has; with it comes a SQLite of its own. */
const NEWER = 24;
const [command = 'start', ...rest] = process.argv.slice(2);

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Lectern needs Node 20 or newer; this is ${process.version}.`);
  process.exit(1);
}

function run(program, args, options = {}) {
  const result = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  });
  if (result.error) {
    console.error(`Could not run ${program}: ${result.error.message}`);
    process.exit(1);
  }
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function digest(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths)
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length))
    .sort();
}

/** Runs `make` unless the stamp says it already ran for these inputs. */
function whenStale(stamp, inputs, make) {
  const wanted = digest(inputs);
  const file = join(root, stamp);
  if (existsSync(file) && readFileSync(file, 'utf8') === wanted) return;
  make();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, wanted);
}

/** Runs what depends on the Node it runs on once more on a newer one, unless this is one. */
async function onNewerNode() {
  const { nodeOfAtLeast } = await import('./pinned.mjs');
  let node;
  try {
    node = await nodeOfAtLeast(NEWER);
  } catch (error) {
    // In CI nothing may be missing; elsewhere there may be no network.
    if (process.env.CI) throw error;
    console.log(`skipped: the tests on Node ${NEWER} (${error.message})`);
    return;
  }
  if (node === process.execPath) return;
  console.log(`Once more on Node ${NEWER}: SQLite, the file system, threads and processes.`);
  run(node, ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.newer-node.config.ts']);
}

whenStale('node_modules/.lectern-installed', ['package-lock.json', 'package.json'], () =>
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    // What npm would build at its end is built below, and only when it is stale.
    env: { ...process.env, LECTERN_BUILD_FOLLOWS: '1' },
  }),
);
whenStale(
  'dist/.built',
  [...filesBelow('src'), 'scripts/build.mjs', 'scripts/licences.mjs', 'package.json', 'package-lock.json'],
  () => run(process.execPath, ['scripts/build.mjs']),
);

if (command === 'start') {
  run(process.execPath, ['dist/lectern.js', 'demo', ...rest], { cwd: process.cwd() });
} else if (command === 'test') {
  const bin = (name) => join(root, 'node_modules', '.bin', name);
  const steps = rest.includes('--long')
    ? [['vitest', ['run', '--config', 'vitest.long.config.ts']]]
    : [
        ['biome', ['ci', '.']],
        ['tsc', ['-p', '.']],
        ['vitest', ['run']],
      ];
  for (const [name, args] of steps) run(bin(name), args);
  if (!rest.includes('--long')) await onNewerNode();
} else {
  console.error(`Unknown command ${command}. Use start or test.`);
  process.exit(2);
}
