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

/** What the composition root puts together: one adapter behind each port. */
export interface VaultAdapters {
  readonly name: string;
  readonly store: Store;
  readonly settings: VaultSettings;
  readonly rules: AccessRules;
  /** Default: {@link DEFAULT_PLACES}. */
  readonly places?: PlaceRules;
  /** The settings of the server that opened it; none when undefined. */
  readonly configuration?: ConfigurationFor;
  readonly indexer: IndexerClient;
  readonly feed: ChangeFeed;
  /** Opens the journal and the lock; called with the first write or the first look at history. */
  readonly openJournal: () => { journal: Journal; lock: WriteLock };
  /** Where writes and refused calls are told, beside the journal. */
  readonly audit?: AuditLog;
  /** How far undo reaches back; nothing is forgotten when undefined. */
  readonly retention?: RetentionLimits;
  /** Parses and patches large notes elsewhere; without it they are in this thread. */
  readonly largeNotes?: NoteWorker;
  readonly log: (level: 'warn' | 'error', message: string) => void;
  /** Opens the index for reading; `unavailable` when there is none to read yet. */
  readonly openReader: () => NoteIndexReader;
  /** Puts search together over the opened index. */
  readonly openSearch: (reader: NoteIndexReader) => SearchEngine;
}

/** The write path, as sessions use it. */
export type NoteWriter = Pick<VaultWriter, 'commit' | 'named' | 'repeated'>;

/** What sessions work with. */
export interface VaultParts extends VaultAdapters {
  /** What it answers holds every write that was answered; so of the engine. */
  reader(): Promise<NoteIndexReader>;
  engine(): Promise<SearchEngine>;
  /** See {@link VaultSession.untilIndexed}. */
  untilIndexed(signal?: AbortSignal): Promise<void>;
  journal(): Journal;
  /** @throws LecternError `too_large`, `timeout` for a text that takes too much */
  parse(text: string): Promise<ParsedNote>;
  /** For work in many steps: makes room for other work, and ends with the call. */
  pacer(): Pacer;
  /** With which numbers are kept from who may not see what they count. */
  readonly secret: () => Uint8Array;
  readonly replays: Replays;
  readonly views: RecentViews;
  /** The write path, recovered from a crash first if need be. */
  writer(): Promise<NoteWriter>;
  /** What lists and searches may show: readable by the caller and not excluded by the vault's settings. */
  listFilter(access: Access): PathFilter | undefined;
}
