import { NOTE_BYTES, PLACES_PER_NOTE } from '../../budgets.ts';
import { LecternError } from '../../errors.ts';
import type { Splice } from '../splice.ts';

/**
 * Checks the number of places while they are being found, as a list of all may not fit into memory.
 *
 * @throws LecternError `too_large` for more places than one call may change
 */
export function assertPlaces(count: number): void {
  if (count <= PLACES_PER_NOTE) return;
  throw new LecternError('too_large', `That concerns more than ${PLACES_PER_NOTE} places of the note.`, {
    details: { limit: PLACES_PER_NOTE },
    next: 'Quote more of the text around them, or write the whole note.',
  });
}

/**
 * Checks splices before they are applied, as the result may not fit into memory.
 *
 * @throws LecternError `too_large` for too many places, or a result longer than a note may be
 */
export function assertSplices(text: string, splices: readonly Splice[]): void {
  assertPlaces(splices.length);
  let length = text.length;
  for (const { start, end, insert } of splices) length += insert.length - (end - start);
  // A text has at most as many code units as bytes, so this is never too strict; the write counts the bytes.
  if (length <= NOTE_BYTES || length <= text.length) return;
  throw new LecternError('too_large', `The note would have more than ${NOTE_BYTES} bytes.`, {
    details: { limit: NOTE_BYTES },
    next: 'Split it into several notes.',
  });
}
