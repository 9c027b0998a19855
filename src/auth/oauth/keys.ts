import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { OAuthDatabase } from './oauth-database.ts';

export interface OAuthKeys {
  readonly jwks: { readonly keys: readonly object[] };
  readonly cookieKeys: readonly string[];
}

const SETTING = 'keys';
const MARK = 'key_mark';

/**
 * The keys of this server as they are written down, made when there are none. They are kept with what they
 * protect, in a file for its owner only. Access tokens are opaque: nothing a client holds is signed with them.
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
 * Makes new keys, and ends everything that the old ones stood for: every grant, token and sign-in. A server that
 * runs meanwhile goes by the new ones from its next request on.
 *
 * @returns how many clients were shut out
 */
export function rotateKeys(database: OAuthDatabase): number {
  database.set(SETTING, newKeys());
  return database.revokeAll();
}

/**
 * Ends what was given out under another text than this one: systems in which tokens are signed with a key of
 * the environment are told to change it when somebody is to be shut out. The first one ends nothing.
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
