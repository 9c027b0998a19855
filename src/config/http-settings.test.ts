import { describe, expect, it } from 'vitest';
import { resolveHttpSettings } from './http-settings.ts';
import { isLoopback } from './loopback.ts';

describe('resolveHttpSettings', () => {
  it('listens on loopback, asks for tokens and limits everything by default', () => {
    expect(resolveHttpSettings({}, {})).toMatchObject({
      host: '127.0.0.1',
      port: 7862,
      noAuth: false,
      callLimitMs: 60_000,
      maxBodyBytes: 4 * 1024 * 1024,
      sessionIdleMs: 30 * 60_000,
      ratePerMinute: 600,
      allowedOrigins: [],
      trustedProxies: [],
    });
  });

  it('takes flags before the environment', () => {
    const environment = {
      LECTERN_PORT: '1000',
      LECTERN_HOST: '0.0.0.0',
      LECTERN_TRUST_PROXY: '10.0.0.0/8, ::1',
    };
    expect(resolveHttpSettings({ port: '2000' }, environment)).toMatchObject({
      port: 2000,
      host: '0.0.0.0',
      trustedProxies: ['10.0.0.0/8', '::1'],
    });
  });

  it.each([
    [{ host: '0.0.0.0', auth: false }],
    [{ host: '192.168.1.2', auth: false }],
    [{ publicUrl: 'https://notes.example', auth: false }],
  ])('does not open the notes to everybody: %j', (flags) => {
    expect(() => resolveHttpSettings(flags, {})).toThrow(/authentication|everybody/);
  });

  it.each([
    [{ port: '70000' }],
    [{ port: '-1' }],
    [{ port: '7e3' }],
    [{ publicUrl: 'http://notes.example' }],
    [{ publicUrl: 'https://user:x@notes.example' }],
    [{ publicUrl: 'https://notes.example/?a' }],
    [{ publicUrl: 'notes.example' }],
    [{ allowOrigin: ['*'] }],
    [{ allowOrigin: ['file:///x'] }],
    [{ trustProxy: ['proxy'] }],
    [{ trustProxy: ['10.0.0.0/33'] }],
    [{ trustProxy: ['10.0.0.0/8/9'] }],
    [{ tlsCert: 'cert.pem' }],
    [{ requestLimit: '0' }],
    [{ bodyLimit: 'x' }],
  ])('refuses %j', (flags) => {
    expect(() => resolveHttpSettings(flags, {})).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('keeps a prefix of the public URL, without the slash', () => {
    expect(resolveHttpSettings({ publicUrl: 'https://notes.example/lectern/' }, {}).publicUrl?.href).toBe(
      'https://notes.example/lectern',
    );
  });
});

describe('OAuth', () => {
  it('is off until it is asked for, and never beside --no-auth', () => {
    expect(resolveHttpSettings({}, {}).oauth).toBeUndefined();
    expect(resolveHttpSettings({ oauth: true, auth: false }, {}).oauth).toBeUndefined();
  });

  it('knows where it is from the public URL, or on loopback from where it listens', () => {
    const at = (flags: object, environment = {}) =>
      resolveHttpSettings({ oauth: true, ...flags }, environment).oauth?.issuer.origin;
    expect(at({})).toBe('http://127.0.0.1:7862');
    expect(at({ host: '::1', port: '80', tlsCert: 'c', tlsKey: 'k' })).toBe('https://[::1]:80');
    expect(at({ host: '0.0.0.0', publicUrl: 'https://notes.example/' })).toBe('https://notes.example');
    expect(at({}, { LECTERN_PUBLIC_URL: 'https://notes.example' })).toBe('https://notes.example');
  });

  it.each([
    [{ host: '0.0.0.0' }],
    [{ port: '0' }],
    [{ publicUrl: 'https://notes.example/lectern' }],
    [{ oauthClient: 'x' }],
    [{ oauthClient: 'x', oauthRedirect: ['https://client.example/callback'] }],
    [{ oauthAccessLife: '0m' }],
    [{ oauthAccessLife: '366d' }],
    [{ oauthAccessLife: '3600' }],
    [{ oauthRefreshLife: 'never' }],
    [{ oauthRefreshGrace: '301' }],
    [{ oauthRefreshGrace: '10s' }],
  ])('refuses %j', (flags) => {
    expect(() => resolveHttpSettings({ oauth: true, ...flags }, {})).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });

  it('lets tokens work as long as the owner says', () => {
    const of = (flags: object, environment = {}) =>
      resolveHttpSettings({ oauth: true, ...flags }, environment).oauth?.lifetimes;
    const day = 86_400_000;
    expect(of({})).toEqual({ accessMs: 3_600_000, refreshMs: 30 * day, refreshGraceMs: 30_000 });
    expect(
      of({ oauthAccessLife: '90d', oauthRefreshGrace: '0' }, { LECTERN_OAUTH_REFRESH_LIFE: '365d' }),
    ).toEqual({ accessMs: 90 * day, refreshMs: 365 * day, refreshGraceMs: 0 });
  });

  it('takes the secret of a known client from the environment only', () => {
    const environment = { LECTERN_OAUTH: '1', LECTERN_OAUTH_CLIENT_SECRET: 's', LECTERN_OAUTH_CLIENT: 'x' };
    const flags = { oauthRedirect: ['https://client.example/callback'] };
    expect(resolveHttpSettings(flags, environment).oauth?.client).toEqual({
      id: 'x',
      secret: 's',
      redirectUris: ['https://client.example/callback'],
    });
  });
});

describe('what an environment alone may set up', () => {
  const https = { LECTERN_PUBLIC_URL: 'https://notes.example' };
  const client = { ...https, LECTERN_OAUTH_CLIENT: 'x', LECTERN_OAUTH_CLIENT_SECRET: 's' };
  const redirectUris = ['https://client.example/callback'];

  it('is OAuth for a client that is known beforehand, unless that was switched off', () => {
    const oauth = (environment: object) =>
      resolveHttpSettings({}, { ...client, ...environment }, { redirectUris }).oauth;
    expect(oauth({})?.client).toEqual({ id: 'x', secret: 's', redirectUris });
    expect(oauth({ LECTERN_OAUTH_REDIRECT: 'https://a.example/b' })?.client?.redirectUris).toEqual([
      'https://a.example/b',
    ]);
    expect(oauth({ LECTERN_OAUTH: 'no' })).toBeUndefined();
    expect(() => resolveHttpSettings({}, client)).toThrow(/not complete/);
  });

  it('is the owner’s passphrase, the key and a token', () => {
    const settings = resolveHttpSettings(
      { oauth: true },
      {
        ...https,
        LECTERN_OAUTH_PASSPHRASE: 'twelve chars',
        LECTERN_OAUTH_KEY: 'k',
        LECTERN_HTTP_TOKEN: 'x'.repeat(20),
      },
    );
    expect(settings).toMatchObject({
      token: 'x'.repeat(20),
      oauth: { passphrase: 'twelve chars', key: 'k' },
    });
  });

  it.each([
    { LECTERN_OAUTH_PASSPHRASE: 'eleven char' },
    { LECTERN_HTTP_TOKEN: 'x'.repeat(19) },
    { LECTERN_HTTP_TOKEN: 'with a space in between' },
    { LECTERN_HTTP_TOKEN: 'größer'.repeat(10) },
  ])('is refused without being repeated: %o', (environment) => {
    const [value = ''] = Object.values(environment);
    try {
      resolveHttpSettings({ oauth: true }, { ...https, ...environment });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_input' });
      expect(`${error}${(error as { next: string }).next}`).not.toContain(value);
    }
  });
});

describe('isLoopback', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])('%s is', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '127.0.0.1.evil.example', 'localhost.evil.example', '128.0.0.1', '127'])(
    '%s is not',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});
