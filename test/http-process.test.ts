import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './support/free-port.ts';
import { statelessRequest } from './support/protocol.ts';

/** The built binary: tokens from the command line, the door in a process of its own. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
const run = promisify(execFile);

let folder: string;
let place: string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-serve-'));
  mkdirSync(join(folder, 'vault'));
  writeFileSync(join(folder, 'vault', 'Note.md'), '# Note\n');
  place = ['--vault', join(folder, 'vault'), '--state', join(folder, 'state')];
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Failure {
  code: number;
  stderr: string;
}

async function lectern(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return await run(process.execPath, [LECTERN, ...args, ...place], { env: { ...process.env, HOME: folder } });
}

async function serve(...args: string[]): Promise<{ url: string; child: ChildProcess; said: () => string }> {
  const child = spawn(process.execPath, [LECTERN, 'serve', '--http', '--port', '0', ...args, ...place]);
  let said = '';
  child.stdout.on('data', (data) => {
    said += String(data);
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (data) => {
      said += String(data);
      const [, found] = / at (https?:\S+\/mcp) /.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(said)));
  });
  return { url, child, said: () => said };
}

async function stop(child: ChildProcess): Promise<number | null> {
  const left = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return await left;
}

function ask(
  url: string,
  token: string,
  method: string,
  params?: Record<string, unknown>,
): Promise<Response> {
  const { body, headers } = statelessRequest(method, params);
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
  });
}

describe('lectern serve --http', () => {
  it('does not start while nobody could come in, nor open to everybody', async () => {
    for (const args of [[], ['--host', '0.0.0.0'], ['--host', '0.0.0.0', '--no-auth']]) {
      const failure = (await lectern('serve', '--http', '--port', '0', ...args).catch(
        (error) => error,
      )) as Failure;
      expect(failure.code).toBe(2);
      expect(failure.stderr).toMatch(/lectern token create/);
    }
  });

  it('lets a token in, writes, and leaves with code 0 when it is told to', async () => {
    const made = await lectern('token', 'create', '--name', 'Laptop', '--scope', 'vault:write');
    const token = made.stdout.trim();
    expect(token).toMatch(/^lectern_[0-9a-f]{16}_[\w-]{43}$/);
    expect(made.stderr).not.toContain(token);
    const { url, child, said } = await serve('--log-level', 'debug');
    const answer = await ask(url, token, 'tools/call', {
      name: 'note_write',
      arguments: { path: 'New.md', body: 'new\n' },
    });
    expect(await answer.json()).toMatchObject({ result: { structuredContent: { created: true } } });
    expect((await lectern('token', 'list')).stdout).toMatch(/Laptop {2}vault:write {2}expires .* {2}used /);
    await lectern('token', 'revoke', 'Laptop');
    expect((await ask(url, token, 'tools/list')).status).toBe(401);
    expect(await stop(child)).toBe(0);
    expect(readFileSync(join(folder, 'vault', 'New.md'), 'utf8')).toBe('new\n');
    expect(said()).not.toContain(token.slice(-43));
    const [state = ''] = readdirSync(join(folder, 'state'));
    const audit = readFileSync(join(folder, 'state', state, 'audit.log'), 'utf8');
    expect(audit).toContain('"tool":"note_write"');
    expect(audit).toContain('"code":"invalid_token"');
    expect(audit).not.toContain(token.slice(-43));
  });

  it('serves loopback without tokens when it is told to, reading only', async () => {
    const { url, child } = await serve('--no-auth', '--read-only');
    const list = await (await ask(url, 'none', 'tools/list')).text();
    expect(list).toContain('note_read');
    expect(list).not.toContain('note_write');
    const ready = await fetch(new URL('/readyz', url));
    expect(await ready.json()).toMatchObject({ ready: true, store: 'ok' });
    expect(await stop(child)).toBe(0);
  });

  it('says that a port is taken', async () => {
    const { url, child } = await serve('--no-auth');
    const port = new URL(url).port;
    const failure = (await lectern('serve', '--http', '--no-auth', '--port', port).catch(
      (error) => error,
    )) as Failure;
    expect(failure.code).toBe(1);
    expect(failure.stderr).toContain('EADDRINUSE');
    await stop(child);
  });
});

describe('lectern serve --oauth', () => {
  it('starts without a token, lets its owner set a passphrase, and tells clients the way', async () => {
    const port = await freePort();
    const { url, child, said } = await serve('--oauth', '--port', String(port));
    const refused = await ask(url, 'none', 'tools/list');
    expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=');
    const metadata = await fetch(new URL('/.well-known/oauth-authorization-server', url));
    expect(await metadata.json()).toMatchObject({ issuer: new URL(url).origin });
    const [link = '', code = ''] = /http:\S+\/oauth\/setup\?code=(\S+)/.exec(said()) ?? [];
    const passphrase = 'slack water comes at noon';
    const body = new URLSearchParams({ code, passphrase, again: passphrase });
    expect((await fetch(link, { method: 'POST', body })).status).toBe(200);
    const keys = async () => await (await fetch(new URL('/oauth/jwks', url))).text();
    const before = await keys();
    expect((await lectern('oauth', 'rotate-keys')).stdout).toBe(
      'New keys. 0 clients have to ask you again.\n',
    );
    expect(await keys()).not.toBe(before);
    expect(await stop(child)).toBe(0);
    // Nothing is said but what the owner has to know.
    expect(said().trimEnd().split('\n')).toHaveLength(2);
    const again = await serve('--oauth', '--port', String(port));
    await fetch(new URL('/healthz', again.url));
    expect(again.said()).not.toContain('/oauth/setup');
    await stop(again.child);
  });
});

describe('lectern token create', () => {
  it.each([
    ['--scope', 'vault:reed'],
    ['--scope', 'vault:read', 'tool:note_raed'],
    ['--scope', 'path:Projects'],
    ['--expires', 'tomorrow'],
  ])('refuses %s %s %s', async (...args) => {
    const failure = (await lectern('token', 'create', '--name', 'x', ...args.filter(Boolean)).catch(
      (error) => error,
    )) as Failure;
    expect(failure.code).toBe(2);
  });
});
