import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { remoteRunner } from '../src/cli/commands/remote.ts';
import { runCommand } from './support/command-line.ts';
import { openTestDoor, type TestDoor } from './support/test-door.ts';

/** REST behind the real door: tokens, scopes, path rules, audit, limits. */

let served: TestDoor;
let base: string;

beforeAll(async () => {
  served = await openTestDoor({
    'Projects/Harbour.md': '# Harbour\n\nThe crane waits. [[Diary]]\n',
    'Private/Diary.md': '# Diary\n\nNobody reads about the crane. [[Harbour]]\n',
  });
  base = served.door.url;
});

afterAll(() => served.close());

async function send(token: string | undefined, method: string, path: string, body?: object, headers = {}) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

it('asks for a token, and describes itself to anybody', async () => {
  expect((await send(undefined, 'GET', '/v1/notes')).status).toBe(401);
  expect((await send('indx_0', 'GET', '/v1/notes')).status).toBe(401);
  const { status, text } = await send(undefined, 'GET', '/openapi.json');
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ openapi: '3.1.0', paths: { '/v1/notes/{path}': {} } });
});

it('shows each token what it may see', async () => {
  const narrow = served.token('narrow', 'vault:read', 'path:Projects');
  const { status, text } = await send(narrow, 'GET', '/v1/notes');
  expect([status, JSON.parse(text).data.total]).toEqual([200, 1]);
  const hidden = await send(narrow, 'GET', '/v1/notes/Private/Diary.md');
  const absent = await send(narrow, 'GET', '/v1/notes/Private/Nothing.md');
  expect(hidden.status).toBe(404);
  expect(hidden.text.replaceAll('Diary', 'Nothing')).toBe(absent.text);
  const write = await send(narrow, 'PUT', '/v1/notes/Projects/New.md', { body: 'x' });
  expect([write.status, JSON.parse(write.text).error.code]).toEqual([403, 'forbidden']);
  expect((await send(narrow, 'POST', '/v1/vault/reindex', {})).status).toBe(403);
});

it('writes for those who may, and writes down that they did', async () => {
  const writer = served.token('writer', 'vault:write');
  const created = await send(
    writer,
    'PUT',
    '/v1/notes/Projects/New.md',
    { body: 'new\n' },
    { 'If-None-Match': '*' },
  );
  expect([created.status, created.headers.get('location')]).toEqual([201, '/v1/notes/Projects/New.md']);
  expect(readFileSync(join(served.vault.folder, 'Projects/New.md'), 'utf8')).toBe('new\n');
  const record = (await served.audited()).find(({ tool, who }) => tool === 'note_write' && who === 'writer');
  expect(record).toMatchObject({
    event: 'write',
    outcome: 'ok',
    door: 'rest',
    changes: [{ path: 'Projects/New.md', after: created.headers.get('etag')?.replaceAll('"', '') }],
  });
});

it('stops telling of changes when the token is taken back', async () => {
  const token = served.token('listener', 'vault:read');
  const response = await fetch(`${base}/v1/events`, { headers: { Authorization: `Bearer ${token}` } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const chunks: string[] = [];
  const ended = (async () => {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) return;
      chunks.push(value ?? '');
    }
  })();
  const change = (path: string) =>
    served.vault.session.write(path, { body: 'x' }, { tool: 'note_write', dryRun: false });
  await change('Projects/Before.md');
  await expect.poll(() => chunks.join('')).toContain('Before.md');
  served.tokens.revoke('listener');
  await change('Projects/After.md');
  await ended;
  expect(chunks.join('')).not.toContain('After.md');
});

it('serves the command line of another machine', async () => {
  const runner = remoteRunner(base, served.token('far', 'vault:write'));
  const { out, code } = await runCommand(['search', 'crane'], runner);
  expect([code, JSON.parse(out).total]).toEqual([0, 2]);
  // The doors below it are the same server: `/mcp` is what `lectern serve` prints.
  for (const door of ['/mcp', '/mcp/', '/v1', '/v1/', '/', '/mcp/other', '/openapi.json', '/mcp?x=1#y']) {
    const there = await runCommand(
      ['note', 'list'],
      remoteRunner(base + door, served.token(door, 'vault:read')),
    );
    expect([door, there.code, there.err]).toEqual([door, 0, '']);
  }
  const nobody = await runCommand(['note', 'list'], remoteRunner(base, undefined));
  expect([nobody.code, JSON.parse(nobody.err).code]).toEqual([4, 'forbidden']);
});
