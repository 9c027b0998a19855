import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import type { Journal } from '../journal/journal.ts';
import { untilAborted } from '../stoppable.ts';
import { KEY_AGE_MS, keyReused, RepeatableCall } from './write/repeated.ts';

const READ_AGE_MS = 60_000;
const READS_KEPT = 200;
/** A longer input is remembered by its hash. */
const SHORT = 300;

export interface CallIdentity {
  readonly tool: string;
  /** Whose keys these are: two callers never share one. */
  readonly caller: string;
  readonly input: unknown;
  /** What the answer to a read depends on besides the notes, compared by identity. */
  readonly state?: unknown;
}

/** Equal for equal arguments, whatever order their keys came in. */
export function inputHash(input: unknown): string {
  return hashOf(canonicalJson(input));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Answers a repeated call with its first answer. Writes: by the key the caller gave, kept in the
 * journal, so that a lost answer can be asked for again after a restart. Reads: an identical call
 * within a minute, as long as nothing in the vault changed in between.
 */
export class Replays {
  readonly #journal: () => Journal;
  /** Calls under way, with what resolves when they are over, whatever comes of them. */
  readonly #running = new Map<string, { hash: string; ended: Promise<void> }>();
  readonly #reads = new Map<string, { answer: unknown; time: number; changes: number; state: unknown }>();
  readonly #now: () => number;
  #changes = 0;

  constructor(journal: () => Journal, now: () => number = Date.now) {
    this.#journal = journal;
    this.#now = now;
  }

  /** Something in the vault changed: reads are answered afresh. */
  changed(): void {
    this.#changes++;
    this.#reads.clear();
  }

  /**
   * Answers by the caller's key. Another call with it that is under way is waited for; if nothing came of that, because
   * it was cancelled or failed, this one does the work itself.
   *
   * @param signal of this call: it waits for another one no longer than that
   * @param work gets what its writes are to be known by, and answers what {@link RepeatableCall} says was done before
   * @throws LecternError `invalid_input` when the key was used for another call
   */
  async write<T>(
    key: string,
    call: CallIdentity,
    work: (repeatable: RepeatableCall) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    // A hash, as SQLite would end a text at its first NUL, and anything else may be a part of a name.
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
      // The disk is full. The notes are written, and what was answered to each write is kept with it.
    }
    return answer;
  }

  /** @param work calls `drop` when its answer is not worth keeping, as another run may find more */
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
