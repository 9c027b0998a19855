import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Space, startSpace } from './silverbullet/server.ts';

/** The program on a server that answers as SilverBullet does, told of it by the variables of SilverBullet's own MCP server. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));
const TOKEN = 'token-of-the-space';

let space: Space;
let home: string;
let client: Client | undefined;
let said = '';
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'lectern-home-'));
  said = '';
  space = await startSpace({
    generation: 'rust',
    user: 'me:secret',
    token: TOKEN,
    files: { 'index.md': 'See [[Sea/Harbour]].\n', 'Sea/Harbour.md': 'The crane waits. #sea\n' },
  });
});
afterEach(async () => {
  await client?.close();
  await space.close();
  rmSync(home, { recursive: true, force: true });
});

async function connect(args: readonly string[], more: Record<string, string>): Promise<void> {
  const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...inherited } = process.env;
  const own = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const env = { ...inherited, ...own, ...more } as Record<string, string>;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LECTERN, 'mcp', 'serve', ...args],
    env,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
}

async function call(name: string, given: Record<string, unknown> = {}) {
  return (await client?.callTool({ name, arguments: given })) as {
    isError?: boolean;
    structuredContent?: Record<string, unknown>;
    content: { text: string }[];
  };
}

const soon = { timeout: 20_000 };

it('searches, moves with its links, and takes back', async () => {
  await connect(['--vault', `silverbullet:${space.url}`], { LECTERN_SILVERBULLET_TOKEN: TOKEN });
  const found = async () =>
    ((await call('vault_search', { query: 'crane' })).structuredContent?.results as { path: string }[])?.map(
      ({ path }) => path,
    );
  await expect.poll(found, soon).toEqual(['Sea/Harbour.md']);
  const moved = await call('note_move', { from: 'Sea/Harbour.md', to: 'Coast/Port.md' });
  expect(moved.isError, moved.content[0]?.text).toBeFalsy();
  expect(space.files.get('index.md')?.bytes.toString()).toBe('See [[Coast/Port]].\n');
  expect([...space.files.keys()].sort()).toEqual(['Coast/Port.md', 'index.md']);
  const undone = await call('note_undo', { write_id: moved.structuredContent?.write_id });
  expect(undone.isError, undone.content[0]?.text).toBeFalsy();
  expect([...space.files.keys()].sort()).toEqual(['Sea/Harbour.md', 'index.md']);
  expect(space.files.get('index.md')?.bytes.toString()).toBe('See [[Sea/Harbour]].\n');
  space.write('Elsewhere.md', 'A lighthouse.\n');
  const heard = async () =>
    ((await call('vault_search', { query: 'lighthouse' })).structuredContent?.results as object[])?.length;
  await expect.poll(heard, soon).toBe(1);
  const status = await call('vault_status');
  expect(status.structuredContent).toMatchObject({
    name: 'silverbullet',
    store: 'silverbullet',
    dialect: 'silverbullet',
  });
  expect(JSON.stringify(status) + said).not.toContain(TOKEN);
});

it('is named by SB_URL and SB_TOKEN, and speaks as its MCP server did', async () => {
  await connect(['--catalogue', 'silverbullet'], { SB_URL: space.url, SB_TOKEN: TOKEN });
  const read = await call('read_page', { page: 'Sea/Harbour' });
  const { lastModified } = JSON.parse(read.content[0]?.text ?? '{}') as { lastModified: number };
  expect(read.content[1]?.text).toContain('The crane waits.');
  expect(lastModified).toBe(space.files.get('Sea/Harbour.md')?.modified);
  space.write('Sea/Harbour.md', 'Changed on the server.\n');
  const mine = { page: 'Sea/Harbour', body: 'mine', expected_last_modified: lastModified };
  expect((await call('write_page', mine)).content[0]?.text).toContain('conflict');
  expect(space.files.get('Sea/Harbour.md')?.bytes.toString()).toBe('Changed on the server.\n');
  await call('delete_page', { page: 'Sea/Harbour' });
  expect([...space.files.keys()].sort()).toEqual([
    expect.stringMatching(/^_trash\/\d{4}-\d{2}\/Sea\/Harbour\.md$/),
    'index.md',
  ]);
});
