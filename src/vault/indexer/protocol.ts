import type { EmbeddingState } from '../../search/embed/embedding-state.ts';
import type { StoredFile, StoreProblem } from '../../stores/store.ts';
import type { CallMessage, CallReply, ServedPort, ThreadPort } from '../../thread-calls.ts';
import type { PathRule } from '../access.ts';
import type { VaultChange } from '../events.ts';
import type { IndexState } from '../session.ts';

/** Requests of the server's thread to the indexer's thread. */
export interface IndexerCalls {
  /** @param given.written files that were just written: not read again while their version is the same */
  index(given: { readonly paths: readonly string[]; readonly written: readonly StoredFile[] }): void;
  /** Compare every file now; answered when the index matches the store. */
  sync(given: undefined): void;
  rebuild(given: undefined): void;
  /** Hold watcher reports until as many `resume` calls. */
  pause(given: undefined): void;
  resume(given: undefined): void;
  /** Which notes the owner lets clients read: the local model is trained on no others. */
  teach(read: PathRule): void;
  close(given: undefined): void;
}

/** Messages the indexer's thread sends on its own. */
export type IndexerEvent =
  | { readonly type: 'opened' }
  | { readonly type: 'state'; readonly state: IndexState }
  /** The server behind the store does not answer since then, ms since the epoch; undefined when it does again. */
  | { readonly type: 'away'; readonly since: number | undefined }
  | { readonly type: 'embedding'; readonly state: EmbeddingState }
  | { readonly type: 'changes'; readonly changes: readonly VaultChange[] }
  | { readonly type: 'problems'; readonly problems: readonly StoreProblem[] }
  | { readonly type: 'log'; readonly level: 'warn' | 'error'; readonly message: string };

/** A worker thread, or in tests any two-way message channel. */
export type IndexerPort = ThreadPort<CallMessage, CallReply<IndexerEvent>>;
/** The worker side. */
export type ServedIndexerPort = ServedPort<CallMessage, CallReply<IndexerEvent>>;
