import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './support/free-port.ts';
import { LecternProcess } from './support/lectern-process.ts';
import { LECTERN } from './support/raw-server.ts';

/**
 * State holds the text of notes. Whoever starts the server with a careless umask, or has a state folder from before
 * modes were looked at: nobody else on the machine can read a byte of it.
 */

const run = promisify(execFile);
const umask = process.umask();
let folder: string;
let vault: string;
let state: string;

beforeAll(() => {
  // Processes started from here inherit it.
  process.umask(0);
  folder = mkdtempSync(join(tmpdir(), 'lectern-modes-'));
  vault = join(folder, 'vault');
  state = join(folder, 'state');
  mkdirSync(vault);
  for (let at = 0; at < 60; at++)
    writeFileSync(
      join(vault, `Note ${at}.md`),
      `# Note ${at}\n\n${'words about harbours and cranes '.repeat(20)}\n`,
    );
});
afterAll(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

/** Every file and folder below, with its mode; those that come and go are as they are found. */
function modes(place: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' })) {
    const entry = lstatSync(join(place, name), { throwIfNoEntry: false });
    if (entry) found[name] = `${entry.isDirectory() ? 'folder' : 'file'} ${(entry.mode & 0o777).toString(8)}`;
  }
  return found;
}

function expectPrivate(place: string, ...wanted: string[]): void {
  const found = modes(place);
  for (const name of wanted)
    expect(
      Object.keys(found).some((path) => path.endsWith(name)),
      name,
    ).toBe(true);
  expect(Object.entries(found).filter(([, mode]) => !/^(file 600|folder 700)$/.test(mode))).toEqual([]);
}

let keys = 0;

async function everyKindOfWork(): Promise<void> {
  const server = await new LecternProcess(vault, state).start();
  try {
    await server.call('note_write', { path: 'New.md', body: 'text\n', idempotency_key: `k${keys++}` });
    await server.call('note_patch', { path: 'New.md', ops: [{ op: 'append_body', markdown: 'more' }] });
    await server.call('note_delete', { path: 'New.md' });
    await server.call('note_write', { path: '../out.md', body: '' }).catch(() => {});
    await expect
      .poll(async () => (await server.call('vault_status', {})).index, { timeout: 20_000 })
      .toBe('ready');
    await server.call('vault_search', { q: 'harbour', mode: 'hybrid' });
    expectPrivate(
      state,
      'index.db',
      'index.db-wal',
      'index.db-shm',
      'journal.db',
      'journal.db-wal',
      'lock.db',
    );
    await expect.poll(() => Object.keys(modes(state)).some((name) => name.endsWith('audit.log'))).toBe(true);
  } finally {
    await server.end();
  }
  expectPrivate(state, 'index.db', 'journal.db', 'audit.log');
}

describe('with a umask that takes nothing away', () => {
  it('every file of the state is its owner’s alone', everyKindOfWork);

  it('tokens and the door’s own files are too', async () => {
    const place = ['--vault', vault, '--state', state];
    await run(process.execPath, [LECTERN, 'token', 'create', '--name', 'phone', ...place]);
    const port = await freePort();
    const child = spawn(process.execPath, [LECTERN, 'serve', '--http', '--port', String(port), ...place]);
    try {
      const url = `http://127.0.0.1:${port}`;
      await expect
        .poll(
          () =>
            fetch(`${url}/healthz`).then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 20_000 },
        )
        .toBe(200);
      await fetch(`${url}/mcp`, { method: 'POST', headers: { Authorization: 'Bearer wrong' } });
      expectPrivate(state, 'auth.db', 'audit.log');
    } finally {
      const left = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await left;
    }
    expectPrivate(state, 'auth.db');
  });

  it('what is open from before is closed at the next start', async () => {
    const [inner = ''] = readdirSync(state);
    chmodSync(join(state, inner), 0o755);
    for (const name of readdirSync(join(state, inner))) chmodSync(join(state, inner, name), 0o644);
    await everyKindOfWork();
  });

  it('the platform’s own place and the models in it are closed as well', async () => {
    const home = join(folder, 'home');
    mkdirSync(join(home, '.local', 'state', 'lectern'), { recursive: true, mode: 0o755 });
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: undefined };
    await run(process.execPath, [LECTERN, 'note', 'list', '--vault', vault], { env });
    expect(existsSync(join(home, '.local', 'state', 'lectern'))).toBe(true);
    expectPrivate(join(home, '.local', 'state'));
  });
});
