import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localRunner } from '../src/cli/commands/local.ts';
import { SETTING_TABLE } from '../src/config/setting-rows.ts';
import { runCommand } from './support/command-line.ts';
import { httpAddress, LECTERN } from './support/process-wire.ts';

/** Settings shown and changed: by the owner at the command line, by others at a running server. */

const folder = mkdtempSync(join(tmpdir(), 'lectern-settings-'));
const file = join(folder, 'lectern.yaml');
const vault = join(folder, 'notes');
const FILE = `# mine
vaults:
  notes: ${vault} # all of them
paths:
  read:
    deny: [Secret place]
http: { port: 0, request_limit: 30 }
log_level: warn
`;
mkdirSync(join(vault, 'Secret place'), { recursive: true });
writeFileSync(join(vault, 'A.md'), 'alpha\n');
writeFileSync(join(vault, 'Secret place', 'B.md'), 'beta\n');
writeFileSync(file, FILE);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = {
  PATH: process.env.PATH ?? '',
  HOME: folder,
  XDG_STATE_HOME: join(folder, 'state'),
  KEY: 'hunter2',
};

function lectern(args: readonly string[], more: Record<string, string> = {}) {
  const done = spawnSync(process.execPath, [LECTERN, ...args], {
    env: { ...env, ...more },
    encoding: 'utf8',
    cwd: folder,
    input: '',
  });
  const text = done.status === 0 ? done.stdout : done.stderr;
  return { code: done.status, answer: JSON.parse(text) as Record<string, unknown> & { settings: Row[] } };
}

interface Row {
  readonly setting: string;
  readonly value: unknown;
  readonly origin: string;
  readonly where?: string;
  readonly effect: string;
  readonly changeable: boolean;
  readonly pending?: boolean;
}

const rowOf = (rows: readonly Row[], setting: string) => rows.find((row) => row.setting === setting);

describe('the owner at the command line', () => {
  const own = (...args: string[]) => lectern(['config', ...args, '--config', file]);

  it('sees every setting with where it comes from', () => {
    const { answer } = lectern(['vault', 'config', 'get', '--config', file], { LECTERN_RATE_LIMIT: '7' });
    expect(answer.file).toBe(file);
    expect(rowOf(answer.settings, 'vaults.notes.path')).toMatchObject({ value: vault, where: `${file}:3` });
    expect(rowOf(answer.settings, 'paths.read.deny')).toEqual({
      setting: 'paths.read.deny',
      value: ['Secret place'],
      origin: 'file',
      where: `${file}:6`,
      effect: 'at once',
      changeable: true,
    });
    expect(rowOf(answer.settings, 'http.rate_limit')).toMatchObject({
      value: 7,
      origin: 'environment',
      where: 'LECTERN_RATE_LIMIT',
      effect: 'next start',
    });
    expect(own('get', 'http').answer.settings.every(({ setting }) => setting.startsWith('http.'))).toBe(true);
  });

  it('changes one value and no other byte', () => {
    const { answer } = own('set', 'http.request_limit', '90');
    expect(answer).toMatchObject({ previous: 30, value: 90, changed: true, effect: 'next start' });
    expect(readFileSync(file, 'utf8')).toBe(FILE.replace('request_limit: 30', 'request_limit: 90'));
    expect(own('set', 'http.request_limit', '90').answer).toMatchObject({ changed: false });
    expect(own('set', 'embedder_key', 'env:KEY').answer).toMatchObject({
      previous: null,
      value: '********',
      notice: expect.stringContaining('embedder_key is set, but no embedder'),
    });
    expect(own('set', 'embedder_key', '--unset').answer).toMatchObject({ previous: '********', value: null });
    own('set', 'http.request_limit', '30');
    expect(readFileSync(file, 'utf8')).toBe(FILE);
  });

  it.each([
    [['http.prot', '80'], 2, 'Did you mean http.port?'],
    [['http.port', '99999'], 2, 'Port to listen on, a whole number up to 65535; 0 = any that is free.'],
    [['http.public_url', 'ftp://x'], 2, /https:/],
    [['http.trust_proxies', '[10.0.0.0/99]'], 2, /address of the proxy/],
    [['tools.deny', '[note_delte]'], 2, 'Did you mean note_delete?'],
    [['embedder', 'gpt'], 2, /^Use local/],
    [['paths.write.deny', `${'{a,b}'.repeat(14)}`], 2, 'Write it as several rules.'],
    [['embedder_key', 'hunter2'], 2, 'Say where it is: env:NAME or file:<path>.'],
    [['vaults.a b', '/x'], 2, /letters/],
    [['vaults.other', vault], 2, /Keep one of them/],
    [['vaults.outer', folder], 2, /Keep it outside/],
    [['daily_notes.folder', '../out'], 2, /Folder of the daily notes/],
    [['log_level'], 2, /Add the value/],
  ] as const)('%j is refused and changes nothing', async (args, code, next) => {
    // As the program runs it, in this process: a start for each would take most of the time.
    const { code: status, err } = await runCommand(
      ['vault', 'config', 'set', ...args, '--config', file],
      localRunner,
    );
    const answer = JSON.parse(err) as { code: string; next: string };
    expect([status, answer.code]).toEqual([code, 'invalid_input']);
    if (typeof next === 'string') expect(answer.next).toBe(next);
    else expect(answer.next).toMatch(next);
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(readFileSync(file, 'utf8')).toBe(FILE);
  });

  it('ends the program with the code of a refusal', () => {
    const { code, answer } = own('set', 'http.prot', '80');
    expect([code, answer.code, answer.next]).toEqual([2, 'invalid_input', 'Did you mean http.port?']);
    expect(readFileSync(file, 'utf8')).toBe(FILE);
  });

  it('is told what stands above the file, and what does not go together yet', () => {
    const flag = lectern(['config', 'set', 'log_level', 'info', '--config', file], {
      LECTERN_LOG_LEVEL: 'error',
    });
    expect(flag.answer.notice).toContain('LECTERN_LOG_LEVEL stands above the file');
    expect(own('set', 'http.tls_cert', 'cert.pem').answer).toMatchObject({
      value: join(folder, 'cert.pem'),
      notice: expect.stringContaining('TLS needs both'),
    });
    writeFileSync(file, FILE);
  });

  it('starts a file, before there is a vault', () => {
    const fresh = { XDG_CONFIG_HOME: join(folder, 'fresh') };
    expect(lectern(['config', 'get'], fresh).answer.settings[0]).toMatchObject({
      setting: 'vaults',
      value: null,
    });
    expect(lectern(['config', 'set', 'vaults.notes', 'notes'], fresh).answer).toMatchObject({ value: vault });
    expect(readFileSync(join(folder, 'fresh', 'lectern', 'lectern.yaml'), 'utf8')).toBe(
      `vaults:\n  notes: ${vault}\n`,
    );
    expect(lectern(['note', 'get', 'A.md'], fresh).answer).toMatchObject({ body: 'alpha\n' });
  });
});

describe('somebody else, with the scope for settings', () => {
  let child: ChildProcess;
  let url: string;

  beforeAll(async () => {
    writeFileSync(file, FILE);
    const args = [LECTERN, 'serve', '--no-auth', '--config', file, '--rate-limit', '0'];
    child = spawn(process.execPath, args, { env, cwd: folder });
    url = (await httpAddress(child)).replace(/\/mcp$/, '');
  });

  afterAll(async () => {
    const left = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await left;
  });

  async function ask(
    method: string,
    body?: object,
  ): Promise<{ status: number; text: string; data: Row & { settings: Row[] } }> {
    const response = await fetch(`${url}/v1/vault/config`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      data: (JSON.parse(text) as { data: Row & { settings: Row[] } }).data,
    };
  }

  it('is not shown what rules hide, where files are, or other vaults', async () => {
    const { text, data } = await ask('GET');
    expect(text).not.toContain('Secret place');
    expect(text).not.toContain(folder);
    expect(rowOf(data.settings, 'paths.read.deny')).toMatchObject({
      value: '********',
      origin: 'file',
      changeable: false,
    });
    expect(rowOf(data.settings, 'http.rate_limit')).toMatchObject({
      value: 0,
      origin: 'flag',
      where: '--rate-limit',
    });
    expect(data.settings.map(({ setting }) => setting)).toEqual(
      SETTING_TABLE.map(({ key }) => key.join('.')),
    );
  });

  it('may change the place of daily notes and nothing else, at once', async () => {
    const prompt = async () => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': '2026-07-28',
          'Mcp-Method': 'prompts/get',
          'Mcp-Name': 'daily_note',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'prompts/get',
          params: {
            name: 'daily_note',
            arguments: { date: '2026-05-03' },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
              'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
            },
          },
        }),
      });
      return await response.text();
    };
    expect(await prompt()).toContain('Create Daily/2026-05-03.md');
    for (const { key, agent } of SETTING_TABLE) {
      const { status, text } = await ask('PUT', { setting: key.join('.'), unset: true });
      expect([key.join('.'), status]).toEqual([key.join('.'), agent === 'sets' ? 200 : 403]);
      if (agent !== 'sets') expect(text).toContain('Only the owner');
    }
    expect(readFileSync(file, 'utf8')).toBe(FILE);
    const { data } = await ask('PUT', { setting: 'daily_notes.folder', value: 'Log' });
    expect(data).toMatchObject({ previous: null, value: 'Log', effect: 'at once' });
    expect(await prompt()).toContain('Create Log/2026-05-03.md');
    expect(readFileSync(file, 'utf8')).toBe(`${FILE}daily_notes:\n  folder: Log\n`);
  });

  it('sees what waits for the next start, and what the owner changes meanwhile', async () => {
    expect(lectern(['config', 'set', 'http.request_limit', '45', '--config', file]).code).toBe(0);
    const limit = async () => rowOf((await ask('GET')).data.settings, 'http.request_limit');
    await expect.poll(limit, { timeout: 6000 }).toMatchObject({ value: 45, pending: true });
    lectern(['config', 'set', 'read_only', 'true', '--config', file]);
    await expect.poll(async () => (await ask('GET')).status, { timeout: 6000 }).toBe(403);
  });
});
