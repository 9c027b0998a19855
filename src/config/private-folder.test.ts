import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAllPrivate, makePrivate } from './private-folder.ts';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'lectern-private-'));
  folder = join(parent, 'a', 'state');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const mode = (path: string) => statSync(path).mode & 0o777;
const user = process.getuid?.() ?? 0;

describe('makeAllPrivate', () => {
  it('makes a folder that is missing, whatever the umask is', () => {
    const before = process.umask(0);
    try {
      makeAllPrivate(folder);
    } finally {
      process.umask(before);
    }
    expect(mode(folder)).toBe(0o700);
    expect(mode(join(parent, 'a'))).toBe(0o700);
  });

  it('closes what is open, all the way down, and leaves links and what they lead to alone', () => {
    const outside = join(parent, 'outside.txt');
    writeFileSync(outside, 'x');
    chmodSync(outside, 0o644);
    mkdirSync(join(folder, 'deep'), { recursive: true });
    for (const name of ['index.db', 'index.db-wal', 'audit.log.1', 'deep/model.bin'])
      writeFileSync(join(folder, name), 'x');
    chmodSync(join(folder, 'index.db'), 0o666);
    chmodSync(join(folder, 'deep'), 0o755);
    chmodSync(folder, 0o777);
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(parent, 'nowhere'), join(folder, 'dangling'));
    makeAllPrivate(folder);
    for (const name of ['index.db', 'index.db-wal', 'audit.log.1', 'deep/model.bin'])
      expect(mode(join(folder, name)), name).toBe(0o600);
    for (const name of ['', 'deep']) expect(mode(join(folder, name)), name).toBe(0o700);
    expect(mode(outside)).toBe(0o644);
    expect(readFileSync(join(folder, 'index.db'), 'utf8')).toBe('x');
  });

  it('takes a folder that a link leads to', () => {
    const real = join(parent, 'real');
    mkdirSync(real);
    chmodSync(real, 0o755);
    symlinkSync(real, join(parent, 'linked'));
    makeAllPrivate(join(parent, 'linked'));
    expect(mode(real)).toBe(0o700);
  });

  it('refuses one that belongs to somebody else, and says why and what to do', () => {
    mkdirSync(folder, { recursive: true });
    const foreign = user === 0 ? 12_345 : user + 1;
    for (const make of [makePrivate, makeAllPrivate])
      expect(() => make(folder, foreign)).toThrow(
        expect.objectContaining({
          code: 'unavailable',
          message: expect.stringContaining('belongs to another user'),
          next: expect.stringContaining('--state'),
        }),
      );
  });
});
