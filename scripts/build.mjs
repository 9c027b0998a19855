// Bundles the binary and the indexer's worker into dist/. One bundle instead of a module tree
// saves ~100 ms of every start (measured with the SDK; see docs/dependencies.md).
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages with native parts or worker files of their own stay outside the bundle. */
const external = ['satteri', '@photostructure/sqlite', '@parcel/watcher', 'pino', 'oidc-provider', 'esbuild'];

export async function buildAll() {
  rmSync(`${root}/dist`, { recursive: true, force: true });
  const entryPoints = [
    { in: `${root}/src/main.ts`, out: 'lectern' },
    { in: `${root}/src/cli/indexer-worker.ts`, out: 'indexer-worker' },
  ].filter((entry) => existsSync(entry.in));
  await build({
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
  if (existsSync(`${root}/dist/lectern.js`)) chmodSync(`${root}/dist/lectern.js`, 0o755);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
