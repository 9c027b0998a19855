import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import type { Journal } from '../journal/journal.ts';
import { untilAborted } from '../stoppable.ts';
import { KEY_AGE_MS, keyReused, RepeatableCall } from './write/repeated.ts';

const READ_AGE_MS = 60_000;
const READS_KEPT = 200;
/** A longer input is stored as its hash. */
const SHORT = 300;

export interface CallIdentity {
  readonly tool: string;
  /** Owner of the keys: two callers never share one. */
  readonly caller: string;
  readonly input: unknown;
  /** What the answer to a read depends on besides the notes; compared by identity. */
  readonly state?: unknown;
}

/** Equal for equal arguments in any key order. */
export function inputHash(input: unknown): string {
  return hashOf(canonicalJson(input));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Answers a repeated call with its first answer. Writes: by the caller's key, stored in the journal, so that
 * a lost answer can be requested again after a restart. Reads: an identical call within a minute, while
 * nothing in the vault changed.
 */
export class Replays {
  readonly #journal: () => Journal;
  /** Calls in progress, each with a promise that resolves when it has ended in any way. */
  readonly #running = new Map<string, { hash: string; ended: Promise<void> }>();
  readonly #reads = new Map<string, { answer: unknown; time: number; changes: number; state: unknown }>();
  readonly #now: () => number;
  #changes = 0;

  constructor(journal: () => Journal, now: () => number = Date.now) {
    this.#journal = journal;
    this.#now = now;
  }

  /** Call when something in the vault changed: later reads are computed again. */
  changed(): void {
    this.#changes++;
    this.#reads.clear();
  }

  /**
   * Answers by the caller's key. Waits for another call with the same key; when that one was cancelled or
   * failed, this call does the work.
   *
   * @param signal of this call: ends the wait
   * @param work gets the identity of its writes, and returns the recorded answers of {@link RepeatableCall}
   * @throws LecternError `invalid_input` when the key was used for another call
   */
  async write<T>(
    key: string,
    call: CallIdentity,
    work: (repeatable: RepeatableCall) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    // Hashed, because SQLite ends a text at its first NUL and any other character may occur in a name.
    const id = inputHash([call.caller, call.tool, key]);
    const hash = inputHash(call.input);
    for (;;) {
      const running = this.#running.get(id);
      if (running === undefined) break;
      if (running.hash !== hash) throw keyReused();
      await (signal ? untilAborted(running.ended, signal) : running.ended);
    }
    const remembered = this.#journal().recall(id, KEY_AGE_MS);
    if (remembered) {
      if (remembered.inputHash !== hash) throw keyReused();
      return JSON.parse(remembered.answer) as T;
    }
    const started = this.#run(id, hash, work);
    const ended = started.then(
      () => {},
      () => {},
    );
    this.#running.set(id, { hash, ended });
    try {
      return await started;
    } finally {
      this.#running.delete(id);
    }
  }

  async #run<T>(id: string, hash: string, work: (repeatable: RepeatableCall) => Promise<T>): Promise<T> {
    const answer = await work(new RepeatableCall(id, hash));
    try {
      this.#journal().remember(id, { inputHash: hash, answer: JSON.stringify(answer) });
    } catch {
      // The disk is full. The notes are written, and the answer of each write is stored with it.
    }
    return answer;
  }

  /** @param work calls `drop` when another run may find more, so that its answer is not stored */
  async read<T>(call: CallIdentity, work: (drop: () => void) => Promise<T>): Promise<T> {
    const input = canonicalJson(call.input);
    const id = `${call.caller}\0${call.tool}\0${input.length > SHORT ? hashOf(input) : input}`;
    const known = this.#reads.get(id);
    const current = known?.changes === this.#changes && known.state === call.state;
    if (known && current && this.#now() - known.time < READ_AGE_MS) return known.answer as T;
    const changes = this.#changes;
    let isKept = true;
    const answer = await work(() => {
      isKept = false;
    });
    if (isKept && changes === this.#changes) {
      this.#reads.delete(id);
      this.#reads.set(id, { answer, time: this.#now(), changes, state: call.state });
      const [oldest] = this.#reads.keys();
      if (this.#reads.size > READS_KEPT && oldest !== undefined) this.#reads.delete(oldest);
    }
    return answer;
  }
}
