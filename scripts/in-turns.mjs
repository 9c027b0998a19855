// Code is loaded beside requests, and evaluating all that one `import()` brings holds the event loop for as long as it
// takes. So an import of the bundle loads what it needs piece by piece, each in a turn of its own.
import { posix } from 'node:path';
import { transformSync } from 'esbuild';

/** Bytes of code that are evaluated in one turn. Smaller files are loaded with the next one: each turn costs a look at the disk. */
const PIECE_BYTES = 24_000;

/** What it loads comes before anything is served, and so does what that loads. */
const START = 'dist/lectern.js';

/** As long as the word it replaces, so that source maps stay right. */
const LOADER = 'inTurn';

/**
 * Makes the `import()`s of a bundle load in turns.
 *
 * @param files what esbuild built, by path from the root of the build
 * @param outputs esbuild's account of it
 * @returns the files that have such imports, with new contents
 */
export function loadedInTurns(files, outputs) {
  const changed = new Map();
  const atStart = new Set([START, ...importsOf(outputs[START], 'dynamic-import')]);
  for (const [path, contents] of files) {
    if (atStart.has(path)) continue;
    const pieces = Object.fromEntries(
      importsOf(outputs[path], 'dynamic-import').flatMap((target) => {
        const before = piecesBefore(target, path, outputs);
        return before.length === 0
          ? []
          : [[specifier(path, target), before.map((each) => specifier(path, each))]];
      }),
    );
    if (Object.keys(pieces).length > 0) changed.set(path, withLoader(contents, pieces));
  }
  return changed;
}

/** What is to be loaded before `target`, each with all that it needs itself, beside what `importer` came with. */
function piecesBefore(target, importer, outputs) {
  const there = new Set(inOrder(importer, outputs));
  const pieces = [];
  let bytes = 0;
  for (const path of inOrder(target, outputs)) {
    if (there.has(path) || path === target) continue;
    bytes += outputs[path]?.bytes ?? PIECE_BYTES;
    if (bytes < PIECE_BYTES) continue;
    pieces.push(path);
    bytes = 0;
  }
  return pieces;
}

/** A file and all that it imports, after what each imports itself: files of the bundle and packages outside it. */
function inOrder(path, outputs, seen = new Set()) {
  if (seen.has(path)) return seen;
  for (const each of importsOf(outputs[path], 'import-statement')) inOrder(each, outputs, seen);
  return seen.add(path);
}

function importsOf(output, wanted) {
  const imports = output?.imports ?? [];
  return imports.flatMap(({ kind, path, external }) =>
    kind === wanted && !(external && path.startsWith('node:')) ? [path] : [],
  );
}

/** A package outside the bundle is imported by its name. */
function specifier(from, to) {
  if (!to.startsWith('dist/')) return to;
  const relative = posix.relative(posix.dirname(from), to);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** @throws Error when an import is written in another way than those that are replaced */
function withLoader(contents, pieces) {
  let code = contents;
  for (const target of Object.keys(pieces)) {
    const called = `import("${target}")`;
    if (!code.includes(called)) throw new Error(`There is no ${called}.`);
    code = code.replaceAll(called, `${LOADER}("${target}")`);
  }
  const end = code.lastIndexOf('\n//# sourceMappingURL=');
  const at = end === -1 ? code.length : end;
  return `${code.slice(0, at)}\n${loader(pieces)}${code.slice(at)}`;
}

/**
 * Whoever loads takes turns with the others in the process: two pieces in one turn would hold it twice as long, and all
 * pieces of one in a row would keep the others waiting. What is loaded is not waited for again.
 */
function loader(pieces) {
  const code = `async function ${LOADER}(path) {
  const shared = (globalThis[Symbol.for('lectern.loads')] ??= { loaded: new Set(), last: undefined });
  for (const piece of [...(${JSON.stringify(pieces)})[path], path]) {
    const name = piece.slice(piece.lastIndexOf('/') + 1);
    if (shared.loaded.has(name)) continue;
    const before = shared.last;
    const loading = (async () => {
      await before;
      if (shared.loaded.has(name)) return;
      await import(piece);
      shared.loaded.add(name);
      await new Promise((resolve) => setImmediate(resolve));
    })();
    shared.last = loading.catch(() => {});
    await loading;
  }
  return import(path);
}`;
  return transformSync(code, { minify: true, target: 'node20' }).code.trimEnd();
}
