import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const BINARY = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));
const isKept = 'enableCompileCache' in nodeModule;

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-compiled-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function version(): string {
  const env = { ...process.env, XDG_STATE_HOME: home, NODE_COMPILE_CACHE: undefined };
  return execFileSync(process.execPath, [BINARY, '--version'], { env, encoding: 'utf8' });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}

describe('compiled code', () => {
  it('is not kept where Lectern has kept nothing so far', () => {
    expect(version()).toMatch(/^\d+\.\d+\.\d+/);
    expect(readdirSync(home)).toEqual([]);
  });

  it(isKept ? 'is kept for the next start, for its owner alone' : 'is not kept by this Node', () => {
    mkdirSync(join(home, 'lectern'), { mode: 0o755 });
    version();
    const all = join(home, 'lectern', 'compiled');
    expect(existsSync(all)).toBe(isKept);
    if (!isKept) return;
    for (const folder of [join(home, 'lectern'), all, join(all, readdirSync(all)[0] as string)])
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    const kept = filesBelow(all).sort();
    expect(kept.length).toBeGreaterThan(3);
    version();
    expect(filesBelow(all).sort()).toEqual(kept);
  });

  it.runIf(isKept)('of builds that are gone is removed, oldest first', () => {
    const all = join(home, 'lectern', 'compiled');
    for (const [nth, name] of ['b', 'a', 'c', 'd'].entries()) {
      mkdirSync(join(all, name), { recursive: true });
      utimesSync(join(all, name), nth + 1, nth + 1);
    }
    version();
    const left = readdirSync(all);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining(['c', 'd']));
  });

  it('needs no folder that can be written', () => {
    mkdirSync(join(home, 'lectern'));
    // A file where the folder would be.
    writeFileSync(join(home, 'lectern', 'compiled'), '');
    expect(version()).toMatch(/^\d+\.\d+\.\d+/);
  });
});
