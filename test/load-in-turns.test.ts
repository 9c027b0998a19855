import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadedInTurns } from '../scripts/in-turns.mjs';

/** Code that is loaded beside requests is evaluated piece by piece, each in a turn of the event loop. */

/** Loads all that `entry.js` offers, twice and at the same time, and tells in which turn each file was evaluated. */
const DRIVER = `
let turn = 0;
const counter = setInterval(() => {});
const count = () => { turn += 1; counting = setImmediate(count); };
let counting = setImmediate(count);
const evaluated = [];
globalThis.note = (name) => evaluated.push({ name, turn });
const { loads } = await import('./dist/entry.js');
const load = () => Promise.allSettled(loads.map((each) => each()));
const first = await load();
const before = turn;
const ended = [...first, ...await load()];
const turnsAgain = turn - before;
clearInterval(counter);
clearImmediate(counting);
console.log(JSON.stringify({ evaluated, turnsAgain, ended: ended.map(({ status, value }) => value?.value ?? status) }));
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-turns-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'driver.js'), DRIVER);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Part {
  readonly code: string;
  readonly bytes?: number;
  readonly needs?: readonly string[];
  readonly loads?: readonly string[];
}

/** Writes a build as it would be installed. @returns what was changed of it */
function build(parts: Readonly<Record<string, Part>>): Map<string, string> {
  const outputs: Metafile['outputs'] = {};
  const files = new Map<string, string>();
  for (const [path, { code, bytes = 50_000, needs = [], loads = [] }] of Object.entries(parts)) {
    const imports = [
      ...needs.map((each) => ({ path: each, kind: 'import-statement' as const })),
      ...loads.map((each) => ({ path: each, kind: 'dynamic-import' as const })),
    ];
    outputs[path] = { bytes, imports, exports: [], inputs: {} };
    files.set(path, code);
  }
  const changed = loadedInTurns(files, outputs);
  for (const [path, code] of [...files, ...changed]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  return changed;
}

interface Loaded {
  readonly evaluated: readonly { readonly name: string; readonly turn: number }[];
  /** Turns that passed while what was loaded already was loaded again. */
  readonly turnsAgain: number;
  readonly ended: readonly unknown[];
}

function run(): Loaded {
  return JSON.parse(execFileSync(process.execPath, [join(folder, 'driver.js')], { encoding: 'utf8' }));
}

it('evaluates what an import brings in its order, one piece in a turn, small ones with the next', () => {
  const before = "import './there.js'; export const loads = [() => import(";
  const changed = build({
    'dist/entry.js': {
      code: `${before}"./chunks/target.js")];\n//# sourceMappingURL=entry.js.map`,
      needs: ['dist/there.js'],
      loads: ['dist/chunks/target.js'],
    },
    'dist/there.js': { code: "note('there')" },
    'dist/chunks/target.js': {
      code: "import '../there.js'; import './b.js'; export const value = 7; note('target')",
      needs: ['dist/there.js', 'dist/chunks/b.js'],
    },
    'dist/chunks/b.js': {
      code: "import './a.js'; import './small.js'; note('b')",
      needs: ['dist/chunks/a.js', 'dist/chunks/small.js'],
    },
    'dist/chunks/small.js': { code: "note('small')", bytes: 100 },
    'dist/chunks/a.js': { code: "note('a')" },
  });
  expect([...changed.keys()]).toEqual(['dist/entry.js']);
  const code = changed.get('dist/entry.js') ?? '';
  expect(code).toMatch(/\n\/\/# sourceMappingURL=entry\.js\.map$/);
  expect(code.indexOf('"./chunks/target.js"')).toBe(before.length);

  const { evaluated, ended, turnsAgain } = run();
  expect(ended).toEqual([7, 7]);
  expect(turnsAgain).toBe(0);
  expect(evaluated.map(({ name }) => name)).toEqual(['there', 'a', 'small', 'b', 'target']);
  const [, a, small, b, target] = evaluated.map(({ turn }) => turn);
  expect(small).toBe(b);
  expect(new Set([a, b, target]).size).toBe(3);
});

it('takes turns with other loads, and goes on after one that failed', () => {
  const target = (name: string, end = '') => ({
    [`dist/${name}.js`]: {
      code: `import './${name}-part.js'; export const value = '${name}'; note('${name}'); ${end}`,
      needs: [`dist/${name}-part.js`],
    },
    [`dist/${name}-part.js`]: { code: `note('${name}-part')` },
  });
  const names = ['one', 'two', 'three'];
  build({
    'dist/entry.js': {
      code: `export const loads = [${names.map((name) => `() => import("./${name}.js")`)}];`,
      loads: names.map((name) => `dist/${name}.js`),
    },
    ...target('one'),
    ...target('two', "throw new Error('broken');"),
    ...target('three'),
  });
  const { evaluated, ended } = run();
  expect(ended).toEqual(['one', 'rejected', 'three', 'one', 'rejected', 'three']);
  expect(evaluated).toHaveLength(6);
  expect(new Set(evaluated.map(({ turn }) => turn)).size).toBe(6);
});

it('refuses a build whose imports it does not find', () => {
  expect(() =>
    build({
      'dist/entry.js': { code: 'import(`./target.js`)', loads: ['dist/target.js'] },
      'dist/target.js': { code: "import './part.js'", needs: ['dist/part.js'] },
      'dist/part.js': { code: '' },
    }),
  ).toThrow('There is no import("./target.js").');
});
