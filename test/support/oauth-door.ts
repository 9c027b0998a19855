import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
} from '../../src/auth/oauth/authorization-server.ts';
import type { AuthorizationEvent } from '../../src/auth/oauth/event.ts';
import { Authenticator } from '../../src/http/authenticate.ts';
import type { HttpDoorOptions } from '../../src/http/door.ts';
import { freePort } from './free-port.ts';
import { openTestDoor, type TestDoor } from './test-door.ts';

export const PASSPHRASE = 'slack water comes at noon';

export interface OAuthDoor extends TestDoor {
  readonly authorization: AuthorizationServer;
  readonly origin: string;
  /** The file that the authorization server keeps everything in. */
  readonly databasePath: string;
  readonly events: readonly AuthorizationEvent[];
  /** The owner at a browser: follows an authorization request to the end. @returns where the client is answered */
  approve(
    authorizationUrl: URL | string,
    form?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<URL>;
}

/**
 * A door with its own authorization server on a free port, the passphrase already set; with `passphrase` it is the one
 * of the settings, which costs no derivation of a key at each sign-in.
 */
export async function openOAuthDoor(
  files: Record<string, string>,
  options: Partial<AuthorizationServerOptions> = {},
  patience: HttpDoorOptions['patience'] = {},
): Promise<OAuthDoor> {
  const port = await freePort();
  const issuer = new URL(`http://127.0.0.1:${port}`);
  const state = mkdtempSync(join(tmpdir(), 'lectern-oauth-'));
  const databasePath = join(state, 'oauth.db');
  const events: AuthorizationEvent[] = [];
  const authorization = new AuthorizationServer({
    databasePath,
    issuer,
    client: undefined,
    registrationsPerHour: 1000,
    onEvent: (event) => events.push(event),
    ...options,
  });
  if (!authorization.owner.hasPassphrase)
    await authorization.owner.setPassphrase(authorization.owner.newSetupCode(), PASSPHRASE);
  const authenticator = new Authenticator({
    credentials: {
      verify: (token) => authorization.verify(token),
      stillWorks: (principal) => authorization.stillWorks(principal),
    },
    challenge: authorization.challenge,
  });
  const door = await openTestDoor(files, {
    flags: { port: String(port) },
    door: { authorization, authenticator, patience },
  });
  return {
    ...door,
    authorization,
    origin: issuer.origin,
    databasePath,
    events,
    approve: (url, form = {}, headers = {}) => approve(new URL(url), form, headers),
    async close() {
      await door.close();
      authorization.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** A browser of one tab: keeps cookies, follows redirects on this server by hand. */
export async function approve(
  authorizationUrl: URL,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<URL> {
  const { origin } = authorizationUrl;
  const cookies = new Map<string, string>();
  const go = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  let url = authorizationUrl;
  for (let step = 0; step < 10; step++) {
    const response = await go(url);
    if (response.status === 200) {
      const posted = await go(url, {
        method: 'POST',
        body: new URLSearchParams({ action: 'allow', access: 'write', passphrase: PASSPHRASE, ...form }),
        headers: { Origin: origin, ...headers },
      });
      if (posted.status !== 303) throw new Error(`HTTP ${posted.status}: ${await posted.text()}`);
      url = new URL(posted.headers.get('location') ?? '', origin);
    } else {
      const location = response.headers.get('location');
      if (location === null) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
      url = new URL(location, origin);
    }
    if (url.origin !== origin) return url;
  }
  throw new Error('The authorization did not end.');
}
