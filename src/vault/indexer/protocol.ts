import type { EmbeddingState } from '../../search/embed/embedding-state.ts';
import type { StoredFile, StoreProblem } from '../../stores/store.ts';
import type { CallMessage, CallReply, ServedPort, ThreadPort } from '../../thread-calls.ts';
import type { PathRule } from '../access.ts';
import type { VaultChange } from '../events.ts';
import type { IndexState } from '../session.ts';

/** What the server's thread asks of the indexer's thread. */
export interface IndexerCalls {
  /** @param given.written files among them as they were just written: not read again while they are still so */
  index(given: { readonly paths: readonly string[]; readonly written: readonly StoredFile[] }): void;
  /** Look at every file now; answered when the index agrees with the store. */
  sync(given: undefined): void;
  rebuild(given: undefined): void;
  /** What the watcher reports waits from now on, until as many `resume`. */
  pause(given: undefined): void;
  resume(given: undefined): void;
  /** What the owner lets anybody read from now on: the rest teaches the vault's own model nothing. */
  teach(read: PathRule): void;
  close(given: undefined): void;
}

/** What the indexer's thread tells unasked. */
export type IndexerEvent =
  | { readonly type: 'opened' }
  | { readonly type: 'state'; readonly state: IndexState }
  | { readonly type: 'embedding'; readonly state: EmbeddingState }
  | { readonly type: 'changes'; readonly changes: readonly VaultChange[] }
  | { readonly type: 'problems'; readonly problems: readonly StoreProblem[] }
  | { readonly type: 'log'; readonly level: 'warn' | 'error'; readonly message: string };

/** A worker thread, or in tests anything that carries messages both ways. */
export type IndexerPort = ThreadPort<CallMessage, CallReply<IndexerEvent>>;
/** The thread's own side. */
export type ServedIndexerPort = ServedPort<CallMessage, CallReply<IndexerEvent>>;
