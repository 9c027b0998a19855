import type { VaultChange } from '../vault/events.ts';

/** The combined change of a file within a window. */
export interface NetChange extends VaultChange {
  /** Received while the index was catching up, when a file that is new to the index looks like a new file. */
  readonly whileIndexing: boolean;
}

/** Window in which repeated saves of an agent or a sync tool count as one change, ms. */
const WINDOW_MS = 50;
/** Etags kept to recognise a change that was reported before. */
const MAX_KNOWN = 100_000;

interface Pending {
  readonly first: VaultChange['kind'];
  last: VaultChange;
  whileIndexing: boolean;
}

/** Collects changes for 50 ms and passes on one per path; a file created and removed in that time is left out. */
export class ChangeWindow {
  readonly #flush: (changes: readonly NetChange[]) => void;
  readonly #pending = new Map<string, Pending>();
  /** The last etags reported: a rebuilt index reports files again that have not changed. */
  readonly #known = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(flush: (changes: readonly NetChange[]) => void) {
    this.#flush = flush;
  }

  add(changes: readonly VaultChange[], whileIndexing: boolean): void {
    for (const change of changes) {
      const pending = this.#pending.get(change.path);
      if (pending === undefined)
        this.#pending.set(change.path, { first: change.kind, last: change, whileIndexing });
      else {
        pending.last = change;
        pending.whileIndexing &&= whileIndexing;
      }
    }
    if (this.#pending.size > 0) this.#timer ??= setTimeout(() => this.#close(), WINDOW_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#pending.clear();
  }

  #close(): void {
    this.#timer = undefined;
    const net: NetChange[] = [];
    for (const { first, last, whileIndexing } of this.#pending.values()) {
      if (first === 'created' && last.kind === 'removed') continue;
      if (this.#isRepetition(last)) continue;
      const kind = first === 'created' || last.kind !== 'created' ? last.kind : 'modified';
      net.push({ ...last, kind: first === 'created' ? 'created' : kind, whileIndexing });
    }
    this.#pending.clear();
    if (net.length > 0) this.#flush(net);
  }

  #isRepetition({ path, etag }: VaultChange): boolean {
    const known = this.#known.get(path);
    this.#known.delete(path);
    if (etag === undefined) return false;
    this.#known.set(path, etag);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return known === etag;
  }
}
