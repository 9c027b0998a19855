import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../src/journal/audit.ts';
import { openJournal } from '../src/journal/sqlite/journal.ts';
import { Auditor } from '../src/vault/audit.ts';
import { LECTERN, ProcessWire } from './support/process-wire.ts';
import { statelessRequest } from './support/protocol.ts';
import { bearer, callTool, openTestDoor, type TestDoor } from './support/test-door.ts';
import { ACTOR, discard, openTestVault } from './support/test-vault.ts';

/** Whoever writes or is refused, through whichever door, is found in the audit log and in the journal. */

const run = promisify(execFile);
const SECRET_TEXT = 'the recipe nobody may read';

describe('over HTTP', () => {
  let served: TestDoor;

  beforeAll(async () => {
    served = await openTestDoor({ 'Projects/A.md': 'alpha\n', 'Private/B.md': `${SECRET_TEXT}\n` });
  });

  afterAll(async () => {
    await served.close();
  });

  const of = async (who: string) => (await served.audited()).filter((record) => record.who === who);

  async function rest(token: string, method: string, path: string, body?: object): Promise<Response> {
    return await fetch(new URL(path, served.mcpUrl), {
      method,
      headers: { ...bearer(token), 'Content-Type': 'application/json', 'User-Agent': 'curl/8' },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  it('tells of a write through MCP who, what, and which version became which', async () => {
    const token = served.token('mcp writer', 'vault:write');
    const first = await callTool(served, token, 'note_write', { path: 'M.md', body: 'one\n' });
    const etag = first.result?.structuredContent.etag;
    const second = await callTool(served, token, 'note_write', { path: 'M.md', body: SECRET_TEXT });
    expect(await of('mcp writer')).toEqual([
      expect.objectContaining({
        event: 'write',
        outcome: 'ok',
        door: 'mcp',
        credential: token.split('_')[1],
        client: 'test client',
        address: '127.0.0.1',
        tool: 'note_write',
        changes: [{ action: 'create', path: 'M.md', after: etag }],
        files: 1,
        write_id: first.result?.structuredContent.write_id,
      }),
      expect.objectContaining({
        changes: [
          { action: 'replace', path: 'M.md', before: etag, after: second.result?.structuredContent.etag },
        ],
      }),
    ]);
  });

  it('tells of a write through REST the same', async () => {
    const token = served.token('rest writer', 'vault:write');
    await rest(token, 'PUT', '/v1/notes/R.md', { body: 'one\n' });
    await rest(token, 'DELETE', '/v1/notes/R.md');
    expect(await of('rest writer')).toMatchObject([
      { event: 'write', door: 'rest', client: 'curl/8', address: '127.0.0.1', changes: [{ path: 'R.md' }] },
      { event: 'write', tool: 'note_delete', changes: [{ action: 'trash', path: 'R.md' }] },
    ]);
  });

  it('tells each file of a move, and of an undo', async () => {
    const token = served.token('mover', 'vault:write');
    await callTool(served, token, 'note_write', { path: 'From.md', body: '# From\n' });
    await callTool(served, token, 'note_write', { path: 'Refers.md', body: '[[From]]\n' });
    await callTool(served, token, 'note_move', { from: 'From.md', to: 'To.md' });
    await callTool(served, token, 'note_undo', { mine: true });
    const [, , move, undo] = await of('mover');
    expect(move).toMatchObject({
      tool: 'note_move',
      files: 2,
      changes: [
        { action: 'move', path: 'From.md', to: 'To.md' },
        { action: 'replace', path: 'Refers.md', before: expect.any(String), after: expect.any(String) },
      ],
    });
    expect(undo).toMatchObject({ tool: 'note_undo', event: 'write', outcome: 'ok' });
    expect(undo?.files).toBeGreaterThan(1);
  });

  it('tells of a write that came to nothing, and of none that was only tried', async () => {
    const token = served.token('failing', 'vault:write');
    const change = { path: 'Projects/A.md', body: SECRET_TEXT, if_match: 'etag-of-before' };
    await callTool(served, token, 'note_write', change);
    await callTool(served, token, 'note_write', { ...change, dry_run: true });
    await callTool(served, token, 'note_read', { path: 'Absent.md' });
    expect(await of('failing')).toMatchObject([
      {
        event: 'failed',
        outcome: 'error',
        code: 'conflict',
        tool: 'note_write',
        paths: { path: 'Projects/A.md' },
        before: 'etag-of-before',
      },
    ]);
  });

  it('tells of a write whose precondition failed before anything was tried, and of none only tried', async () => {
    const token = served.token('conditional', 'vault:write');
    const etag = (await rest(token, 'GET', '/v1/notes/Projects/A.md')).headers.get('etag')?.slice(1, 17);
    const conditional = async (headers: Record<string, string>, query = '') =>
      (
        await fetch(new URL(`/v1/notes/Projects/A.md${query}`, served.mcpUrl), {
          method: 'PUT',
          headers: { ...bearer(token), 'Content-Type': 'application/json', ...headers },
          body: JSON.stringify({ body: SECRET_TEXT }),
        })
      ).status;
    expect(await conditional({ 'If-Match': '"0000000000000000"' })).toBe(412);
    expect(await conditional({ 'If-Match': '"0000000000000000", "1111111111111111"' })).toBe(412);
    expect(await conditional({ 'If-None-Match': '*' })).toBe(412);
    expect(await conditional({ 'If-None-Match': `"${etag}"` })).toBe(400);
    expect(await conditional({ 'If-Match': '"0", "1"' }, '?dry_run=true')).toBe(412);
    expect(await conditional({ 'If-Match': `"0", "${etag}"` })).toBe(200);
    const failed = { event: 'failed', door: 'rest', tool: 'note_write', paths: { path: 'Projects/A.md' } };
    expect(await of('conditional')).toMatchObject([
      { ...failed, code: 'conflict', before: '0000000000000000' },
      { ...failed, code: 'conflict', before: '"0000000000000000", "1111111111111111"' },
      { ...failed, code: expect.stringMatching(/conflict|exists/) },
      { ...failed, code: 'invalid_input' },
      { event: 'write', changes: [{ action: 'replace', before: etag }] },
    ]);
  });

  it('tells of what was refused, in the log and in the journal', async () => {
    const token = served.token('narrow', 'vault:read', 'path:Projects');
    await callTool(served, token, 'note_write', { path: 'Projects/A.md', body: SECRET_TEXT });
    await callTool(served, token, 'note_read', { path: 'Private/B.md' });
    const uri = 'vault://Private/B.md';
    const { body, headers } = statelessRequest('resources/read', { uri });
    await served.post(body, { ...headers, ...bearer(token), 'Mcp-Name': uri });
    await rest(token, 'PUT', '/v1/notes/Projects/A.md', { body: SECRET_TEXT });
    await rest(token, 'GET', '/v1/notes/Private/B.md');
    const refused = [
      { door: 'mcp', tool: 'note_write', code: 'not_offered' },
      { door: 'mcp', tool: 'note_read', code: 'hidden', paths: { path: 'Private/B.md' } },
      { door: 'mcp', tool: 'resources/read', code: 'hidden', paths: { path: 'Private/B.md' } },
      { door: 'rest', tool: 'note_write', code: 'not_offered' },
      { door: 'rest', tool: 'note_read', code: 'hidden', paths: { path: 'Private/B.md' } },
    ];
    const log = await of('narrow');
    expect(log).toMatchObject(refused.map((call) => ({ ...call, event: 'refused', outcome: 'refused' })));
    const journaled = await served.vault.session.refusals(5);
    expect(journaled.toReversed()).toMatchObject(
      refused.map(({ door, tool, code, paths }) => ({
        tool,
        code,
        actor: { kind: door, name: 'narrow' },
        paths: Object.values(paths ?? {}),
      })),
    );
  });

  it('lets a caller who sees a part of the vault know of its own refusals only, and of nothing that is hidden', async () => {
    const narrow = served.token('another narrow', 'vault:read', 'path:Projects');
    await callTool(served, narrow, 'note_delete', { path: 'Projects/A.md' });
    await callTool(served, narrow, 'note_read', { path: 'Private/B.md' });
    const ask = async (token: string) =>
      (await callTool(served, token, 'note_history', { refused: true })).result?.structuredContent
        .refused as {
        actor: string;
        code: string;
      }[];
    expect(await ask(narrow)).toMatchObject([{ actor: 'another narrow', code: 'not_offered' }]);
    const whole = await ask(served.token('whole', 'vault:read'));
    expect(whole.map(({ actor }) => actor)).toContain('narrow');
  });

  it('tells of whoever does not even get in, in the log only', async () => {
    const { body, headers } = statelessRequest('tools/list');
    await served.post(body, { ...headers, ...bearer('lectern_guess') });
    await served.post(body, { ...headers, Origin: 'https://evil.example' });
    const codes = (await served.audited()).map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['invalid_token', 'bad_origin']));
  });

  it('never has a word of a note in it', async () => {
    expect(JSON.stringify(await served.audited())).not.toContain(SECRET_TEXT.slice(0, 10));
  });

  it('says in the history which client it was and through which door', async () => {
    const reader = served.token('reader', 'vault:read');
    const history = await callTool(served, reader, 'note_history', { path: 'M.md' });
    expect(history.result?.structuredContent.writes).toMatchObject([
      { actor: 'mcp writer', client: 'test client', door: 'mcp' },
      { actor: 'mcp writer', client: 'test client', door: 'mcp' },
    ]);
  });
});

describe('in processes of their own', () => {
  let home: string;
  let vault: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'lectern-audit-'));
    vault = join(home, 'vault');
    mkdirSync(join(vault, 'Archive'), { recursive: true });
    writeFileSync(join(vault, 'A.md'), 'alpha\n');
  });

  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  function audit(): AuditRecord[] {
    const states = join(home, 'state', 'lectern');
    const [state = ''] = readdirSync(states);
    const path = join(states, state, 'audit.log');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(SECRET_TEXT);
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditRecord);
  }

  const cli = async (...args: string[]) =>
    await run(process.execPath, [LECTERN, ...args, '--vault', vault], {
      env: { PATH: process.env.PATH ?? '', HOME: home, XDG_STATE_HOME: join(home, 'state') },
    }).catch((error) => error as { stdout: string; code: number });

  it('the door over stdio writes the same lines', async () => {
    const wire = await new ProcessWire(['--vault', vault, '--deny-write', 'Archive'], home).open();
    await wire.call('note_write', { path: 'New.md', body: SECRET_TEXT });
    await wire.request('tools/call', {
      name: 'note_write',
      arguments: { path: 'Archive/X.md', body: SECRET_TEXT },
    });
    wire.child.stdin?.end();
    expect(await wire.exited).toBe(0);
    expect(audit()).toMatchObject([
      { event: 'write', door: 'mcp', who: 'raw', tool: 'note_write', changes: [{ path: 'New.md' }] },
      { event: 'refused', door: 'mcp', who: 'raw', code: 'forbidden', paths: { path: 'Archive/X.md' } },
    ]);
  });

  it('so does the command line, and the journal tells of both', async () => {
    const written = await cli('note', 'update', 'A.md', '--body', SECRET_TEXT);
    expect(written).not.toHaveProperty('code');
    writeFileSync(join(home, 'lectern.yaml'), 'read_only: true\n');
    expect(
      await cli('note', 'delete', 'A.md', '--yes', '--config', join(home, 'lectern.yaml')),
    ).toHaveProperty('code');
    expect(audit()).toMatchObject([
      {
        event: 'write',
        door: 'cli',
        tool: 'note_write',
        changes: [{ action: 'replace', path: 'A.md', before: expect.any(String), after: expect.any(String) }],
      },
      { event: 'refused', door: 'cli', tool: 'note_delete', code: 'read_only', paths: { path: 'A.md' } },
    ]);
    const { stdout } = await cli('note', 'history', '--refused', '--json');
    const history = JSON.parse(stdout) as { writes: object[]; refused: object[] };
    expect(history.writes).toMatchObject([{ door: 'cli', tool: 'note_write' }]);
    expect(history.refused).toMatchObject([{ door: 'cli', tool: 'note_delete', code: 'read_only' }]);
  });

  it('a setting changed at the command line is told as one changed by a client, and one that was not', async () => {
    const config = join(home, 'lectern.yaml');
    await cli('config', 'set', 'daily_notes.folder', SECRET_TEXT, '--config', config);
    await cli('config', 'set', 'daily_notes.folder', SECRET_TEXT, '--config', config);
    await cli('config', 'set', 'http.port', 'many', '--config', config);
    const who = { door: 'cli', tool: 'vault_config_set' };
    expect(audit()).toMatchObject([
      { ...who, event: 'write', outcome: 'ok', setting: 'daily_notes.folder' },
      { ...who, event: 'failed', outcome: 'error', code: 'invalid_input' },
    ]);
  });

  it('settings are changed where no vault is named yet, and so nothing keeps an account', async () => {
    const config = join(home, 'lectern.yaml');
    const args = ['config', 'set', 'daily_notes.folder', 'Days', '--config', config];
    await run(process.execPath, [LECTERN, ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home, XDG_STATE_HOME: join(home, 'state') },
    });
    expect(readFileSync(config, 'utf8')).toContain('Days');
  });
});

it('a changed setting is told by its name, without its value', async () => {
  const records: AuditRecord[] = [];
  const auditor = new Auditor({
    log: { append: (record) => records.push(record), flush: async () => {} },
    journal: () => {
      throw new Error('No journal is needed.');
    },
    warn: () => {},
  });
  const configuration = auditor.watching(
    {
      settings: async () => ({ settings: [] }),
      change: async ({ setting, value }) => ({
        setting,
        previous: null,
        value: SECRET_TEXT,
        changed: value !== 'same',
        effect: 'at once',
        notices: [],
      }),
    },
    ACTOR,
  );
  await configuration.change({ setting: 'daily.folder', value: SECRET_TEXT, dryRun: false });
  await configuration.change({ setting: 'daily.folder', value: SECRET_TEXT, dryRun: true });
  await configuration.change({ setting: 'daily.folder', value: 'same', dryRun: false });
  expect(records).toMatchObject([
    { event: 'write', outcome: 'ok', tool: 'vault_config_set', setting: 'daily.folder', who: 'test' },
  ]);
  expect(JSON.stringify(records)).not.toContain(SECRET_TEXT);
});

it('a journal of before refusals and clients were kept is gone on with', async () => {
  const vault = await openTestVault({ 'A.md': 'alpha\n' });
  await vault.session.write('A.md', { body: 'beta\n' }, { tool: 'note_write' });
  await vault.close();
  const { openDatabase } = await import('../src/sqlite/driver.ts');
  const old = openDatabase(join(vault.state, 'journal.db'));
  old.exec('ALTER TABLE write_group DROP COLUMN actor_client; DROP TABLE refusal');
  old.close();
  const journal = openJournal(join(vault.state, 'journal.db'));
  try {
    expect(journal.history({ limit: 5 }).groups).toMatchObject([{ actor: ACTOR, tool: 'note_write' }]);
    journal.refuse([{ time: 1, actor: ACTOR, tool: 'note_read', code: 'hidden', paths: ['B.md'] }]);
    expect(journal.refusals({ limit: 5 })).toEqual([
      { time: 1, actor: ACTOR, tool: 'note_read', code: 'hidden', paths: ['B.md'] },
    ]);
  } finally {
    journal.close();
    discard(vault);
  }
});
