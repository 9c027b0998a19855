// Bundles the binary and its threads into dist/. One bundle instead of a module tree saves ~100 ms of every start
// (measured with the SDK; see docs/dependencies.md).
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { loadedInTurns } from './in-turns.mjs';
import { licencesOf } from './licences.mjs';

const SWEEP_AFTER_MS = 10 * 60_000;

/** Where esbuild puts the entries that only say where code is cut; they are not installed. */
const CUTS = 'cuts';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Packages with native parts stay outside the bundle and are installed with it. */
const external = Object.keys(JSON.parse(readFileSync(`${root}/package.json`, 'utf8')).dependencies);

/** @param sweepAfterMs age at which files of earlier builds go */
export async function buildAll(sweepAfterMs = SWEEP_AFTER_MS) {
  const { outputFiles, metafile } = await bundle();
  const licences = {
    path: `${root}/dist/THIRD_PARTY_LICENSES.txt`,
    contents: licencesOf(bundledPackages(metafile).map((folder) => `${root}/${folder}`)),
  };
  const files = [...pieces(outputFiles, metafile), licences];
  for (const file of files) install(file);
  sweep(new Set(files.map((file) => file.path)), sweepAfterMs);
}

/** What is built, as it is installed: without the entries that only mark where code is cut, and loading in turns. */
function pieces(outputFiles, { outputs }) {
  const pathOf = ({ path }) => path.slice(root.length + 1);
  const code = outputFiles.filter(({ path }) => path.endsWith('.js'));
  const changed = loadedInTurns(new Map(code.map((file) => [pathOf(file), file.text])), outputs);
  return outputFiles
    .filter((file) => !pathOf(file).startsWith(`dist/${CUTS}/`))
    .map((file) => ({ path: file.path, contents: changed.get(pathOf(file)) ?? file.contents }));
}

/** What is built, in memory, and esbuild's account of what it is made of. */
export async function bundle() {
  const entryPoints = [
    { in: `${root}/src/main.ts`, out: 'lectern' },
    { in: `${root}/src/app/threads/indexer-worker.ts`, out: 'indexer-worker' },
    { in: `${root}/src/app/threads/digest-worker.ts`, out: 'digest-worker' },
    { in: `${root}/src/app/threads/note-worker.ts`, out: 'note-worker' },
    { in: `${root}/src/app/threads/learn-worker.ts`, out: 'learn-worker' },
    { in: `${root}/src/app/threads/model-worker.ts`, out: 'model-worker' },
  ].filter((entry) => existsSync(entry.in));
  return await build({
    write: false,
    metafile: true,
    absWorkingDir: root,
    entryPoints: [
      ...entryPoints,
      ...cuts().map((path, nth) => ({ in: `cut:${path}`, out: `${CUTS}/${nth}` })),
    ],
    outdir: `${root}/dist`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    plugins: [cutEntries, keepClassNames, partsOfZod],
    legalComments: 'none',
    sourcemap: true,
    external,
    alias: { '@modelcontextprotocol/server/_shims': `${root}/src/mcp/sdk-shims.ts` },
    chunkNames: 'chunks/[name]-[hash]',
    banner: {
      js: "import { createRequire as lecternCreateRequire } from 'node:module'; const require = lecternCreateRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/**
 * Code that is a long piece to evaluate, cut from what is loaded with it: esbuild puts into a file of its own what a further
 * entry needs.
 */
function cuts() {
  const sdk = 'node_modules/@modelcontextprotocol';
  const partsOf = (folder, part) =>
    readdirSync(`${root}/${folder}`)
      .filter((name) => part.test(name))
      .map((name) => `${folder}/${name}`);
  return [
    ...partsOf(`${sdk}/core/dist`, /^(?:schemas|auth)-.*\.mjs$/),
    ...partsOf(`${sdk}/server/dist`, /^(?:src|mcp)-.*\.mjs$/),
    'src/journal/sqlite/journal.ts',
    'src/search/engine.ts',
  ];
}

/** An entry that only imports one file. */
const cutEntries = {
  name: 'cut-entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cut:/ }, ({ path }) => ({ path: path.slice(4), namespace: 'cut' }));
    onLoad({ filter: /.*/, namespace: 'cut' }, ({ path }) => ({
      contents: `import './${path}';`,
      resolveDir: root,
    }));
  },
};

/** The authorization server finds how long a token lives by the name of its class: without the name, none ever ends. */
const keepClassNames = {
  name: 'keep-class-names',
  setup({ onLoad, esbuild }) {
    onLoad({ filter: /[\\/]oidc-provider[\\/]lib[\\/].*\.js$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(readFileSync(path, 'utf8'), {
        keepNames: true,
        target: 'node20',
      });
      return { contents: code, loader: 'js' };
    });
  },
};

/**
 * The providers of models take all of zod as one object, which brings its messages in fifty languages; taken as a
 * namespace, what they do not use stays out: 90 KB of the package.
 */
const partsOfZod = {
  name: 'parts-of-zod',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@ai-sdk[\\/][^\\/]+[\\/]dist[\\/].*\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /^import \{ z(?: as (\w+))? \} from "zod\/v4";$/gm,
        (_whole, name = 'z') => `import * as ${name} from "zod/v4";`,
      ),
      loader: 'js',
    }));
  },
};

/** The packages whose code is in the bundle, by folder. */
export function bundledPackages({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^(?!cut:).*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].sort();
}

/** Whole files appear at once: a server that is running from dist/ never loads half a chunk. */
function install({ path, contents }) {
  mkdirSync(dirname(path), { recursive: true });
  const temp = `${path}.${process.pid}`;
  writeFileSync(temp, contents, { mode: path.endsWith('lectern.js') ? 0o755 : 0o644 });
  renameSync(temp, path);
}

/** Removes what earlier builds left, after a while in which servers started from them may still load it. */
function sweep(kept, afterMs) {
  for (const entry of readdirSync(`${root}/dist`, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (!entry.isFile() || kept.has(path) || entry.name === '.built') continue;
    if (Date.now() - statSync(path).mtimeMs >= afterMs) rmSync(path, { force: true });
  }
}

// A package holds one build: with --only, what earlier ones left goes at once.
if (process.argv[1] === fileURLToPath(import.meta.url))
  await buildAll(process.argv.includes('--only') ? 0 : undefined);
