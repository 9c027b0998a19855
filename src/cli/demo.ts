import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkPlace } from '../app/open-store.ts';
import { packageRoot } from '../app/package-root.ts';
import { isLecternError, LecternError } from '../errors.ts';
import { clientSetups, quote } from './client-setup.ts';
import { DemoClient } from './demo-client.ts';

/** Most lines shown of each answer, so that everything fits on one screen. */
const SEARCH_LINES = 5;
const READ_LINES = 8;
const BACKLINK_LINES = 4;
/** Most characters shown of a line. */
const LINE_CHARS = 150;
/** Number of newest notes among which a linked one is searched. */
const CANDIDATES = 100;
const POLL_MS = 200;

/**
 * Demonstrates on a real vault what an agent sees: starts this program's server read-only, calls it over MCP,
 * prints the answers to a search, a read and a query for backlinks, and then how to connect a client.
 *
 * @param folder the user's notes; undefined = the sample vault
 * @throws LecternError `unavailable` when the folder does not exist or cannot be read
 */
export async function runDemo(folder: string | undefined): Promise<void> {
  const vault = folder === undefined ? sampleVault() : resolve(folder);
  await checkFolder(vault);
  const server = [process.execPath, serverScript(), 'mcp', 'serve', '--stdio', '--vault', vault] as const;
  const client = new DemoClient([...server, '--read-only']);
  try {
    await show(client);
  } finally {
    await client.close();
  }
  print(heading('Connect your client'));
  print(
    `All that are on this machine, after asking:\n  lectern init --vault ${quote(vault, process.platform)}`,
  );
  for (const { client: name, where, line } of clientSetups([...server], process.platform)) {
    print(`${name} (${where}):\n  ${line}`);
  }
  if (folder === undefined) print('\nOn your own notes: npm start -- <folder>');
}

/** Checks the folder; an error's next step refers to this command, which has no `--vault`. */
async function checkFolder(vault: string): Promise<void> {
  try {
    await checkPlace({ kind: 'folder', location: vault });
  } catch (error) {
    if (!isLecternError(error)) throw error;
    throw new LecternError(error.code, error.message, {
      cause: error,
      next: 'Name the folder your notes are in: npm start -- <folder>',
    });
  }
}

async function show(client: DemoClient): Promise<void> {
  const server = await client.handshake();
  const tools = await client.toolNames();
  print(
    `Connected to ${server.name} ${server.version} over stdio (MCP ${server.protocol}): ${tools.length} tools that read; this demo writes nothing.`,
  );
  const status = await statusWhenReady(client);
  print(clipLine(status.text.split('\n', 1).join('')));

  const hub = await mostLinked(client);
  if (hub === undefined) {
    print('\nThis folder has no notes yet. Add a Markdown file and run this again.');
    return;
  }
  await showCall(client, 'vault_search', { q: hub.title, limit: 2 }, SEARCH_LINES);
  await showCall(client, 'note_read', { path: hub.path, include: ['tags'], max_chars: 800 }, READ_LINES);
  await showCall(client, 'link_backlinks', { path: hub.path, limit: 3 }, BACKLINK_LINES);
}

/** Path of the sample vault. @throws LecternError `unavailable` when this installation has none */
export function sampleVault(): string {
  const folder = join(packageRoot(), 'sample-vault');
  if (existsSync(folder)) return folder;
  throw new LecternError('unavailable', 'The sample vault is not part of this installation.', {
    next: 'Name a folder of notes: lectern demo <folder>.',
  });
}

/** Path of the built program, which clients start. */
function serverScript(): string {
  return join(packageRoot(), 'dist', 'lectern.js');
}

async function statusWhenReady(client: DemoClient): Promise<{ text: string }> {
  for (;;) {
    const status = await client.call('vault_status', {});
    if (status.structured.index !== 'building') {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
      return status;
    }
    if (process.stderr.isTTY) {
      process.stderr.write(`\rindexing ${status.structured.index_done}/${status.structured.index_total} `);
    }
    await delay(POLL_MS);
  }
}

/** The one of the newest notes that has the most backlinks; undefined for a vault without notes. */
async function mostLinked(client: DemoClient): Promise<{ path: string; title: string } | undefined> {
  const newest = rows(
    (await client.call('note_list', { sort: '-mtime', limit: CANDIDATES })).structured.notes,
  );
  let best: { path: string; title: string } | undefined;
  let most = -1;
  for (const row of newest) {
    const path = String(row.path);
    const links = Number((await client.call('link_backlinks', { path, limit: 1 })).structured.total);
    if (links <= most) continue;
    best = { path, title: String(row.title) };
    most = links;
  }
  return best;
}

function rows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : [];
}

async function showCall(client: DemoClient, tool: string, args: object, lines: number): Promise<void> {
  const answer = await client.call(tool, args);
  print(heading(`${tool} ${JSON.stringify(args)}`));
  print(clip(answer.text, lines));
}

/** The first lines of an answer without blank lines, and the number of lines left out. */
function clip(text: string, limit: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, lines.length > limit ? limit - 1 : limit).map(clipLine);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… ${left} more lines`] : [])].join('\n');
}

function clipLine(line: string): string {
  const chars = Array.from(line);
  return chars.length <= LINE_CHARS ? line : `${chars.slice(0, LINE_CHARS - 1).join('')}…`;
}

function heading(text: string): string {
  return `\n── ${text} ──`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
