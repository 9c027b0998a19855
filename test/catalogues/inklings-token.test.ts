import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';

/** The built binary as a client of Inklings finds it: /mcp, one token of 64 digits, /health. */

const LECTERN = fileURLToPath(new URL('../../dist/lectern.js', import.meta.url));

let folder: string;
let place: string[];
let port: number;
let server: ChildProcess;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function lectern(args: readonly string[], input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [LECTERN, ...args, ...place],
      { env: { ...process.env, HOME: folder, LECTERN_PORT: String(port) } },
      (error, out, err) => resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
    child.stdin?.end(input);
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-inklings-'));
  mkdirSync(join(folder, 'vault'));
  writeFileSync(join(folder, 'vault', 'Note.md'), 'text\n');
  place = ['--vault', join(folder, 'vault'), '--state', join(folder, 'state')];
  port = await freePort();
});

afterAll(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function serve(): Promise<void> {
  server = spawn(process.execPath, [LECTERN, 'serve', '--port', String(port), ...place], {
    env: { ...process.env, HOME: folder },
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (data) => {
      said += String(data);
      if (said.includes('/mcp ')) resolve();
    });
    server.once('exit', () => reject(new Error(said)));
  });
}

async function initialize(token: string | undefined): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    }),
  });
}

describe('lectern inklings', () => {
  it('status, show, enable, regenerate, disable; a running server goes by them at once', async () => {
    expect(await lectern(['inklings', 'status'])).toMatchObject({
      code: 0,
      out: `enabled: false\nrunning: false\nport: ${port}\nurl: http://127.0.0.1:${port}/mcp\nvaults: vault\n`,
    });
    expect(await lectern(['inklings', 'show'])).toMatchObject({ code: 3, out: '' });

    expect(await lectern(['inklings', 'enable'])).toMatchObject({ code: 0 });
    const token = (await lectern(['inklings', 'show'])).out.trim();
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    await serve();
    const status = await lectern(['inklings', 'status']);
    expect(status.out).toContain('enabled: true\nrunning: true\n');
    expect(status.out).not.toContain(token);

    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    expect((await initialize(undefined)).status).toBe(401);
    expect((await initialize('0'.repeat(64))).status).toBe(401);
    const begun = await initialize(token);
    expect(begun.status).toBe(200);
    expect(await begun.text()).toContain('"serverInfo":{"name":"inklings"');
    const session = begun.headers.get('mcp-session-id') ?? '';
    const list = async (bearer: string) =>
      await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${bearer}`,
          'Mcp-Session-Id': session,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
      });
    expect(await (await list(token)).text()).toContain('update_page_metadata');

    const next = (await lectern(['inklings', 'regenerate'])).out.trim();
    expect(next).toMatch(/^[0-9a-f]{64}$/);
    expect((await list(token)).status).toBe(401);
    expect((await initialize(token)).status).toBe(401);
    expect((await initialize(next)).status).toBe(200);

    await lectern(['inklings', 'disable']);
    expect((await initialize(next)).status).toBe(401);
    expect((await lectern(['inklings', 'show'])).out.trim()).toBe(next);
    await lectern(['inklings', 'enable']);
    expect((await initialize(next)).status).toBe(200);

    const own = 'c0ffee'.padEnd(64, '7');
    await lectern(['inklings', 'enable', '--token-stdin'], `${own}\n`);
    expect((await initialize(own)).status).toBe(200);
    expect((await initialize(next)).status).toBe(401);
    expect(await lectern(['inklings', 'enable', '--token-stdin'], 'short')).toMatchObject({
      code: 2,
      out: '',
    });
    expect((await initialize(own)).status).toBe(200);
  }, 120_000);
});
