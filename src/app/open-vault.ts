import { basename, join } from 'node:path';
import type { HistoryLimits } from '../config/settings.ts';
import type { StorePlace } from '../config/store-place.ts';
import { openIndexReader } from '../index/sqlite/read/reader.ts';
import { openVectorReader } from '../index/sqlite/vectors/reader.ts';
import type { RetentionLimits } from '../journal/journal.ts';
import { openJournal } from '../journal/sqlite/journal.ts';
import { SqliteWriteLock } from '../journal/sqlite/lock.ts';
import type { Embedder } from '../search/embed/embedder.ts';
import { openSearchEngine } from '../search/engine.ts';
import { type AccessRules, OPEN_ACCESS } from '../vault/access.ts';
import type { ConfigurationFor } from '../vault/configuration.ts';
import { ChangeFeed } from '../vault/events.ts';
import { IndexerClient } from '../vault/indexer/client.ts';
import { noteWorker } from '../vault/large/note-worker.ts';
import { loadSettings } from '../vault/load-settings.ts';
import type { PlaceRules } from '../vault/settings.ts';
import { Vault } from '../vault/vault.ts';
import { openAudit } from './open-audit.ts';
import { type EmbedderChoice, openEmbedder } from './open-embedder.ts';
import { openStore } from './open-store.ts';
import { stateFolderOf } from './state-of.ts';
import { startIndexerThread } from './threads/indexer-thread.ts';
import { startNoteThread } from './threads/note-thread.ts';

export interface OpenVaultOptions {
  /** The vault's display name; undefined = the last part of its folder, or the kind of its server. */
  readonly name?: string;
  readonly place: StorePlace;
  /** Base of the state folders; undefined = the platform's place. */
  readonly stateDir?: string;
  readonly rules?: AccessRules;
  readonly places?: PlaceRules;
  /** The settings of the server that opens it. */
  readonly configuration?: ConfigurationFor;
  /** A neural model in addition to the vectors learned from the vault. */
  readonly embedder?: EmbedderChoice;
  /** How far back undo reaches. Undefined: nothing is deleted here, the server does that. */
  readonly history?: HistoryLimits;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

/**
 * The composition root of a vault: chooses an adapter for each port and starts the indexer. Resolves before
 * anything is indexed.
 * @throws LecternError `unavailable`, `not_found`, `invalid_input` for a place that cannot be served
 */
export async function openVault(options: OpenVaultOptions): Promise<Vault> {
  const { place, log, rules = OPEN_ACCESS } = options;
  const store = await openStore(place);
  const settings = await loadSettings(store, (message) => log.warn({ vault: place.location }, message));
  const state = await stateFolderOf(place, options.stateDir);
  const indexPath = join(state, 'index.db');
  const report = (level: 'warn' | 'error', message: string) => log[level]({}, message);
  const feed = new ChangeFeed((error) => log.error({ err: error }, 'a change listener failed'));
  const indexer = new IndexerClient(
    startIndexerThread({
      place,
      indexPath,
      dialect: settings.dialect,
      read: rules.read,
      ...(options.embedder && { embedder: options.embedder }),
    }),
    feed,
    report,
  );
  const vault = new Vault({
    name: options.name ?? (place.kind === 'folder' ? basename(store.location) : place.kind),
    store,
    settings,
    rules,
    ...(options.places && { places: options.places }),
    ...(options.configuration && { configuration: options.configuration }),
    indexer,
    feed,
    openReader: () => openIndexReader(indexPath),
    openJournal: () => ({
      journal: openJournal(join(state, 'journal.db')),
      lock: new SqliteWriteLock(join(state, 'lock.db')),
    }),
    openSearch: (reader) => openSearchEngine(reader, () => openVectorReader(indexPath), neuralOf(options)),
    largeNotes: noteWorker(() => startNoteThread()),
    log: report,
    audit: openAudit(state, log),
    ...(options.history && { retention: retentionOf(options.history) }),
  });
  vault.warm().catch((error: unknown) => log.warn({ err: error }, 'search is not prepared'));
  if (!rules.readOnly)
    vault.recover().catch((error: unknown) => log.error({ err: error }, 'recovery failed'));
  return vault;
}

function retentionOf({ days, megabytes }: HistoryLimits): RetentionLimits {
  return { maxAgeMs: days * 24 * 3600_000, maxBytes: megabytes * 1024 * 1024 };
}

/** Never rejects: without its model the vault is searched with the vectors learned from it. */
async function neuralOf({ embedder, log }: OpenVaultOptions): Promise<Embedder | undefined> {
  if (embedder === undefined) return undefined;
  try {
    return await openEmbedder(embedder.setting, embedder.environment);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    log.warn({ err: error }, `the embedder cannot be used: ${text}`);
    return undefined;
  }
}
