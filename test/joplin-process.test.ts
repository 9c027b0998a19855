import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { hasJoplin, type Joplin, startJoplin } from './joplin/joplin.ts';

/** The program on a real Joplin: how it is told of it, what it does when Joplin comes later, and the owner's yes. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));

let joplin: Joplin;
let home: string;
let client: Client | undefined;
let said = '';
beforeAll(async () => {
  if (!hasJoplin) return;
  joplin = await startJoplin();
  await joplin.seed({ 'Sea/Harbour.md': 'The crane waits.\n' });
}, 600_000);
afterAll(() => joplin?.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-home-'));
  said = '';
});
afterEach(async () => {
  await client?.close();
  client = undefined;
  rmSync(home, { recursive: true, force: true });
});

const environment = (more: Record<string, string> = {}) => {
  const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...inherited } = process.env;
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  return { ...inherited, ...own, ...more } as Record<string, string>;
};

async function connect(args: readonly string[], more: Record<string, string> = {}): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LECTERN, 'mcp', 'serve', ...args],
    env: environment(more),
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return client;
}

async function call(name: string, given: Record<string, unknown> = {}) {
  return (await client?.callTool({ name, arguments: given })) as {
    isError?: boolean;
    structuredContent?: Record<string, unknown>;
    content: { text: string }[];
  };
}

const pathsFound = async (query: string) =>
  ((await call('vault_search', { query })).structuredContent?.results as { path: string }[] | undefined)?.map(
    ({ path }) => path,
  );

it.skipIf(!hasJoplin)('serves notes of Joplin, and never shows the token', async () => {
  await connect(['--vault', `joplin:${joplin.url}`], { LECTERN_JOPLIN_TOKEN: joplin.token });
  await expect.poll(() => pathsFound('crane'), { timeout: 20_000 }).toEqual(['Sea/Harbour.md']);
  const read = await call('note_read', { path: 'Sea/Harbour.md' });
  expect(read.content[0]?.text).toContain('The crane waits.');
  const status = await call('vault_status');
  expect(status.structuredContent).toMatchObject({ name: 'joplin', store: 'joplin', location: joplin.url });
  expect(status.structuredContent).not.toHaveProperty('away_since');
  expect(JSON.stringify([read, status]) + said).not.toContain(joplin.token);
});

it.skipIf(!hasJoplin)(
  'starts while Joplin is away, says since when, and serves it once it is there',
  async () => {
    await joplin.kill();
    await connect(['--vault', `joplin:${joplin.url}`], { LECTERN_JOPLIN_TOKEN: joplin.token });
    const read = await call('note_read', { path: 'Sea/Harbour.md' });
    expect(read.isError).toBe(true);
    expect(read.content[0]?.text).toContain('Start Joplin');
    const status = await call('vault_status');
    expect(Date.parse(String(status.structuredContent?.away_since))).toBeLessThanOrEqual(Date.now());
    await joplin.restart();
    await expect.poll(() => pathsFound('crane'), { timeout: 20_000 }).toEqual(['Sea/Harbour.md']);
    expect((await call('vault_status')).structuredContent).not.toHaveProperty('away_since');
    expect(said).not.toContain(joplin.token);
  },
);

it.skipIf(!hasJoplin)('takes the token from a file, and says what to do when it is wrong', async () => {
  const file = join(home, 'token');
  writeFileSync(file, 'wrong\n');
  await connect(['--vault', 'joplin:', '--joplin-url', joplin.url, '--joplin-token-file', file]);
  expect((await call('note_read', { path: 'Sea/Harbour.md' })).content[0]?.text).toContain(
    'does not accept the token',
  );
  writeFileSync(file, `${joplin.token}\n`);
  await expect.poll(() => pathsFound('crane'), { timeout: 20_000 }).toEqual(['Sea/Harbour.md']);
});

async function pair(answer: boolean) {
  const child = spawn(process.execPath, [LECTERN, 'joplin', 'pair', '--joplin-url', joplin.url], {
    env: environment(),
  });
  let output = '';
  const asked = new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Accept it there')) resolve();
    });
  });
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = once(child, 'exit');
  await Promise.race([asked, exited]);
  joplin.answer(answer);
  const [code] = await exited;
  return { code, output };
}

it.skipIf(!hasJoplin)('is given the token by the owner in Joplin, and keeps it to itself', async () => {
  const refused = await pair(false);
  expect(refused.code).not.toBe(0);
  expect(refused.output).toContain('answered with no');
  const accepted = await pair(true);
  expect(accepted.code).toBe(0);
  expect(accepted.output).not.toContain(joplin.token);
  const file = join(home, 'config', 'lectern', 'joplin-token');
  expect(readFileSync(file, 'utf8')).toBe(`${joplin.token}\n`);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  await connect(['--vault', 'joplin:', '--joplin-url', joplin.url]);
  await expect.poll(() => pathsFound('crane'), { timeout: 20_000 }).toEqual(['Sea/Harbour.md']);
});
