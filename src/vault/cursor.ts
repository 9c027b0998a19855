import { LecternError } from '../errors.ts';

/** Opaque cursors for lists that are computed completely and then paged by offset. */
export function encodeOffset(offset: number): string {
  return Buffer.from(`o${offset}`).toString('base64url');
}

/** @throws LecternError `invalid_input` for anything that `encodeOffset` did not make */
export function decodeOffset(cursor: string | undefined): number {
  if (cursor === undefined || cursor === '') return 0;
  const match = /^o(\d{1,12})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match) return Number(match[1]);
  throw new LecternError('invalid_input', 'The cursor is not one that this list gave.', {
    next: 'Start again without a cursor.',
  });
}
