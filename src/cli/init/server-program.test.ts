import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverProgram } from './server-program.ts';

it('names the runtime so that an update of it leaves the command working', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'lectern-program-'));
  try {
    const bin = join(prefix, 'Cellar', 'node@22', '22.1.0', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'node'), '');
    mkdirSync(join(prefix, 'opt'));
    const [own] = serverProgram(join(bin, 'node'), '/l.js').command;
    expect(own).toBe(join(bin, 'node'));
    symlinkSync(join('..', 'Cellar', 'node@22', '22.1.0'), join(prefix, 'opt', 'node@22'));
    expect(serverProgram(join(bin, 'node'), '/l.js').command).toEqual([
      join(prefix, 'opt', 'node@22', 'bin', 'node'),
      '/l.js',
    ]);
  } finally {
    rmSync(prefix, { recursive: true, force: true });
  }
});

it('keeps the whole path of a runtime that only a shell would find, and warns of a cache', () => {
  const nvm = '/home/ann/.nvm/versions/node/v22.1.0/bin/node';
  expect(serverProgram(nvm, '/opt/lectern/dist/lectern.js')).toEqual({
    command: [nvm, '/opt/lectern/dist/lectern.js'],
    warnings: [],
  });
  expect(
    serverProgram(nvm, '/home/ann/.npm/_npx/1f/node_modules/lectern/dist/lectern.js').warnings,
  ).toHaveLength(1);
});
