import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const NONCE = 12;
const TAG = 16;
/** Lengths are padded to a multiple of this many bytes, because the length of a number reveals its magnitude. */
const STEP = 64;

/**
 * Encrypts a text so that its holder can return it but neither read nor change it (AES-256-GCM): positions in
 * lists and in the order of changes, which would count files the holder does not see. Equal texts give equal
 * results, so that an answer stays the same while nothing changes; a text that must not be recognised needs a
 * random part.
 *
 * @param use a text encrypted for one use cannot be decrypted for another
 */
export function seal(secret: Uint8Array, use: string, text: string): string {
  const bytes = Buffer.from(text);
  const padded = Buffer.alloc(Math.ceil((bytes.length + 1) / STEP) * STEP);
  bytes.copy(padded);
  padded[bytes.length] = 1;
  // Derived from the text: no two texts share a nonce.
  const nonce = createHmac('sha256', secret).update(`nonce ${use}\0${text}`).digest().subarray(0, NONCE);
  const cipher = createCipheriv('aes-256-gcm', keyFor(secret, use), nonce);
  return Buffer.concat([nonce, cipher.update(padded), cipher.final(), cipher.getAuthTag()]).toString(
    'base64url',
  );
}

/** @returns undefined for anything that {@link seal} did not make with this secret */
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
