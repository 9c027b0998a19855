import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));

/** What a module loads before it runs: itself and everything it imports statically, packages by name. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, from] of source.matchAll(
    /(?:^|[;\n}])(?:import|export)(?:[\w*${}\s,]*?from)?\s*"([^"]+)"/g,
  )) {
    if (from === undefined || isBuiltin(from)) continue;
    if (from.startsWith('.')) loadedWith(join(dirname(file), from), seen);
    else seen.add(from);
  }
  return seen;
}

/** The file of the chunk that a file loads when it runs, with nothing in between. */
function imported(file: string, chunk: string): string {
  const [, path] =
    new RegExp(`[^\\w]import\\("(\\./[\\w/-]*${chunk}-\\w+\\.js)"\\)`).exec(readFileSync(file, 'utf8')) ?? [];
  expect(path, `${chunk} in ${file}`).toBeDefined();
  return join(dirname(file), path ?? '');
}

/**
 * The handshake waits for what is loaded before it, so that is kept small: no protocol layer, no
 * parser, no database, no watcher, no logger. The times themselves are the bench's business.
 */
it('loads next to nothing before the handshake is answered', () => {
  const main = join(DIST, 'lectern.js');
  const commands = imported(main, 'command-line');
  const loaded = [main, commands, imported(commands, 'mcp-serve')].reduce(
    (seen, file) => loadedWith(file, seen),
    new Set<string>(),
  );
  const files = [...loaded].filter((name) => name.startsWith(DIST));
  const packages = [...loaded].filter((name) => !name.startsWith(DIST));
  expect(files.length).toBeGreaterThan(2);
  expect(packages).toEqual([]);
  const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
  // The command line's parser is 44 KB of it.
  expect(bytes).toBeLessThan(119_000);
});
