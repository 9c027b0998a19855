import { PLAN_BYTES } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import type { PlannedStep } from '../../journal/journal.ts';

/** Counts the text that a plan of many steps holds in memory. */
export class PlanSize {
  #left: number;

  constructor(limit = PLAN_BYTES) {
    this.#left = limit;
  }

  /** @throws LecternError `too_large` when these steps exceed the limit together with the earlier ones */
  add(step: Pick<PlannedStep, 'before' | 'after'>): void {
    this.#left -= (step.before?.length ?? 0) + (step.after?.length ?? 0);
    if (this.#left >= 0) return;
    throw new LecternError('too_large', `That changes more than ${PLAN_BYTES} bytes of text at once.`, {
      details: { limit: PLAN_BYTES },
      next: 'Nothing was changed. Do it in parts: a folder, a few notes, a shorter time.',
    });
  }
}
