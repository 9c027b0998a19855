import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Generation, type Space, startSpace } from './silverbullet/server.ts';
import { filesBelow } from './support/files-below.ts';
import { copyRun, type JsonReport } from './support/vault-copy.ts';
import { writeTree } from './support/write-tree.ts';

/** The command as a process, between folders and a space of SilverBullet. */

const SAMPLE = fileURLToPath(new URL('../sample-vault', import.meta.url));

let home: string;
let space: Space | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-copy-'));
  settings = {};
});
afterEach(async () => {
  await space?.close();
  space = undefined;
  rmSync(home, { recursive: true, force: true });
});

let settings: Record<string, string> = {};
function start(...args: string[]) {
  const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...inherited } = process.env;
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  return copyRun(args, { ...inherited, ...own, ...settings } as Record<string, string>);
}

async function copy(...args: string[]): Promise<JsonReport> {
  const { code, out, err } = await start(...args, '--json').ended;
  if (out === '') throw new Error(`lectern ended with ${code}: ${err}`);
  return JSON.parse(out) as JsonReport;
}

function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  writeTree(folder, files);
  return folder;
}

const SLOW_MS = 240_000;

const GENERATIONS: readonly Generation[] = ['deno', 'go', 'rust'];
it.each(GENERATIONS)(
  'a folder goes into a space of SilverBullet (%s) and back',
  { timeout: SLOW_MS },
  async (generation) => {
    space = await startSpace({ generation });
    const place = `silverbullet:${space.url}`;
    const there = await copy('--from', SAMPLE, '--to', place);
    expect(there.not_carried).toEqual([]);
    const back = join(home, 'back');
    await copy('--from', place, '--to', back);
    const [before, after] = [filesBelow(SAMPLE), filesBelow(back)];
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    const named = new Set(there.differences.map(({ path }) => path));
    const other = [...before]
      .filter(([path, bytes]) => !after.get(path)?.equals(bytes))
      .map(([path]) => path);
    expect(other.filter((path) => !named.has(path))).toEqual([]);
  },
);

it('a run that is killed goes on, and makes nothing twice', { timeout: SLOW_MS }, async () => {
  const notes = Object.fromEntries(
    Array.from({ length: 150 }, (_, at) => [
      `Folder ${at % 7}/Note ${at}.md`,
      `Note ${at}, see [[Note ${(at * 7) % 150}]].`,
    ]),
  );
  const from = write(join(home, 'from'), notes);
  space = await startSpace({ generation: 'rust' });
  const place = `silverbullet:${space.url}`;
  for (const enough of [10, 60]) {
    const { child, ended } = start('--from', from, '--to', place);
    // A signal of its own is sent as soon as so many files are there.
    const soon = setInterval(() => {
      if ((space?.files.size ?? 0) >= enough) child.kill('SIGKILL');
    }, 1);
    const { code } = await ended;
    clearInterval(soon);
    expect(code).toBeNull();
  }
  expect(space.files.size).toBeLessThan(150);
  const report = await copy('--from', from, '--to', place);
  expect(report.notes.copied + report.notes.there).toBe(150);
  expect(report.notes.there).toBeGreaterThan(50);
  expect([...space.files.keys()].sort()).toEqual(Object.keys(notes).sort());
  expect((await copy('--from', from, '--to', place)).notes).toEqual({ copied: 0, there: 150 });
});

it('a server that goes away in the middle ends it with the next step, and a torn file is made whole', {
  timeout: SLOW_MS,
}, async () => {
  const from = write(join(home, 'from'), { 'A.md': 'The whole of a note.\n', 'B.md': 'B' });
  space = await startSpace({ generation: 'go' });
  const place = `silverbullet:${space.url}`;
  space.faults = { cut: 'torn' };
  await start('--from', from, '--to', place).ended;
  space.faults = {};
  await copy('--from', from, '--to', place);
  expect(space.files.get('A.md')?.bytes.toString()).toBe('The whole of a note.\n');
  const { port } = new URL(space.url);
  await space.close();
  space = undefined;
  const { code, err } = await start('--from', from, '--to', `silverbullet:http://127.0.0.1:${port}`, '--json')
    .ended;
  expect([code, (JSON.parse(err) as { code: string }).code]).toEqual([1, 'unavailable']);
});

it('a dry run writes nothing, not even the folder', { timeout: SLOW_MS }, async () => {
  const to = join(home, 'to');
  const report = await copy('--from', SAMPLE, '--to', to, '--dry-run');
  expect([report.dry_run, report.notes.copied > 10]).toEqual([true, true]);
  expect(existsSync(to)).toBe(false);
  const { out } = await start('--from', SAMPLE, '--to', to, '--dry-run').ended;
  expect(out).toContain('Nothing was written');
});

it('between folders every byte and every time stays, and folders without a file go along', {
  timeout: SLOW_MS,
}, async () => {
  const from = write(join(home, 'from'), {
    'a/B.md': 'see [[C]]\r\n',
    'C.md': '\ufeffC',
    'x/y.bin': new Uint8Array([0, 255]),
  });
  mkdirSync(join(from, 'empty', 'deep'), { recursive: true });
  utimesSync(join(from, 'C.md'), 1e9, 1e9);
  const to = join(home, 'to');
  const report = await copy('--from', from, '--to', to);
  expect(report).toMatchObject({
    notes: { copied: 2 },
    attachments: { copied: 1 },
    not_carried: [],
    differences: [],
  });
  expect(filesBelow(to)).toEqual(filesBelow(from));
  expect(statSync(join(to, 'C.md')).mtimeMs).toBe(1e12);
  expect(statSync(join(to, 'empty', 'deep')).isDirectory()).toBe(true);
});

it('nothing is written over, and the exit code says that something was not carried', {
  timeout: SLOW_MS,
}, async () => {
  const from = write(join(home, 'from'), { 'A.md': 'new', 'B.md': 'B' });
  const to = write(join(home, 'to'), { 'A.md': 'mine' });
  const { code, out } = await start('--from', from, '--to', to).ended;
  expect(code).toBe(1);
  expect(out).toContain('A.md: ');
  expect(filesBelow(to).get('A.md')?.toString()).toBe('mine');
});

it('refuses a destination inside of the source, and a home that may not be written', {
  timeout: SLOW_MS,
}, async () => {
  const from = write(join(home, 'from'), { 'A.md': 'a' });
  const inside = await start('--from', from, '--to', join(from, 'copy'), '--json').ended;
  expect([inside.code, (JSON.parse(inside.err) as { code: string }).code]).toEqual([2, 'invalid_input']);
  expect(existsSync(join(from, 'copy'))).toBe(false);
  settings = { LECTERN_READ_ONLY: '1' };
  const readOnly = await start('--from', from, '--to', join(home, 'to'), '--json').ended;
  expect((JSON.parse(readOnly.err) as { code: string }).code).toBe('read_only');
});

it('the first signal ends it between two files', { timeout: SLOW_MS }, async () => {
  const notes = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`Note ${at}.md`, `${at}`]));
  const from = write(join(home, 'from'), notes);
  space = await startSpace({ generation: 'go' });
  space.faults = { slow: 5 };
  const { child, ended } = start('--from', from, '--to', `silverbullet:${space.url}`);
  let isSent = false;
  const soon = setInterval(() => {
    if ((space?.files.size ?? 0) < 3 || isSent) return;
    isSent = true;
    child.kill('SIGTERM');
  }, 2);
  await once(child, 'exit');
  clearInterval(soon);
  const { code, err } = await ended;
  expect(code).toBe(1);
  expect(err).toContain('Run the same command again');
});
