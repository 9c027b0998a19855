// Bundles the binary and its threads into dist/. One bundle instead of a module tree saves ~100 ms of every start
// (measured with the SDK; see docs/dependencies.md).
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const SWEEP_AFTER_MS = 10 * 60_000;

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Packages with native parts or worker files of their own stay outside the bundle. */
const external = ['satteri', '@photostructure/sqlite', '@parcel/watcher', 'pino', 'oidc-provider', 'esbuild'];

export async function buildAll() {
  const entryPoints = [
    { in: `${root}/src/main.ts`, out: 'lectern' },
    { in: `${root}/src/app/threads/indexer-worker.ts`, out: 'indexer-worker' },
    { in: `${root}/src/app/threads/digest-worker.ts`, out: 'digest-worker' },
    { in: `${root}/src/app/threads/note-worker.ts`, out: 'note-worker' },
    { in: `${root}/src/app/threads/learn-worker.ts`, out: 'learn-worker' },
    { in: `${root}/src/app/threads/model-worker.ts`, out: 'model-worker' },
  ].filter((entry) => existsSync(entry.in));
  const { outputFiles } = await build({
    write: false,
    entryPoints,
    outdir: `${root}/dist`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'linked',
    sourcemap: true,
    external,
    alias: { '@modelcontextprotocol/server/_shims': `${root}/src/mcp/sdk-shims.ts` },
    chunkNames: 'chunks/[name]-[hash]',
    banner: {
      js: "import { createRequire as lecternCreateRequire } from 'node:module'; const require = lecternCreateRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  for (const file of outputFiles) install(file);
  sweep(new Set(outputFiles.map((file) => file.path)));
}

/** Whole files appear at once: a server that is running from dist/ never loads half a chunk. */
function install({ path, contents }) {
  mkdirSync(dirname(path), { recursive: true });
  const temp = `${path}.${process.pid}`;
  writeFileSync(temp, contents, { mode: path.endsWith('lectern.js') ? 0o755 : 0o644 });
  renameSync(temp, path);
}

/** Removes what earlier builds left, after a while in which servers started from them may still load it. */
function sweep(kept) {
  for (const entry of readdirSync(`${root}/dist`, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (!entry.isFile() || kept.has(path) || entry.name === '.built') continue;
    if (Date.now() - statSync(path).mtimeMs > SWEEP_AFTER_MS) rmSync(path, { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
