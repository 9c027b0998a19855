import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const NONCE = 12;
const TAG = 16;
/** Lengths are told in steps of so many bytes, as that of a number tells about how large it is. */
const STEP = 64;

/**
 * A text that whoever holds it can give back but neither read nor change (AES-256-GCM): places in lists and in the
 * order of changes, which would count what the holder does not see. Equal texts are sealed alike, so that an answer
 * is the same when nothing has changed; a text that must not even be recognised needs something random in it.
 *
 * @param use what is sealed for one use opens for no other
 */
export function seal(secret: Uint8Array, use: string, text: string): string {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil((bytes.length + 1) / STEP) * STEP);
  bytes.copy(padded);
  padded[bytes.length] = 1;
  // Of the text itself: no two texts are ever sealed under one nonce.
  const nonce = createHmac('sha256', secret).update(`nonce ${use}\0${text}`).digest().subarray(0, NONCE);
  const cipher = createCipheriv('aes-256-gcm', keyFor(secret, use), nonce);
  return Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

/** @returns undefined for what {@link seal} did not make with this secret */
export function unseal(secret: Uint8Array, use: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE + TAG + STEP) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keyFor(secret, use), bytes.subarray(0, NONCE));
  decipher.setAuthTag(bytes.subarray(bytes.length - TAG));
  try {
    const padded = Buffer.concat([
      decipher.update(bytes.subarray(NONCE, bytes.length - TAG)),
      decipher.final(),
    ]);
    return padded.subarray(0, padded.lastIndexOf(1)).toString();
  } catch {
    return undefined;
  }
}

function keyFor(secret: Uint8Array, use: string): Buffer {
  return createHmac('sha256', secret).update(`seal ${use}`).digest();
}
