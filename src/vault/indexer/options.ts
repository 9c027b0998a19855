import type { NoteIndexWriter } from '../../index/note-index.ts';
import type { Store, StoreProblem } from '../../stores/store.ts';
import type { VaultChange } from '../events.ts';
import type { IndexState } from '../session.ts';
import type { DigestThread } from './digest-thread.ts';
import type { Digester } from './read-digests.ts';

export interface IndexerOptions {
  readonly store: Store;
  readonly writer: NoteIndexWriter;
  readonly digest: Digester;
  /** Called when many files must be digested; without it they are digested in this thread. */
  readonly startDigestThread?: () => DigestThread;
  readonly onState: (state: IndexState) => void;
  /** Called with since when the server behind the store does not answer, and whenever it did answer. */
  readonly onAway?: (since: number | undefined) => void;
  readonly onChanges: (changes: readonly VaultChange[]) => void;
  readonly onProblems: (problems: readonly StoreProblem[]) => void;
  readonly onError: (error: unknown) => void;
}
