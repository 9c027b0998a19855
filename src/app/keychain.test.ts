import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { secretInKeychain } from './keychain.ts';

/**
 * The keychain commands are replaced by scripts with the same answers: a test must not use a real keychain.
 */

const { PATH } = process.env;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-keychain-'));
  process.env.PATH = folder;
});
afterEach(() => {
  process.env.PATH = PATH;
  rmSync(folder, { recursive: true, force: true });
});

function command(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

it.runIf(process.platform !== 'win32')(
  'asks the command of the platform, and takes what it prints',
  async () => {
    command('secret-tool', '[ "$*" = "lookup service lectern account joplin" ] && printf T0ken');
    command('security', '[ "$*" = "find-generic-password -s lectern -a joplin -w" ] && echo Other');
    expect(await secretInKeychain('joplin', 'linux')).toBe('T0ken');
    expect(await secretInKeychain('joplin', 'darwin')).toBe('Other');
    expect(await secretInKeychain('another', 'linux')).toBeUndefined();
  },
);

it('has nothing where there is no command, or it fails', async () => {
  expect(await secretInKeychain('joplin', 'linux')).toBeUndefined();
  expect(await secretInKeychain('joplin', 'win32')).toBeUndefined();
  if (process.platform === 'win32') return;
  command('secret-tool', 'echo "no such secret" >&2; exit 1');
  expect(await secretInKeychain('joplin', 'linux')).toBeUndefined();
});
