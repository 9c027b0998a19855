import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { OAuthDatabase } from './oauth-database.ts';

export interface OAuthKeys {
  readonly jwks: { readonly keys: readonly object[] };
  readonly cookieKeys: readonly string[];
}

const SETTING = 'keys';

/** The keys of this server, made once and kept with what they protect. Access tokens are opaque: nothing a client holds is signed with them. */
export function oauthKeys(database: OAuthDatabase): OAuthKeys {
  const known = database.setting(SETTING);
  if (known !== undefined) return JSON.parse(known) as OAuthKeys;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = {
    ...privateKey.export({ format: 'jwk' }),
    use: 'sig',
    alg: 'ES256',
    kid: randomBytes(8).toString('hex'),
  };
  const keys = { jwks: { keys: [jwk] }, cookieKeys: [randomBytes(32).toString('base64url')] };
  database.set(SETTING, JSON.stringify(keys));
  return keys;
}
