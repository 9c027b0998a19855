import type { NoteIndexReader, PathFilter } from '../index/note-index.ts';
import type { AuditLog } from '../journal/audit.ts';
import type { Journal, RetentionLimits } from '../journal/journal.ts';
import type { WriteLock } from '../journal/lock.ts';
import type { ParsedNote } from '../notes/model.ts';
import type { SearchEngine } from '../search/engine.ts';
import type { Pacer } from '../search/pacer.ts';
import type { Store } from '../stores/store.ts';
import type { Access, AccessRules } from './access.ts';
import type { ConfigurationFor } from './configuration.ts';
import type { ChangeFeed } from './events.ts';
import type { IndexerClient } from './indexer/client.ts';
import type { NoteWorker } from './large/note-worker.ts';
import type { RecentViews } from './recent-views.ts';
import type { Replays } from './replay.ts';
import type { PlaceRules, VaultSettings } from './settings.ts';
import type { VaultWriter } from './write/writer.ts';

/** The adapters for each port, provided by the composition root. */
export interface VaultAdapters {
  readonly name: string;
  readonly store: Store;
  readonly settings: VaultSettings;
  readonly rules: AccessRules;
  /** Default: {@link DEFAULT_PLACES}. */
  readonly places?: PlaceRules;
  /** The settings of the server that opened the vault; undefined without a server. */
  readonly configuration?: ConfigurationFor;
  readonly indexer: IndexerClient;
  /** How long an answer may wait for an index that is being built, ms. */
  readonly buildLimitMs?: number;
  readonly feed: ChangeFeed;
  /** Opens the journal and the lock; called for the first write or the first read of history. */
  readonly openJournal: () => { journal: Journal; lock: WriteLock };
  /** Log for writes and refused calls, in addition to the journal. */
  readonly audit?: AuditLog;
  /** How far back undo reaches; undefined = no limit. */
  readonly retention?: RetentionLimits;
  /** Parses and patches large notes in another thread; without it in this one. */
  readonly largeNotes?: NoteWorker;
  readonly log: (level: 'warn' | 'error', message: string) => void;
  /** Opens the index for reading; throws `unavailable` when there is none yet. */
  readonly openReader: () => NoteIndexReader;
  /** Creates the search engine over the opened index. */
  readonly openSearch: (reader: NoteIndexReader) => SearchEngine;
}

/** The write path for sessions. */
export type NoteWriter = Pick<VaultWriter, 'commit' | 'named' | 'repeated'>;

/** The parts that sessions use. */
export interface VaultParts extends VaultAdapters {
  /** Reader whose answers include every answered write; the engine's do too. */
  reader(): Promise<NoteIndexReader>;
  engine(): Promise<SearchEngine>;
  /** See {@link VaultSession.untilIndexed}. */
  untilIndexed(signal?: AbortSignal): Promise<void>;
  journal(): Journal;
  /** @throws LecternError `too_large`, `timeout` for a text that takes too much */
  parse(text: string): Promise<ParsedNote>;
  /** For work in many steps: yields to other work, and stops with the call. */
  pacer(): Pacer;
  /** Secret that hides counts from callers who may not see the counted items. */
  readonly secret: () => Uint8Array;
  /** The store as those see it who change nothing: while its server is away, notes are as the index has them. */
  readonly readable: Store;
  readonly replays: Replays;
  readonly views: RecentViews;
  /** The write path, after recovery from a crash if needed. */
  writer(): Promise<NoteWriter>;
  /** What lists and searches may show: readable by the caller and not excluded in the vault's settings. */
  listFilter(access: Access): PathFilter | undefined;
}
