import type { VaultChange } from '../vault/events.ts';

/** What became of a file over a moment. */
export interface NetChange extends VaultChange {
  /** Heard while the index was still catching up, when what it meets for the first time looks new. */
  readonly whileIndexing: boolean;
}

/** An agent that saves, or a sync tool that replaces, is heard of once. */
const WINDOW_MS = 50;
/** Etags remembered to tell a repetition from a change. */
const MAX_KNOWN = 100_000;

interface Pending {
  readonly first: VaultChange['kind'];
  last: VaultChange;
  whileIndexing: boolean;
}

/** Collects changes for 50 ms and hands on one per path; what came and went in between is dropped. */
export class ChangeWindow {
  readonly #flush: (changes: readonly NetChange[]) => void;
  readonly #pending = new Map<string, Pending>();
  /** As last heard: a rebuilt index reports what everybody has heard of already. */
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
