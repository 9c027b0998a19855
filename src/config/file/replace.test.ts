import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { replaceConfig } from './replace.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-replace-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('makes a file for its owner alone, with its folder', async () => {
  const path = join(folder, 'a', 'b', 'lectern.yaml');
  await replaceConfig(path, undefined, 'log_level: info\n');
  expect(readFileSync(path, 'utf8')).toBe('log_level: info\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await expect(replaceConfig(path, undefined, 'x')).rejects.toMatchObject({ code: 'conflict' });
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['lectern.yaml']);
});

it('keeps the mode and the link, and leaves what somebody changed meanwhile', async () => {
  const path = join(folder, 'real.yaml');
  writeFileSync(path, 'one\n');
  chmodSync(path, 0o640);
  const through = join(folder, 'link.yaml');
  symlinkSync(path, through);
  await replaceConfig(through, 'one\n', 'two\n');
  expect(lstatSync(through).isSymbolicLink()).toBe(true);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['two\n', 0o640]);
  await expect(replaceConfig(path, 'one\n', 'three\n')).rejects.toMatchObject({ code: 'conflict' });
  expect(readFileSync(path, 'utf8')).toBe('two\n');
  expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
});

it('says when it cannot be written, and why', async () => {
  const path = join(folder, 'real.yaml', 'lectern.yaml');
  await expect(replaceConfig(path, undefined, 'x')).rejects.toMatchObject({
    code: 'unavailable',
    next: expect.stringContaining('may write there'),
  });
});
