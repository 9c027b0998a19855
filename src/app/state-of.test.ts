import { mkdirSync, mkdtempSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateFolderOf } from './state-of.ts';

test('one vault has one state folder however it is spelled, private to its owner, and another vault another', async () => {
  const base = mkdtempSync(join(tmpdir(), 'lectern-state-'));
  const vaults = mkdtempSync(join(tmpdir(), 'lectern-vaults-'));
  for (const name of ['a/Notes', 'b/Notes']) mkdirSync(join(vaults, name), { recursive: true });
  symlinkSync(join(vaults, 'a/Notes'), join(vaults, 'link'));
  const of = (path: string) => stateFolderOf({ kind: 'folder', location: `${vaults}/${path}` }, base);
  const one = await of('a/Notes');
  expect(await of('link')).toBe(one);
  expect(await of('a/../a/Notes/')).toBe(one);
  expect(await of('b/Notes')).not.toBe(one);
  expect(statSync(one).mode & 0o077).toBe(0);
});
