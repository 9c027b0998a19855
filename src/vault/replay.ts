import { createHash } from 'node:crypto';
import { LecternError } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';

const KEY_AGE_MS = 24 * 3600_000;
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
  return hashOf(canonical(input));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, held]) => `${JSON.stringify(key)}:${canonical(held)}`)
    .join(',')}}`;
}

/**
 * Answers a repeated call with its first answer. Writes: by the key the caller gave, kept in the
 * journal, so that a lost answer can be asked for again after a restart. Reads: an identical call
 * within a minute, as long as nothing in the vault changed in between.
 */
export class Replays {
  readonly #journal: () => Journal;
  readonly #running = new Map<string, { hash: string; work: Promise<unknown> }>();
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
   * @throws LecternError `invalid_input` when the key was used for another call
   */
  async write<T>(key: string, call: CallIdentity, work: () => Promise<T>): Promise<T> {
    // A hash, as SQLite would end a text at its first NUL, and anything else may be a part of a name.
    const id = inputHash([call.caller, call.tool, key]);
    const hash = inputHash(call.input);
    const running = this.#running.get(id);
    if (running) {
      if (running.hash !== hash) throw reused(key);
      return (await running.work) as T;
    }
    const remembered = this.#journal().recall(id, KEY_AGE_MS);
    if (remembered) {
      if (remembered.inputHash !== hash) throw reused(key);
      return JSON.parse(remembered.answer) as T;
    }
    const started = work();
    this.#running.set(id, { hash, work: started });
    try {
      const answer = await started;
      this.#journal().remember(id, { inputHash: hash, answer: JSON.stringify(answer) });
      return answer;
    } finally {
      this.#running.delete(id);
    }
  }

  async read<T>(call: CallIdentity, work: () => Promise<T>): Promise<T> {
    const input = canonical(call.input);
    const id = `${call.caller}\0${call.tool}\0${input.length > SHORT ? hashOf(input) : input}`;
    const known = this.#reads.get(id);
    const current = known?.changes === this.#changes && known.state === call.state;
    if (known && current && this.#now() - known.time < READ_AGE_MS) return known.answer as T;
    const changes = this.#changes;
    const answer = await work();
    if (changes === this.#changes) {
      this.#reads.delete(id);
      this.#reads.set(id, { answer, time: this.#now(), changes, state: call.state });
      const [oldest] = this.#reads.keys();
      if (this.#reads.size > READS_KEPT && oldest !== undefined) this.#reads.delete(oldest);
    }
    return answer;
  }
}

function reused(key: string): LecternError {
  return new LecternError(
    'invalid_input',
    `The idempotency key ${JSON.stringify(key.slice(0, 40))} was used for another call.`,
    {
      next: 'Use a new key for each new write; repeat a key only with the very same arguments.',
    },
  );
}
