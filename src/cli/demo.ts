import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../errors.ts';
import { clientSetups } from './client-setup.ts';
import { DemoClient } from './demo-client.ts';
import { packageRoot } from './package-root.ts';
import { checkVaultFolder } from './vault-folder.ts';

/** Characters of the note that are shown; a client gets as much as it asks for. */
const READ_CHARS = 600;
const POLL_MS = 200;

/**
 * Shows on a real vault what an agent sees: starts this program's own server, speaks MCP with it
 * and prints a search, a read and the backlinks it got, then how to connect a client.
 *
 * @param folder the reader's notes; undefined = the sample vault
 */
export async function runDemo(folder: string | undefined): Promise<void> {
  const vault = folder === undefined ? sampleVault() : resolve(folder);
  await checkVaultFolder(vault);
  const command = [process.execPath, serverScript(), 'mcp', 'serve', '--stdio', '--vault', vault] as const;
  const client = new DemoClient([...command]);
  try {
    await show(client, vault);
  } finally {
    await client.close();
  }
  print(heading('Connect your client'));
  for (const { client: name, where, line } of clientSetups([...command], process.platform)) {
    print(`${name} (${where}):\n  ${line}\n`);
  }
}

async function show(client: DemoClient, vault: string): Promise<void> {
  const server = await client.handshake();
  print(`Connected to ${server.name} ${server.version} over stdio (MCP ${server.protocol}).`);
  print(`Vault: ${vault}`);
  const tools = await client.toolNames();
  print(`Tools: ${tools.join(', ')}\n`);
  print((await statusWhenReady(client)).text);

  const query = await somethingToFind(client);
  if (query === undefined) {
    print('\nThis vault has no notes yet. Add a Markdown file and run this again.');
    return;
  }
  const search = await client.call('vault_search', { q: query, limit: 3 });
  printCall('vault_search', { q: query, limit: 3 }, search.text);

  const path = await worthReading(client, query);
  const read = { path, include: ['tags', 'outline'], max_chars: READ_CHARS };
  printCall('note_read', read, (await client.call('note_read', read)).text);
  const links = { path, limit: 5 };
  printCall('link_backlinks', links, (await client.call('link_backlinks', links)).text);
}

function sampleVault(): string {
  const folder = join(packageRoot(), 'sample-vault');
  if (existsSync(folder)) return folder;
  throw new LecternError('unavailable', 'The sample vault is not part of this installation.', {
    next: 'Name a folder of notes: lectern demo <folder>.',
  });
}

/** The built program: what a client will start. */
function serverScript(): string {
  return join(packageRoot(), 'dist', 'lectern.js');
}

async function statusWhenReady(client: DemoClient): Promise<{ text: string }> {
  for (;;) {
    const status = await client.call('vault_status', {});
    if (status.structured.index !== 'building') return status;
    if (process.stderr.isTTY) {
      process.stderr.write(`\rindexing ${status.structured.index_done}/${status.structured.index_total} `);
    }
    await delay(POLL_MS);
  }
}

/** A question this vault has an answer to: its most used tag, else the newest note's title. */
async function somethingToFind(client: DemoClient): Promise<string | undefined> {
  const tags = rows((await client.call('tag_list', { limit: 500 })).structured.tags);
  const most = tags.reduce<Record<string, unknown> | undefined>(
    (best, row) => (Number(row.notes) > Number(best?.notes ?? 0) ? row : best),
    undefined,
  );
  if (most !== undefined) return String(most.tag).split('/').at(-1);
  const newest = rows((await client.call('note_list', { sort: '-mtime', limit: 1 })).structured.notes)[0];
  return newest === undefined ? undefined : String(newest.title);
}

/** Of the best hits, or else of the newest notes, the one that most others link to. */
async function worthReading(client: DemoClient, query: string): Promise<string> {
  const hits = rows((await client.call('vault_search', { q: query, limit: 10 })).structured.results);
  const newest = rows((await client.call('note_list', { sort: '-mtime', limit: 30 })).structured.notes);
  let best = { path: '', links: -1 };
  for (const [index, row] of [...hits, ...newest].entries()) {
    if (index >= hits.length && best.links > 0) break;
    const path = String(row.path);
    const links = Number((await client.call('link_backlinks', { path, limit: 1 })).structured.total);
    if (links > best.links) best = { path, links };
  }
  return best.path;
}

function rows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : [];
}

function printCall(tool: string, args: object, answer: string): void {
  print(heading(`${tool} ${JSON.stringify(args)}`));
  print(answer);
}

function heading(text: string): string {
  return `\n── ${text} ──`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
