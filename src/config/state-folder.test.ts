import { mkdirSync, mkdtempSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateHome, vaultStateFolder } from './state-folder.ts';

test('each platform has its own place, and XDG_STATE_HOME wins', () => {
  expect(stateHome({ HOME: '/h' }, 'linux')).toBe('/h/.local/state');
  expect(stateHome({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Application Support');
  expect(stateHome({ HOME: '/h', XDG_STATE_HOME: '/x' }, 'linux')).toBe('/x');
});

test('one vault has one state folder however it is spelled, private to its owner, and another vault another', () => {
  const base = mkdtempSync(join(tmpdir(), 'lectern-state-'));
  const vaults = mkdtempSync(join(tmpdir(), 'lectern-vaults-'));
  for (const name of ['a/Notes', 'b/Notes']) mkdirSync(join(vaults, name), { recursive: true });
  symlinkSync(join(vaults, 'a/Notes'), join(vaults, 'link'));
  const one = vaultStateFolder(join(vaults, 'a/Notes'), base, {});
  expect(vaultStateFolder(join(vaults, 'link'), base, {})).toBe(one);
  expect(vaultStateFolder(join(vaults, 'a/../a/Notes/'), base, {})).toBe(one);
  expect(vaultStateFolder(join(vaults, 'b/Notes'), base, {})).not.toBe(one);
  expect(statSync(one).mode & 0o077).toBe(0);
});
