// npm run dev: builds, starts the program, and does both again when a source changes.
//   npm run dev                                        the sample vault at http://127.0.0.1:7862/mcp, without tokens
//   npm run dev -- serve --no-auth --vault ~/Notes     any other command
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAll } from './build.mjs';

/** Editors write a file in several steps, and more than one file. */
const SETTLE_MS = 100;

const root = fileURLToPath(new URL('..', import.meta.url));
const state = `${root}node_modules/.cache/dev`;
const given = process.argv.slice(2);
const args =
  given.length > 0 ? given : ['serve', '--no-auth', '--vault', `${root}sample-vault`, '--state', state];

let child;
let turn = Promise.resolve();
let timer;

async function restart() {
  try {
    await buildAll();
  } catch {
    // esbuild has said what is wrong with the sources; what runs goes on running.
    return;
  }
  if (child?.exitCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  child = spawn(process.execPath, [`${root}dist/lectern.js`, ...args], { stdio: 'inherit' });
}

const again = () => {
  turn = turn.then(restart);
};

watch(`${root}src`, { recursive: true }, (_event, name) => {
  if (name === null || !/\.(?:ts|wat)$/.test(name) || /\.test\.ts$/.test(name)) return;
  clearTimeout(timer);
  timer = setTimeout(again, SETTLE_MS);
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    child?.kill(signal);
    process.exit();
  });
again();
