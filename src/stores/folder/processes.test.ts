import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { etagOf } from '../../notes/etag.ts';
import { openFolderStore } from './folder-store.ts';
import { decode, encode, everyName, scratchVault } from './scratch-vault.ts';

// Faults that need other processes: parallel writers, editors that ask nobody, kill -9, a full disk.

/** The chance-driven tests run this many times as long: `LECTERN_FAULT_ROUNDS=20` before a release. */
const ROUNDS = Number(process.env.LECTERN_FAULT_ROUNDS ?? 1);

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await fs.mkdtemp(join(tmpdir(), 'lectern-processes-'));
  program = join(folder, 'program.mjs');
  await build({
    stdin: { contents: PROGRAM, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@parcel/watcher'],
    outfile: program,
    logLevel: 'error',
  });
});
afterAll(() => fs.rm(folder, { recursive: true, force: true }));

/** What the other processes run: `program.mjs <task> <root> <id>`. */
const PROGRAM = `
  import { writeSync } from 'node:fs';
  import { openFolderStore } from './folder-store.ts';
  import { etagOf } from '../../notes/etag.ts';
  const [, , task, root, id] = process.argv;
  // The superuser reads everything, so somebody else has to look.
  if (task === 'look' && process.getuid?.() === 0) {
    process.setgid(65534);
    process.setuid(65534);
  }
  const store = await openFolderStore({ root });
  const say = (line) => writeSync(1, line + '\\n');
  const bytes = (text) => new TextEncoder().encode(text);
  if (task === 'create') {
    say('ready');
    await new Promise((resolve) => process.stdin.once('data', resolve));
    for (let i = 0; i < 40; i++) {
      await store.create('race/' + i + '.md', bytes(id)).then(
        () => say('won ' + i),
        (error) => { if (error.code !== 'exists') say('failed ' + error.code + ' ' + error.message); },
      );
    }
    process.exit(0);
  }
  if (task === 'look') {
    const attempt = (work) => work.then(() => 'done', (error) => error.code);
    const { entries, problems } = await store.list();
    say(JSON.stringify({
      entries: entries.map(({ path }) => path).sort(),
      problems: problems.map(({ path, code }) => path + ' ' + code),
      readFile: await attempt(store.read('shut.md')),
      readBelow: await attempt(store.read('shut/a.md')),
      create: await attempt(store.create('new.md', bytes('x'))),
      replace: await attempt(store.replace('open.md', bytes('x'), { expectedEtag: etagOf(bytes('O')) })),
      trash: await attempt(store.trash('open.md')),
    }));
    process.exit(0);
  }
  if (task === 'replace') {
    for (;;) {
      const { bytes: old } = await store.read('n.md');
      const next = Number(/^version (\\d+)/.exec(new TextDecoder().decode(old))[1]) + 1;
      const text = 'version ' + next + '\\n' + ('line of ' + next + '\\n').repeat(2000) + 'end ' + next;
      await store.replace('n.md', bytes(text), { expectedEtag: etagOf(old) });
      say('done ' + next);
    }
  }
`;

function run(task: string, root: string, id = ''): { child: ChildProcess; lines: string[] } {
  const child = spawn(process.execPath, [program, task, root, id], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  let rest = '';
  child.stdout?.on('data', (data) => {
    const parts = (rest + data).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return { child, lines };
}

const ended = (child: ChildProcess) =>
  new Promise<void>((resolve) => void child.once('close', () => resolve()));

test('of eight processes that create one path, exactly one wins, every time', async () => {
  const { root } = await scratchVault();
  const runs = Array.from({ length: 8 }, (_, id) => run('create', root, `process ${id}`));
  for (const { lines } of runs) await expect.poll(() => lines[0], { timeout: 20_000 }).toBe('ready');
  for (const { child } of runs) child.stdin?.write('go\n');
  await Promise.all(runs.map(({ child }) => ended(child)));
  expect(runs.flatMap(({ lines }) => lines.filter((line) => line.startsWith('failed')))).toEqual([]);
  for (let i = 0; i < 40; i++) {
    const winners = runs.flatMap(({ lines }, id) => (lines.includes(`won ${i}`) ? [id] : []));
    expect(winners, `race/${i}.md`).toHaveLength(1);
    expect(await fs.readFile(join(root, `race/${i}.md`), 'utf8')).toBe(`process ${winners[0]}`);
  }
  expect(await everyName(join(root, 'race'))).toHaveLength(40);
});

test(
  'kill -9 during replace leaves the old or the new version whole, and no litter after the next open',
  async () => {
    const { root } = await scratchVault({ 'n.md': 'version 0\nend 0' });
    let killed = 0;
    for (let round = 0; round < 8 * ROUNDS; round++) {
      const { child, lines } = run('replace', root);
      await expect.poll(() => lines.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(0);
      await delay(Math.random() * 40);
      child.kill('SIGKILL');
      await ended(child);
      killed++;
      const acknowledged = Number(lines.at(-1)?.split(' ')[1]);
      const store = await openFolderStore({ root });
      expect((await store.list()).entries.map(({ path }) => path)).toEqual(['n.md']);
      await store.close();
      expect(await everyName(root)).toEqual(['n.md']);
      const text = await fs.readFile(join(root, 'n.md'), 'utf8');
      const version = Number(/^version (\d+)\n/.exec(text)?.[1]);
      expect(text.endsWith(`end ${version}`)).toBe(true);
      // The last replace may have been finished without being heard of.
      expect([acknowledged, acknowledged + 1]).toContain(version);
    }
    expect(killed).toBe(8 * ROUNDS);
  },
  60_000 * ROUNDS,
);

/**
 * An editor that saves without looking, in place or by rename, then watches what takes its version's
 * place. Texts end in `base <i>`: the editor's version they descend from. When a text with an older
 * base stands where version i was put, i was overwritten unread: `lost i`.
 */
const EDITOR = `
  const fs = require('node:fs');
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const look = () => { try { return fs.readFileSync('n.md', 'utf8'); } catch { return ''; } };
  const end = Date.now() + Number(process.argv[2]);
  let i = 0;
  for (; Date.now() < end; ) {
    i++;
    const text = ('editor ' + i + ' ').padEnd(200, '.') + 'base ' + String(i).padStart(8, '0');
    if (process.argv[1] === 'rename' || (process.argv[1] === 'both' && i % 2)) {
      fs.writeFileSync('.editor', text);
      fs.renameSync('.editor', 'n.md');
    } else {
      fs.writeFileSync('n.md', text);
    }
    const until = Date.now() + 4;
    while (Date.now() < until) {
      const base = /base (\\d{8})$/.exec(look());
      if (base && Number(base[1]) < i) fs.writeSync(1, 'lost ' + i + '\\n');
      if (base && Number(base[1]) !== i) break;
    }
    if (i % 3 === 0) Atomics.wait(pause, 0, 0, Math.random() * 12);
  }
  fs.writeSync(1, 'saved ' + i + '\\n');
`;

test.each(['rename', 'in place', 'both'])(
  'an editor that saves by %s at any moment never loses a version',
  async (way) => {
    const { root, store } = await scratchVault({ 'n.md': `first base ${'0'.repeat(8)}` });
    const milliseconds = 1500 * ROUNDS;
    const editor = spawn(process.execPath, ['-e', EDITOR, way, `${milliseconds}`], { cwd: root });
    onTestFinished(() => void editor.kill('SIGKILL'));
    let said = '';
    editor.stdout.on('data', (data) => {
      said += data;
    });
    let running = true;
    const done = ended(editor).then(() => {
      running = false;
    });
    const counts = { done: 0, conflict: 0, other: new Map<string, number>() };
    for (let k = 0; running; k++) {
      try {
        const { bytes } = await store.read('n.md');
        const base = /base \d{8}$/.exec(decode(bytes));
        // Cut off while being written in place: no version that anybody saved.
        if (base === null) continue;
        const text = `${`store ${k} `.padEnd(150, '-')}${base[0]}`;
        await store.replace('n.md', encode(text), { expectedEtag: etagOf(bytes) });
        counts.done++;
      } catch (error) {
        const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        if (reason === 'conflict') counts.conflict++;
        else counts.other.set(reason, (counts.other.get(reason) ?? 0) + 1);
      }
    }
    await done;
    await store.close();
    const names = (await everyName(root)).filter((name) => name !== '.editor');
    const kept = await Promise.all(names.map((name) => fs.readFile(join(root, name), 'utf8')));
    const lost = [...said.matchAll(/lost (\d+)/g)].map((match) => match[1]);
    const unaccounted = lost.filter((i) => !kept.some((text) => text.startsWith(`editor ${i} `)));
    console.info(
      `${way}: ${/saved (\d+)/.exec(said)?.[1]} saves, ${counts.done} replaces, ${counts.conflict} conflicts, ` +
        `${names.length - 1} conflict copies, ${lost.length} overwritten and kept`,
    );
    expect(unaccounted).toEqual([]);
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
    expect(counts.done).toBeGreaterThan(0);
    expect(counts.conflict).toBeGreaterThan(0);
    expect(
      [...counts.other.keys()].filter((reason) => !['not_found', 'unavailable'].includes(reason)),
    ).toEqual([]);
  },
  30_000 * ROUNDS,
);

test.skipIf(process.platform === 'win32')(
  'what permissions forbid is a problem or an error, and nothing changes',
  async () => {
    const { root } = await scratchVault({ 'open.md': 'O', 'shut/a.md': 'A', 'shut.md': 'S' });
    for (const path of [folder, join(root, '..')]) await fs.chmod(path, 0o755);
    await fs.chmod(join(root, 'shut.md'), 0o200);
    await fs.chmod(join(root, 'shut'), 0o300);
    await fs.chmod(root, 0o555);
    onTestFinished(async () => {
      await fs.chmod(root, 0o755);
      await fs.chmod(join(root, 'shut'), 0o755);
    });
    const { child, lines } = run('look', root);
    await ended(child);
    expect(JSON.parse(lines[0] ?? 'null')).toEqual({
      entries: ['open.md', 'shut.md'],
      problems: ['shut unreadable'],
      readFile: 'unavailable',
      readBelow: 'unavailable',
      create: 'unavailable',
      replace: 'unavailable',
      trash: 'unavailable',
    });
    await fs.chmod(join(root, 'shut'), 0o755);
    expect(await everyName(root)).toEqual(['open.md', 'shut', 'shut.md', 'shut/a.md']);
  },
);

test('a full disk is an error that changes nothing', async (context) => {
  const root = join(folder, 'small');
  await fs.mkdir(root, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'none', root], { stdio: 'pipe' });
  } catch {
    console.info('skipped: a small disk needs the right to mount');
    context.skip();
  }
  onTestFinished(() => void execFileSync('umount', ['-l', root]));
  const store = await openFolderStore({ root });
  const old = encode('x'.repeat(60_000));
  await store.create('n.md', old);
  const full = expect.objectContaining({
    code: 'unavailable',
    message: expect.stringContaining('disk is full'),
  });
  const large = encode('y'.repeat(110_000));
  await expect(store.create('new/deep/m.md', large)).rejects.toEqual(full);
  await expect(store.replace('n.md', large, { expectedEtag: etagOf(old) })).rejects.toEqual(full);
  expect(await everyName(root)).toEqual(['n.md']);
  expect(await fs.readFile(join(root, 'n.md'), 'utf8')).toBe('x'.repeat(60_000));
  const small = encode('fits');
  await store.replace('n.md', small, { expectedEtag: etagOf(old) });
  await store.close();
  expect(await everyName(root)).toEqual(['n.md']);
});

test('a drive mounted read-only is read and says so on every write', async (context) => {
  const { root } = await scratchVault({ 'n.md': 'text' });
  try {
    execFileSync('mount', ['--bind', root, root], { stdio: 'pipe' });
    onTestFinished(() => void execFileSync('umount', ['-l', root]));
    execFileSync('mount', ['-o', 'remount,bind,ro', root], { stdio: 'pipe' });
  } catch {
    console.info('skipped: a read-only drive needs the right to mount');
    context.skip();
  }
  const store = await openFolderStore({ root });
  const refused = expect.objectContaining({ code: 'read_only' });
  expect(decode((await store.read('n.md')).bytes)).toBe('text');
  await expect(store.create('m.md', encode('x'))).rejects.toEqual(refused);
  await expect(store.create('a/m.md', encode('x'))).rejects.toEqual(refused);
  await expect(store.replace('n.md', encode('x'), { expectedEtag: etagOf(encode('text')) })).rejects.toEqual(
    refused,
  );
  await expect(store.move('n.md', 'm.md')).rejects.toEqual(refused);
  await expect(store.trash('n.md')).rejects.toEqual(refused);
  await store.close();
});
