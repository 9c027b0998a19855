import { LecternError } from '../errors.ts';
import { decodeText } from '../notes/text.ts';

/** @throws LecternError `invalid_input` when the bytes are not UTF-8: showing or editing them would damage them */
export function decodeNote(path: string, bytes: Uint8Array): string {
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw new LecternError('invalid_input', `${path} is not UTF-8 text (byte ${decoded.offset}).`, {
    details: { path, offset: decoded.offset },
    next: 'Convert the file to UTF-8 in an editor; Lectern leaves it as it is.',
  });
}
