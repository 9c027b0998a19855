import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * A token is `lectern_<id>_<secret>`: the id finds its record, the secret proves that the bearer has
 * it. 256 random bits need no slow hash: there is nothing to guess.
 */
const SHAPE = /^lectern_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** What systems without such names have: 256 random bits. Its id is a hash of it, so that all of them are secret. */
const HEX_SHAPE = /^[0-9a-f]{64}$/;

export interface NewToken {
  readonly id: string;
  /** The whole token. Shown once, kept nowhere. */
  readonly token: string;
  readonly hash: Uint8Array;
}

export function newToken(): NewToken {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, token: `lectern_${id}_${secret}`, hash: hashSecret(secret) };
}

/** A token of 64 hexadecimal digits, a new one or one that its owner has already. */
export function hexToken(token = randomBytes(32).toString('hex')): NewToken {
  return { token, ...readHexToken(token) };
}

export function isHexToken(token: string): boolean {
  return HEX_SHAPE.test(token);
}

/** @returns undefined for anything that is not written like a token */
export function readToken(token: string): { id: string; hash: Uint8Array } | undefined {
  if (isHexToken(token)) return readHexToken(token);
  const [, id, secret] = SHAPE.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, hash: hashSecret(secret) };
}

/** Takes as long for a secret that is nearly right as for one that is all wrong. */
export function sameHash(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function readHexToken(token: string): { id: string; hash: Uint8Array } {
  const id = createHash('sha256').update(`id of ${token}`).digest('hex').slice(0, 16);
  return { id, hash: hashSecret(token) };
}

function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}
