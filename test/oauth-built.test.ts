import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './support/free-port.ts';
import { approve, PASSPHRASE } from './support/oauth-door.ts';
import { OAuthFlow } from './support/oauth-flow.ts';
import { httpAddress, LECTERN } from './support/process-wire.ts';

/**
 * How long tokens live, on the built package: bundling renames classes, and the authorization server finds a token's
 * lifetime by the name of its class. The process reads how far its clock is ahead from a file.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const CLOCK = `import { readFileSync } from 'node:fs';
const now = Date.now.bind(Date);
Date.now = () => now() + Number(readFileSync(process.env.TEST_CLOCK, 'utf8'));
`;

describe.each([
  { what: 'the defaults', flags: [], accessMs: HOUR, refreshMs: 30 * DAY, graceMs: 30_000 },
  {
    what: 'the settings',
    flags: ['--oauth-access-life', '20m', '--oauth-refresh-life', '2d', '--oauth-refresh-grace', '90'],
    accessMs: 20 * MINUTE,
    refreshMs: 2 * DAY,
    graceMs: 90_000,
  },
])('tokens of dist/lectern.js by $what', ({ flags, accessMs, refreshMs, graceMs }) => {
  let folder: string;
  let child: ChildProcess;
  let flow: OAuthFlow;
  let ahead = 0;
  /** Requests take time as well: lifetimes are tried this far from their end. */
  const MARGIN_MS = 15_000;
  const advance = (ms: number) => {
    ahead += ms;
    writeFileSync(join(folder, 'clock'), String(ahead));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lectern-oauth-built-'));
    mkdirSync(join(folder, 'vault'));
    writeFileSync(join(folder, 'vault', 'A.md'), 'alpha\n');
    writeFileSync(join(folder, 'clock.mjs'), CLOCK);
    advance(0);
    const port = await freePort();
    const args = ['--import', pathToFileURL(join(folder, 'clock.mjs')).href, LECTERN, 'serve', '--oauth'];
    child = spawn(
      process.execPath,
      [...args, '--port', String(port), '--vault', join(folder, 'vault'), '--state', folder, ...flags],
      {
        env: {
          PATH: process.env.PATH ?? '',
          HOME: folder,
          LECTERN_OAUTH_PASSPHRASE: PASSPHRASE,
          TEST_CLOCK: join(folder, 'clock'),
        },
      },
    );
    const mcpUrl = new URL(await httpAddress(child));
    flow = new OAuthFlow({
      origin: mcpUrl.origin,
      mcpUrl,
      approve: (url, form = {}, headers = {}) => approve(new URL(url), form, headers),
      post: (body, headers) =>
        fetch(mcpUrl, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            ...headers,
          },
          body: JSON.stringify(body),
        }),
    });
  });

  afterAll(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  it('an access token works until its time is over, and then no more', async () => {
    const { access_token, expires_in } = await flow.signIn();
    expect(expires_in).toBe(accessMs / 1000);
    advance(accessMs - MARGIN_MS);
    expect(await flow.works(access_token)).toBe(true);
    advance(MARGIN_MS + 1000);
    expect((await flow.list(access_token)).status).toBe(401);
  });

  it('a refresh token gives a new pair, and ends after its own time', async () => {
    const first = await flow.signIn();
    advance(accessMs + 1000);
    expect(await flow.works(first.access_token)).toBe(false);
    const second = await flow.refresh(first.client, first.refresh_token);
    expect(second).toMatchObject({ status: 200, expires_in: accessMs / 1000 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await flow.works(second.access_token)).toBe(true);
    // It counts from its own issue, so a client that comes back in time goes on.
    advance(refreshMs - MARGIN_MS);
    const third = await flow.refresh(first.client, second.refresh_token);
    expect(third.status).toBe(200);
    advance(refreshMs + 1000);
    expect(await flow.refresh(first.client, third.refresh_token)).toMatchObject({
      status: 400,
      error: 'invalid_grant',
    });
  });

  it('a used refresh token may be repeated for a short time, and ends its whole family after that', async () => {
    const { client, refresh_token } = await flow.signIn();
    const second = await flow.refresh(client, refresh_token);
    advance(graceMs - MARGIN_MS);
    const repeated = await flow.refresh(client, refresh_token);
    expect(repeated.status).toBe(200);
    advance(MARGIN_MS + 1000);
    expect(await flow.works(second.access_token)).toBe(true);
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
    for (const { access_token } of [second, repeated]) expect(await flow.works(access_token)).toBe(false);
    for (const { refresh_token: later } of [second, repeated])
      expect((await flow.refresh(client, later)).error).toBe('invalid_grant');
  });

  it('a used refresh token ends its family at once when its successor was used', async () => {
    const { client, refresh_token } = await flow.signIn();
    const second = await flow.refresh(client, refresh_token);
    const third = await flow.refresh(client, second.refresh_token);
    expect(await flow.works(third.access_token)).toBe(true);
    expect((await flow.refresh(client, refresh_token)).error).toBe('invalid_grant');
    expect(await flow.works(third.access_token)).toBe(false);
    expect((await flow.refresh(client, third.refresh_token)).error).toBe('invalid_grant');
  });
});
