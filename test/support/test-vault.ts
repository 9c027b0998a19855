import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { NoteIndexReader } from '../../src/index/note-index.ts';
import { openIndexReader } from '../../src/index/sqlite/read/reader.ts';
import { openVectorReader } from '../../src/index/sqlite/vectors/reader.ts';
import { writerPort } from '../../src/index/sqlite/write/port.ts';
import { openIndexWriter } from '../../src/index/sqlite/write/writer.ts';
import type { AuditLog } from '../../src/journal/audit.ts';
import type { Journal } from '../../src/journal/journal.ts';
import { openJournal } from '../../src/journal/sqlite/journal.ts';
import { SqliteWriteLock } from '../../src/journal/sqlite/lock.ts';
import { openSearchEngine } from '../../src/search/engine.ts';
import { openFolderStore } from '../../src/stores/folder/folder-store.ts';
import type { Store } from '../../src/stores/store.ts';
import type { CallMessage, CallReply } from '../../src/thread-calls.ts';
import { type AccessRules, OPEN_ACCESS } from '../../src/vault/access.ts';
import type { ConfigurationFor } from '../../src/vault/configuration.ts';
import { ChangeFeed } from '../../src/vault/events.ts';
import { IndexerClient } from '../../src/vault/indexer/client.ts';
import type { IndexerEvent, IndexerPort } from '../../src/vault/indexer/protocol.ts';
import { serveIndexer } from '../../src/vault/indexer/serve.ts';
import { loadSettings } from '../../src/vault/load-settings.ts';
import type { Actor, VaultSession } from '../../src/vault/session.ts';
import { Vault } from '../../src/vault/vault.ts';

export const ACTOR: Actor = { kind: 'mcp', name: 'test', session: 's1' };

export interface TestVault {
  readonly folder: string;
  readonly state: string;
  readonly vault: Vault;
  readonly session: VaultSession;
  /** Text of a file as it is on disk, undefined when absent. */
  file(path: string): string | undefined;
  /** Every file outside dot folders, by path. */
  files(): Record<string, string>;
  close(): Promise<void>;
}

export interface TestVaultOptions {
  readonly rules?: AccessRules;
  readonly configuration?: ConfigurationFor;
  /** Wraps the store that the vault writes through, e.g. to play a racing editor. */
  readonly wrap?: (store: Store) => Store;
  /** Opens the vault's store in place of a folder, once for the vault and once for its indexer. */
  readonly stores?: () => Promise<Store>;
  readonly audit?: AuditLog;
  /** Wraps the journal. */
  readonly wrapJournal?: (journal: Journal) => Journal;
  /** Files that were written reach the index only when this has resolved. */
  readonly beforeIndexing?: () => Promise<void>;
  /** Wraps the store that the indexer reads, e.g. to hold it up; the vault is then handed out before it is indexed. */
  readonly wrapIndexed?: (store: Store) => Store;
  /** How long an answer may wait for an index that is being built, ms. */
  readonly buildLimitMs?: number;
  /** Wraps the index that calls read. */
  readonly wrapReader?: (reader: NoteIndexReader) => NoteIndexReader;
  /** Reopens a vault that was closed. */
  readonly reopen?: { folder: string; state: string };
}

/**
 * A vault in a temporary folder: everything real (files, index, journal, lock), only the indexer runs
 * in this thread instead of its own.
 */
export async function openTestVault(
  files: Record<string, string | Uint8Array> = {},
  options: TestVaultOptions = {},
): Promise<TestVault> {
  const folder = options.reopen?.folder ?? mkdtempSync(join(tmpdir(), 'lectern-vault-'));
  const state = options.reopen?.state ?? mkdtempSync(join(tmpdir(), 'lectern-state-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const openStore = options.stores ?? (() => openFolderStore({ root: folder }));
  const plain = await openStore();
  const store = options.wrap ? options.wrap(plain) : plain;
  const { wrapReader = (reader) => reader } = options;
  const settings = await loadSettings(store, () => {});
  const indexPath = join(state, 'index.db');
  const feed = new ChangeFeed((error) => {
    throw error;
  });
  const indexer = new IndexerClient(
    await inThisThread(openStore, indexPath, settings.dialect, options),
    feed,
    () => {},
  );
  const vault = new Vault({
    name: 'test',
    store,
    settings,
    rules: options.rules ?? OPEN_ACCESS,
    ...(options.configuration && { configuration: options.configuration }),
    indexer,
    feed,
    openReader: () => wrapReader(openIndexReader(indexPath)),
    openJournal: () => ({
      journal: (options.wrapJournal ?? ((journal) => journal))(openJournal(join(state, 'journal.db'))),
      lock: new SqliteWriteLock(join(state, 'lock.db')),
    }),
    openSearch: (reader) => openSearchEngine(reader, () => openVectorReader(indexPath)),
    log: () => {},
    ...(options.audit && { audit: options.audit }),
    ...(options.buildLimitMs !== undefined && { buildLimitMs: options.buildLimitMs }),
  });
  await vault.recover();
  if (options.wrapIndexed === undefined) await vault.indexed();
  return {
    folder,
    state,
    vault,
    session: vault.session(ACTOR),
    file: (path) => readIfThere(join(folder, path)),
    files: () => filesBelow(folder),
    async close() {
      await vault.close();
    },
  };
}

/** Removes what {@link openTestVault} made. */
export function discard(vault: TestVault): void {
  rmSync(vault.folder, { recursive: true, force: true });
  rmSync(vault.state, { recursive: true, force: true });
}

async function inThisThread(
  openStore: () => Promise<Store>,
  indexPath: string,
  dialect: Parameters<typeof serveIndexer>[3],
  { beforeIndexing, wrapIndexed = (store) => store }: TestVaultOptions,
): Promise<IndexerPort> {
  let toClient: (message: CallReply<IndexerEvent>) => void = () => {};
  let toServer: (request: CallMessage) => void = () => {};
  const early: CallReply<IndexerEvent>[] = [];
  let listening = false;
  const writer = writerPort(openIndexWriter(indexPath, { dialect }));
  const store = wrapIndexed(await openStore());
  await serveIndexer(
    {
      post: (message) => (listening ? setImmediate(() => toClient(message)) : early.push(message)),
      onRequest: (listener) => {
        toServer = listener;
      },
    },
    store,
    writer,
    dialect,
  );
  return {
    post: (request) => {
      const pass = () => setImmediate(() => toServer(request));
      if ('call' in request && request.call === 'index' && beforeIndexing) void beforeIndexing().then(pass);
      else pass();
    },
    onReply(listener) {
      toClient = listener;
      listening = true;
      for (const message of early.splice(0)) listener(message);
    },
    onExit() {},
    async terminate() {},
  };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function filesBelow(root: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = relative(root, join(entry.parentPath ?? entry.path, entry.name));
    if (!path.split('/').some((segment) => segment.startsWith('.')))
      files[path] = readFileSync(join(root, path), 'utf8');
  }
  return files;
}
