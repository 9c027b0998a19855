import { LecternError } from '../../errors.ts';

/** Limit of a page that is written, bytes. */
export const LIMIT_BYTES = 256 * 1024;

/** @throws LecternError `too_large` */
export function assertSize(path: string, bytes: number): void {
  if (bytes <= LIMIT_BYTES) return;
  throw new LecternError(
    'too_large',
    `Body too large for ${path}: ${bytes} bytes, and the limit is ${LIMIT_BYTES} (256 KB).`,
    { details: { path, bytes, limit: LIMIT_BYTES } },
  );
}
