import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import type { Journal, RepeatableWrite } from '../../journal/journal.ts';

/** How long an answer to a call with an idempotency key is kept. */
export const KEY_AGE_MS = 24 * 3600_000;

/** A call with an idempotency key. Its writes are counted in order, so that a repeated call can match them. */
export class RepeatableCall {
  readonly key: string;
  readonly inputHash: string;
  #parts = 0;

  constructor(key: string, inputHash: string) {
    this.key = key;
    this.inputHash = inputHash;
  }

  nextPart(): number {
    return this.#parts++;
  }
}

/**
 * The answer this write got before, or would have got without the crash.
 *
 * @returns undefined when it was not done
 * @throws LecternError `invalid_input` when the key was used for another call; `conflict` when it is unknown
 *   whether it was done
 */
export function repeatedAnswer(journal: Journal, write: RepeatableWrite): { answer: unknown } | undefined {
  const kept = journal.kept(write, KEY_AGE_MS);
  if (kept === undefined) return undefined;
  if (kept.inputHash !== write.inputHash) throw keyReused();
  if (!kept.isDone) return undefined;
  const answer: unknown = JSON.parse(kept.answer);
  if (isRecord(answer) && typeof answer.unclear === 'string') throw unclear(answer.unclear);
  return { answer };
}

export function keyReused(): LecternError {
  return new LecternError('invalid_input', 'This idempotency key was used for another call.', {
    next: 'Use a new key for each new write; repeat a key only with the very same arguments.',
  });
}

/** Stored in place of an answer: the note was changed between the crash and the recovery. */
export function unclearAnswer(path: string): string {
  return JSON.stringify({ unclear: path });
}

function unclear(path: string): LecternError {
  return new LecternError(
    'conflict',
    `The first call with this idempotency key was cut short, and ${path} was changed since: whether it was written before that cannot be told.`,
    {
      details: { path },
      next: 'Read the note. If the change is not in it, make it with a new key.',
    },
  );
}
