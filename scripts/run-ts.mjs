// Runs a TypeScript file of this repository: node scripts/run-ts.mjs bench/server.ts --notes 5000
// esbuild bundles it into node_modules/.cache, because Node 20 does not run TypeScript by itself.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  console.error('Usage: node scripts/run-ts.mjs <file.ts> [arguments]');
  process.exit(2);
}

/** In a bundle every module would have the bundle's address; each keeps its own, as files are found by it. */
const ownAddress = {
  name: 'own-address',
  setup(bundler) {
    bundler.onLoad({ filter: /\.(?:ts|mjs)$/ }, ({ path }) =>
      path.includes('node_modules')
        ? undefined
        : {
            contents: readFileSync(path, 'utf8').replaceAll(
              'import.meta.url',
              JSON.stringify(pathToFileURL(path).href),
            ),
            loader: path.endsWith('.ts') ? 'ts' : 'js',
          },
    );
  },
};

const cache = `${root}node_modules/.cache`;
mkdirSync(cache, { recursive: true });
// Inside the repository, so that the packages it imports are found.
const folder = mkdtempSync(`${cache}/run-`);
const outfile = `${folder}/${basename(script).replace(/\.ts$/, '.mjs')}`;
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
await build({
  entryPoints: [resolve(script)],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  plugins: [ownAddress],
  logLevel: 'warning',
});
const child = spawn(process.execPath, ['--enable-source-maps', outfile, ...args], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
process.exitCode = await new Promise((done) => {
  child.on('exit', (code, signal) => done(code ?? (signal === null ? 1 : 128)));
});
