import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RotatingLog } from './rotating-log.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-log-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const fail = (error: unknown) => {
  throw error;
};

describe('RotatingLog', () => {
  it('keeps the order, one line each, for its owner only', async () => {
    const log = new RotatingLog(join(folder, 'audit.log'), { onError: fail });
    for (let n = 0; n < 500; n++) log.append({ n, text: 'a\nb' });
    await log.flush();
    const lines = readFileSync(join(folder, 'audit.log'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
      Array.from({ length: 500 }, (_, n) => n),
    );
    if (process.platform !== 'win32') {
      expect(statSync(join(folder, 'audit.log')).mode & 0o777).toBe(0o600);
    }
  });

  it('makes room before a file grows too large, and keeps as many old ones as it was told', async () => {
    const path = join(folder, 'audit.log');
    const log = new RotatingLog(path, { onError: fail, maxBytes: 100, keep: 2 });
    for (let n = 0; n < 10; n++) {
      log.append({ n, text: 'x'.repeat(60) });
      await log.flush();
    }
    expect(readdirSync(folder).toSorted()).toEqual(['audit.log', 'audit.log.1', 'audit.log.2']);
    expect(readFileSync(path, 'utf8')).toContain('"n":9');
    expect(readFileSync(`${path}.1`, 'utf8')).toContain('"n":8');
    expect(readFileSync(`${path}.2`, 'utf8')).toContain('"n":7');
  });

  it('continues a file that is there, its size counted', async () => {
    const path = join(folder, 'audit.log');
    const first = new RotatingLog(path, { onError: fail, maxBytes: 100 });
    first.append({ text: 'x'.repeat(60) });
    await first.flush();
    const second = new RotatingLog(path, { onError: fail, maxBytes: 100 });
    second.append({ text: 'y'.repeat(60) });
    await second.flush();
    expect(readFileSync(`${path}.1`, 'utf8')).toContain('xxx');
  });

  it('is shared by processes that do not know of each other: nothing is lost while it rotates', async () => {
    const path = join(folder, 'audit.log');
    const logs = Array.from(
      { length: 4 },
      () => new RotatingLog(path, { onError: fail, maxBytes: 400, keep: 50 }),
    );
    for (let n = 0; n < 25; n++) {
      for (const [at, log] of logs.entries()) log.append({ id: `${at}:${n}`, text: 'x'.repeat(40) });
      await Promise.all(logs.map((log) => log.flush()));
    }
    const lines = readdirSync(folder).flatMap((file) =>
      readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'),
    );
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(new Set(ids).size).toBe(100);
    expect(ids).toHaveLength(100);
    expect(readdirSync(folder).length).toBeGreaterThan(5);
  });

  it('makes room again after a process died while it did', async () => {
    const path = join(folder, 'audit.log');
    writeFileSync(`${path}.lock`, '');
    utimesSync(`${path}.lock`, new Date(0), new Date(0));
    const log = new RotatingLog(path, { onError: fail, maxBytes: 100 });
    for (let n = 0; n < 3; n++) {
      log.append({ n, text: 'x'.repeat(90) });
      await log.flush();
    }
    expect(readdirSync(folder)).toContain('audit.log.1');
    expect(readdirSync(folder)).not.toContain('audit.log.lock');
  });

  it('reports a run of failures once and does not throw', async () => {
    const errors: unknown[] = [];
    const log = new RotatingLog(join(folder, 'missing', 'audit.log'), {
      onError: (error) => errors.push(error),
    });
    for (let n = 0; n < 3; n++) {
      log.append({ n });
      await log.flush();
    }
    expect(errors).toHaveLength(1);
  });
});
