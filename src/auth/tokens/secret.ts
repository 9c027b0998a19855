import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * A token is `lectern_<id>_<secret>`: the id finds its record, the secret proves possession. 256 random bits
 * need no slow hash, since they cannot be guessed.
 */
const SHAPE = /^lectern_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/**
 * The format of systems without ids: 256 random bits. The id is a hash of the token, so that the whole token
 * stays secret.
 */
const HEX_SHAPE = /^[0-9a-f]{64}$/;

export interface NewToken {
  readonly id: string;
  /** The whole token. Shown once, never stored. */
  readonly token: string;
  readonly hash: Uint8Array;
}

export function newToken(): NewToken {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, token: `lectern_${id}_${secret}`, hash: hashSecret(secret) };
}

/** A token of 64 hexadecimal digits, new or supplied by the owner. */
export function hexToken(token = randomBytes(32).toString('hex')): NewToken {
  return { token, ...readHexToken(token) };
}

export function isHexToken(token: string): boolean {
  return HEX_SHAPE.test(token);
}

/** @returns undefined for a text that is not in a token's format */
export function readToken(token: string): { id: string; hash: Uint8Array } | undefined {
  if (isHexToken(token)) return readHexToken(token);
  const [, id, secret] = SHAPE.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, hash: hashSecret(secret) };
}

/** Compares in constant time. */
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
