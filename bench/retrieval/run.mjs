// Bundles the benchmark (Node 20 reads no TypeScript) and runs it: node bench/retrieval/run.mjs [collection …]
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const entry = fileURLToPath(new URL('run.ts', import.meta.url));
const output = fileURLToPath(new URL('../../dist/bench/retrieval.mjs', import.meta.url));
mkdirSync(fileURLToPath(new URL('../../dist/bench/', import.meta.url)), { recursive: true });
await build({
  entryPoints: [entry],
  outfile: output,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  // The bundle lies elsewhere; files beside the sources are still found.
  define: { 'import.meta.url': JSON.stringify(pathToFileURL(entry).href) },
  logLevel: 'warning',
});
const run = spawnSync(process.execPath, [output, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = run.status ?? 1;
