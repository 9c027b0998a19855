import { LecternError } from '../../errors.ts';
import type { Heading } from '../model.ts';
import { findHeading, type HeadingAddress, headingPath } from '../structure/outline.ts';
import type { NoteInEdit } from './edit.ts';

/** Most headings named in an error. */
const MAX_CANDIDATES = 20;

/**
 * Finds the heading of an op.
 *
 * @param occurrence 1-based number among equal headings
 * @throws LecternError `not_found` with the note's headings, `ambiguous` with paths and lines
 */
export function headingAt(note: NoteInEdit, address: HeadingAddress, occurrence?: number): Heading {
  const { parsed } = note;
  const lookup = findHeading(parsed, address, occurrence);
  if (lookup.kind === 'found') return lookup.heading;
  const shown = typeof address === 'string' ? address : address.join(' > ');
  if (lookup.kind === 'ambiguous') {
    const candidates = lookup.candidates.map(({ path, line }, at) => ({
      heading: path.join(' > '),
      line,
      occurrence: at + 1,
    }));
    const listed = candidates.map(({ heading, line }) => `${heading} (line ${line})`);
    throw new LecternError(
      'ambiguous',
      `"${shown}" names ${lookup.total} headings: ${listed.slice(0, 5).join(', ')}${lookup.total > 5 ? ', …' : ''}.`,
      {
        details: { candidates: candidates.slice(0, MAX_CANDIDATES), total: lookup.total },
        next: 'Pass the heading’s path, such as "Parent > Heading", or occurrence.',
      },
    );
  }
  const headings = parsed.headings.slice(0, MAX_CANDIDATES).map(({ line, level }, index) => ({
    heading: headingPath(parsed, index).join(' > '),
    level,
    line,
  }));
  const which =
    occurrence === undefined || findHeading(parsed, address).kind === 'none'
      ? ''
      : `occurrence ${occurrence} of `;
  throw new LecternError('not_found', `The note has no ${which}heading "${shown}".`, {
    details: { headings, total: parsed.headings.length },
    next:
      parsed.headings.length === 0
        ? 'The note has no headings: use append_body or prepend_body.'
        : 'Use one of the headings that exist; nothing was created.',
  });
}
