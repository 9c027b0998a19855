import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { OAuthDatabase } from './oauth-database.ts';

export interface OAuthKeys {
  readonly jwks: { readonly keys: readonly object[] };
  readonly cookieKeys: readonly string[];
}

const SETTING = 'keys';
const MARK = 'key_mark';

/**
 * The server's keys, created when missing. They are stored in the database they protect, a file readable by
 * its owner only. Access tokens are opaque: nothing a client holds is signed with these keys.
 */
export function writtenKeys(database: OAuthDatabase): string {
  const known = database.setting(SETTING);
  if (known !== undefined) return known;
  const made = newKeys();
  database.set(SETTING, made);
  return made;
}

export function readKeys(written: string): OAuthKeys {
  return JSON.parse(written) as OAuthKeys;
}

/**
 * Creates new keys and revokes everything issued under the old ones: every grant, token and sign-in. A
 * running server uses the new keys from its next request on.
 *
 * @returns how many grants were revoked
 */
export function rotateKeys(database: OAuthDatabase): number {
  database.set(SETTING, newKeys());
  return database.revokeAll();
}

/**
 * Revokes everything issued under another text than this one, for systems that sign tokens with a key from
 * the environment and revoke access by changing it. The first text revokes nothing.
 */
export function followKey(database: OAuthDatabase, key: string): void {
  const mark = createHash('sha256').update(key).digest('hex');
  const known = database.setting(MARK);
  if (known === mark) return;
  if (known !== undefined) rotateKeys(database);
  database.set(MARK, mark);
}

function newKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = {
    ...privateKey.export({ format: 'jwk' }),
    use: 'sig',
    alg: 'ES256',
    kid: randomBytes(8).toString('hex'),
  };
  const keys: OAuthKeys = { jwks: { keys: [jwk] }, cookieKeys: [randomBytes(32).toString('base64url')] };
  return JSON.stringify(keys);
}
