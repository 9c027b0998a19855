import { PLACES_PER_NOTE } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';

/**
 * Asked while places are found: a list of all of them may not fit into memory.
 * @throws LecternError `too_large` when they are more than one call may change
 */
export function assertPlaces(count: number): void {
  if (count <= PLACES_PER_NOTE) return;
  throw new LecternError('too_large', `That concerns more than ${PLACES_PER_NOTE} places of the note.`, {
    details: { limit: PLACES_PER_NOTE },
    next: 'Quote more of the text around them, or write the whole note.',
  });
}
