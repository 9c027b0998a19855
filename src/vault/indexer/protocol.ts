import type { ErrorCode } from '../../errors.ts';
import type { EmbeddingState } from '../../search/embed/embedding-state.ts';
import type { StoredFile, StoreProblem } from '../../stores/store.ts';
import type { PathRule } from '../access.ts';
import type { VaultChange } from '../events.ts';
import type { IndexState } from '../session.ts';

/** What the server's thread asks of the indexer's thread. Every request is answered by a `reply` with its id. */
export type IndexerRequest =
  | {
      readonly type: 'index';
      readonly id: number;
      readonly paths: readonly string[];
      /** Files among them as they were just written: not read again while they are still so. */
      readonly written: readonly StoredFile[];
    }
  /** Look at every file now; answered when the index agrees with the store. */
  | { readonly type: 'sync'; readonly id: number }
  | { readonly type: 'rebuild'; readonly id: number }
  /** What the watcher reports waits from now on, until as many `resume`. */
  | { readonly type: 'pause'; readonly id: number }
  | { readonly type: 'resume'; readonly id: number }
  /** What the owner lets anybody read from now on: the rest teaches the vault's own model nothing. */
  | { readonly type: 'teach'; readonly id: number; readonly read: PathRule }
  | { readonly type: 'close'; readonly id: number };

export type IndexerMessage =
  | { readonly type: 'opened' }
  | { readonly type: 'state'; readonly state: IndexState }
  | { readonly type: 'embedding'; readonly state: EmbeddingState }
  | { readonly type: 'changes'; readonly changes: readonly VaultChange[] }
  | { readonly type: 'problems'; readonly problems: readonly StoreProblem[] }
  | { readonly type: 'log'; readonly level: 'warn' | 'error'; readonly message: string }
  | {
      readonly type: 'reply';
      readonly id: number;
      readonly error?: { readonly code: ErrorCode; readonly message: string };
    };
