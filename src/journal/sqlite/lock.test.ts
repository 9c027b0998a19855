import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../sqlite/driver.ts';
import { SqliteWriteLock } from './lock.ts';

const fresh = () => join(mkdtempSync(join(tmpdir(), 'lectern-lock-')), 'lock.db');

test('tasks of one process run one after the other, in order, errors included', async () => {
  const lock = new SqliteWriteLock(fresh());
  const seen: string[] = [];
  const task = (name: string, fail = false) =>
    lock.run(async () => {
      seen.push(`${name}+`);
      await nextTurn();
      seen.push(`${name}-`);
      if (fail) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([task('a'), task('b', true), task('c')]);
  expect(seen).toEqual(['a+', 'a-', 'b+', 'b-', 'c+', 'c-']);
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await lock.close();
});

test('work on different notes runs side by side, on one in order, and on everything alone', async () => {
  const lock = new SqliteWriteLock(fresh());
  const seen: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string, key?: string) =>
    lock.run(async () => {
      seen.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    }, key);
  /**
   * Tasks are admitted in order: once the last of these runs, an earlier one that does not run was overtaken.
   */
  const haveStarted = (...names: string[]) => vi.waitFor(() => expect(seen).toEqual(names), { interval: 1 });
  const end = (name: string) => ends.get(name)?.();
  const all = [task('a1', 'a'), task('a2', 'a'), task('b', 'b'), task('all'), task('c', 'c')];
  await haveStarted('a1', 'b');
  end('a1');
  await haveStarted('a1', 'b', 'a2');
  end('b');
  await all[2];
  // The keys of the first tasks are free now; only the second task of one of them made the rest wait.
  expect(seen).toEqual(['a1', 'b', 'a2']);
  end('a2');
  await haveStarted('a1', 'b', 'a2', 'all');
  end('all');
  await haveStarted('a1', 'b', 'a2', 'all', 'c');
  end('c');
  await Promise.all(all);
  await lock.close();
});

test('what a dead writer left is looked at before any work, each time the turn comes anew', async () => {
  const lock = new SqliteWriteLock(fresh());
  const seen: string[] = [];
  let broken = true;
  lock.onTaken(async () => {
    if (broken) throw new Error('the journal is gone');
    seen.push('prepared');
  });
  const note = (name: string) => lock.run(async () => void seen.push(name), name);
  await expect(note('a')).rejects.toThrow('gone');
  broken = false;
  await Promise.all([note('b'), note('c')]);
  await note('d');
  expect(seen).toEqual(['prepared', 'b', 'c', 'prepared', 'd']);
  await lock.close();
});

test('a process with work without end lets another one in', async () => {
  const path = fresh();
  const [busy, patient] = [new SqliteWriteLock(path), new SqliteWriteLock(path)];
  let stop = false;
  let runs = 0;
  const endless = async (key: string) => {
    while (!stop) {
      await busy.run(async () => {
        await nextTurn();
        runs += 1;
      }, key);
    }
  };
  const work = ['a', 'b', 'c'].map(endless);
  await vi.waitFor(() => expect(runs).toBeGreaterThan(10), { interval: 1 });
  expect(await patient.run(async () => 'in')).toBe('in');
  stop = true;
  await Promise.all(work);
  await Promise.all([busy.close(), patient.close()]);
});

test('a second holder waits without stopping the event loop', async () => {
  const path = fresh();
  const lock = new SqliteWriteLock(path);
  const other = openDatabase(path, { busyTimeoutMs: 0, wal: false });
  other.exec('BEGIN IMMEDIATE');
  const order: string[] = [];
  const waiting = lock.run(async () => void order.push('entered'));
  // A wait inside SQLite would let no timer fire before the lock gives up.
  for (let ticks = 0; ticks < 30; ticks++) await delay(1);
  order.push('released');
  other.exec('ROLLBACK');
  await waiting;
  expect(order).toEqual(['released', 'entered']);
  await lock.close();
});

test('a killed holder frees the lock', async () => {
  const path = fresh();
  const driver = fileURLToPath(import.meta.resolve('@photostructure/sqlite'));
  const script = `
    import sqlite from ${JSON.stringify(driver)};
    const db = new sqlite.DatabaseSync(${JSON.stringify(path)});
    db.exec('BEGIN IMMEDIATE');
    console.log('held');
    setInterval(() => db.isOpen, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const probe = openDatabase(path, { busyTimeoutMs: 0, wal: false });
  const lock = new SqliteWriteLock(path);
  const order: string[] = [];
  const waiting = lock.run(async () => void order.push('entered'));
  // The lock has made its first attempt; this one, made after it, shows that the child still holds the database.
  expect(() => probe.exec('BEGIN IMMEDIATE')).toThrow();
  probe.close();
  order.push('killed');
  child.kill('SIGKILL');
  await waiting;
  expect(order).toEqual(['killed', 'entered']);
  await lock.close();
});
