import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rotateKeys } from '../src/auth/oauth/keys.ts';
import { OAuthDatabase } from '../src/auth/oauth/oauth-database.ts';
import { DEFAULT_LIFETIMES, type TokenLifetimes } from '../src/config/oauth-settings.ts';
import { type OAuthDoor, openOAuthDoor, PASSPHRASE } from './support/oauth-door.ts';
import { OAuthFlow } from './support/oauth-flow.ts';

/** What clients are given: how long it works, how it is exchanged, and how it ends. */

const GRACE_MS = DEFAULT_LIFETIMES.refreshGraceMs;

let served: OAuthDoor;
let flow: OAuthFlow;
/** How far the server's clock is ahead, ms. */
let ahead = 0;

async function open(lifetimes: TokenLifetimes): Promise<void> {
  const options = { lifetimes, passphrase: PASSPHRASE, now: () => Date.now() + ahead };
  served = await openOAuthDoor({ 'A.md': 'alpha\n' }, options);
  flow = new OAuthFlow(served);
}

beforeEach(async () => {
  ahead = 0;
  await open(DEFAULT_LIFETIMES);
});

afterEach(async () => {
  await served.close();
});

describe('refresh tokens', () => {
  it('are exchanged for a new pair', async () => {
    const first = await flow.signIn();
    const second = await flow.refresh(first.client, first.refresh_token);
    expect(second).toMatchObject({ status: 200, scope: 'vault:read vault:write', expires_in: 3600 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await flow.works(second.access_token)).toBe(true);
  });

  it('may be shown again by a client that did not get the answer, for a short time', async () => {
    const { client, refresh_token } = await flow.signIn();
    expect((await flow.refresh(client, refresh_token)).status).toBe(200);
    ahead += GRACE_MS - 2000;
    const again = await flow.refresh(client, refresh_token);
    expect(again.status).toBe(200);
    expect(await flow.works(again.access_token)).toBe(true);
    ahead += 3600_000;
    const third = await flow.refresh(client, again.refresh_token);
    expect(third.status).toBe(200);
    expect(await flow.works(third.access_token)).toBe(true);
  });

  it('end the whole grant when they are shown again later: one of the two who have it is a thief', async () => {
    const { client, refresh_token } = await flow.signIn();
    const second = await flow.refresh(client, refresh_token);
    ahead += GRACE_MS + 1;
    expect(await flow.works(second.access_token)).toBe(true);
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
    expect(await flow.works(second.access_token)).toBe(false);
    expect((await flow.refresh(client, second.refresh_token)).error).toBe('invalid_grant');
  });

  it('do not win time by being shown again and again', async () => {
    const { client, refresh_token } = await flow.signIn();
    await flow.refresh(client, refresh_token);
    ahead += GRACE_MS * 0.6;
    expect((await flow.refresh(client, refresh_token)).status).toBe(200);
    ahead += GRACE_MS * 0.6;
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
  });

  it('cannot be shown again once the client went on: the answer had arrived', async () => {
    const { client, refresh_token } = await flow.signIn();
    const second = await flow.refresh(client, refresh_token);
    const third = await flow.refresh(client, second.refresh_token);
    expect(third.status).toBe(200);
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
    expect(await flow.works(third.access_token)).toBe(false);
  });

  it('betray whoever caught the lost answer, as soon as both went on', async () => {
    const { client, refresh_token } = await flow.signIn();
    const caught = await flow.refresh(client, refresh_token);
    const repeated = await flow.refresh(client, refresh_token);
    ahead += 3600_000;
    const owners = await flow.refresh(client, repeated.refresh_token);
    expect(owners.status).toBe(200);
    ahead += 3600_000;
    expect((await flow.refresh(client, caught.refresh_token)).error).toBe('invalid_grant');
    expect((await flow.refresh(client, owners.refresh_token)).error).toBe('invalid_grant');
  });

  it('work strictly once when the owner gives no time', async () => {
    await served.close();
    await open({ ...DEFAULT_LIFETIMES, refreshGraceMs: 0 });
    const { client, refresh_token } = await flow.signIn();
    const second = await flow.refresh(client, refresh_token);
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
    expect(await flow.works(second.access_token)).toBe(false);
  });

  it('are not another client’s to show', async () => {
    const { refresh_token, client } = await flow.signIn();
    const { client_id: stranger } = await flow.register();
    expect((await flow.refresh(stranger, refresh_token)).error).toBe('invalid_grant');
    expect((await flow.refresh(client, refresh_token)).status).toBe(200);
  });

  it('are not access tokens', async () => {
    expect(await flow.works((await flow.signIn()).refresh_token)).toBe(false);
  });
});

describe('the time things work', () => {
  it('is an hour and thirty days unless the owner says otherwise', async () => {
    const { access_token, client, refresh_token, expires_in } = await flow.signIn();
    expect(expires_in).toBe(3600);
    ahead += 3600_000 - 5000;
    expect(await flow.works(access_token)).toBe(true);
    ahead += 6000;
    expect(await flow.works(access_token)).toBe(false);
    ahead += 30 * 86_400_000;
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
  });

  it('can be ninety days for an access token, which can still be taken back at once', async () => {
    const day = 86_400_000;
    await served.close();
    await open({ ...DEFAULT_LIFETIMES, accessMs: 90 * day });
    const { access_token, client, expires_in } = await flow.signIn();
    expect(expires_in).toBe(90 * 86_400);
    ahead += 89 * day;
    expect(await flow.works(access_token)).toBe(true);
    const elsewhere = new OAuthDatabase(served.databasePath);
    const grant = elsewhere.grants().find((record) => record.client === client);
    elsewhere.revoke(grant?.id ?? '');
    elsewhere.close();
    expect(await flow.works(access_token)).toBe(false);
  });
});

describe('keys', () => {
  const keyIds = async () => {
    const { keys } = (await (await fetch(`${served.origin}/oauth/jwks`)).json()) as {
      keys: { kid: string }[];
    };
    return keys.map(({ kid }) => kid);
  };

  it('are kept where only the owner can read them', async () => {
    await flow.signIn();
    const folder = dirname(served.databasePath);
    for (const file of readdirSync(folder))
      expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
  });

  it('are rotated while the server runs, which ends every grant', async () => {
    const before = await flow.signIn();
    const others = await flow.signIn({ access: 'read' });
    const ids = await keyIds();
    const elsewhere = new OAuthDatabase(served.databasePath);
    expect(rotateKeys(elsewhere)).toBe(2);
    expect(elsewhere.grants()).toEqual([]);
    elsewhere.close();
    const rotated = await keyIds();
    expect(rotated).toHaveLength(1);
    expect(ids).not.toContain(rotated[0]);
    for (const { access_token, refresh_token, client } of [before, others]) {
      expect(await flow.works(access_token)).toBe(false);
      expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
    }
    expect(await flow.works((await flow.signIn()).access_token)).toBe(true);
  });

  it('that are rotated leave nothing of a sign-in that was under way', async () => {
    const { client_id } = await flow.register();
    const answer = await served.approve(flow.authorizeUrl(client_id, 'x'.repeat(43)));
    const elsewhere = new OAuthDatabase(served.databasePath);
    rotateKeys(elsewhere);
    elsewhere.close();
    const code = answer.searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    expect((await flow.redeem(client_id, code, 'y'.repeat(43))).error).toBe('invalid_grant');
  });
});

it('revokes a token (RFC 7009)', async () => {
  const { access_token, refresh_token, client } = await flow.signIn();
  const revoke = (value: string) =>
    fetch(`${served.origin}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: client, token: value }),
    });
  expect((await revoke(refresh_token)).status).toBe(200);
  expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
  await revoke(access_token);
  expect(await flow.works(access_token)).toBe(false);
});

it('keeps neither codes nor tokens on disk', async () => {
  const { access_token, refresh_token, code } = await flow.signIn();
  const folder = dirname(served.databasePath);
  for (const file of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, file));
    for (const secret of [access_token, refresh_token, code]) expect(bytes.includes(secret)).toBe(false);
  }
});
