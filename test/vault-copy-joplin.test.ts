import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasJoplin, type Joplin, startJoplin } from './joplin/joplin.ts';
import { filesOfArchive } from './patch/vault-archives.ts';
import { filesBelow } from './support/files-below.ts';
import { copyRun, type JsonReport } from './support/vault-copy.ts';

/** Vaults copied into a real Joplin and out of it again. */

const SAMPLE = fileURLToPath(new URL('../sample-vault', import.meta.url));
const archive = (name: string) =>
  fileURLToPath(new URL(`../../shared/vaults/${name}.tar.gz`, import.meta.url));
const SLOW_MS = 300_000;

let joplin: Joplin;
let home: string;
beforeAll(async () => {
  if (hasJoplin) joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-copy-'));
});
afterEach(async () => {
  rmSync(home, { recursive: true, force: true });
  if (!hasJoplin) return;
  for (const { id } of await all<{ id: string }>('folders'))
    await joplin.call('DELETE', `folders/${id}?permanent=1`);
  for (const { id } of await all<{ id: string }>('resources')) await joplin.call('DELETE', `resources/${id}`);
});

async function all<T>(path: string): Promise<readonly T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const { items, has_more } = await joplin.call<{ items: T[]; has_more: boolean }>(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=100&page=${page}`,
    );
    found.push(...items);
    if (!has_more || items.length === 0) return found;
  }
}

function environment(): Record<string, string> {
  const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...inherited } = process.env;
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  return { ...inherited, ...own, LECTERN_JOPLIN_TOKEN: joplin.token } as Record<string, string>;
}

async function copy(...args: string[]): Promise<JsonReport> {
  const { code, out, err } = await copyRun([...args, '--json'], environment()).ended;
  if (out === '') throw new Error(`lectern ended with ${code}: ${err}`);
  expect(out + err).not.toContain(joplin.token);
  return JSON.parse(out) as JsonReport;
}

function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

function unpacked(name: string): string {
  const files = filesOfArchive(archive(name));
  return write(
    join(home, name),
    Object.fromEntries(files.map(({ path, bytes }) => [path.slice(name.length + 1), bytes])),
  );
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');

describe.skipIf(!hasJoplin)('from a folder into Joplin and back', () => {
  const vaults: readonly (readonly [string, () => string])[] = [
    ['sample-vault', () => SAMPLE],
    ...['kepano', 'tasks-docs'].flatMap((name) => {
      if (existsSync(archive(name))) return [[name, () => unpacked(name)] as const];
      console.log(`skipped: the round trip of ${name}, which is not beside this clone`);
      return [];
    }),
  ];
  it.each(vaults)(
    '%s keeps every byte that both can hold, and the report names the rest',
    async (name, make) => {
      const from = make();
      const place = `joplin:${joplin.url}`;
      const there = await copy('--from', from, '--to', place, '--to-folder', name);
      console.log(
        name,
        JSON.stringify({ ...there, differences: there.differences.length }),
        JSON.stringify(there.differences.slice(0, 20)),
      );
      const back = join(home, 'back');
      const needed = await copy(
        '--from',
        place,
        '--from-folder',
        name,
        '--to',
        back,
        '--front-matter',
        'needed',
      );
      console.log(
        JSON.stringify({ ...needed, differences: needed.differences.length }),
        JSON.stringify(needed.differences.slice(0, 20)),
      );
      const before = filesBelow(from);
      const after = filesBelow(back);
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      const named = new Set(there.differences.map(({ path }) => path));
      const other = [...before]
        .filter(([path, bytes]) => !after.get(path)?.equals(bytes))
        .map(([path]) => path);
      for (const path of other)
        console.log(
          path,
          text(before.get(path) ?? new Uint8Array()).slice(0, 200),
          '>>>',
          text(after.get(path) ?? new Uint8Array()).slice(0, 300),
        );
      expect(other.filter((path) => !named.has(path))).toEqual([]);
    },
    SLOW_MS,
  );
});
