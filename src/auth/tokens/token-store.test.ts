import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseScopes } from '../grant.ts';
import { TokenStore } from './token-store.ts';

const READ = parseScopes(['vault:read', 'path:Projects']);

let folder: string;
let now: number;
let store: TokenStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-tokens-'));
  now = 1_000_000;
  store = new TokenStore(join(folder, 'auth.db'), () => now);
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('TokenStore', () => {
  it('lets the bearer of a token in as what it was given', () => {
    const { token, record } = store.create({ name: ' Laptop ', grant: READ, expires: undefined });
    expect(store.verify(token)).toEqual({
      kind: 'good',
      principal: { id: record.id, name: 'Laptop', kind: 'token', grant: READ },
    });
  });

  it('keeps neither the token nor its secret on disk, for its owner only', () => {
    const { token } = store.create({ name: 'Laptop', grant: READ, expires: undefined });
    const secret = token.slice(-43);
    for (const file of readdirSync(folder)) {
      expect(readFileSync(join(folder, file)).includes(secret)).toBe(false);
    }
    if (process.platform !== 'win32') expect(statSync(join(folder, 'auth.db')).mode & 0o777).toBe(0o600);
  });

  it('knows nothing about what is not exactly a token', () => {
    const { token, record } = store.create({ name: 'Laptop', grant: READ, expires: undefined });
    const lastChanged = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const otherId = token.replace(record.id, '0123456789abcdef');
    for (const wrong of [
      '',
      'lectern_',
      lastChanged,
      otherId,
      `${token}x`,
      ` ${token}`,
      token.toUpperCase(),
    ]) {
      expect(store.verify(wrong)).toEqual({ kind: 'unknown' });
    }
  });

  it('stops at the time it expires', () => {
    const { token, record } = store.create({ name: 'Guest', grant: READ, expires: now + 1000 });
    now += 999;
    expect(store.verify(token).kind).toBe('good');
    now += 1;
    expect(store.verify(token)).toEqual({ kind: 'expired' });
    expect(store.stillWorks(record.id)).toBe(false);
    expect(store.hasWorking()).toBe(false);
  });

  it('stops when it is revoked, by name or id, by another process too', () => {
    const first = store.create({ name: 'One', grant: READ, expires: undefined });
    const second = store.create({ name: 'Two', grant: READ, expires: undefined });
    const third = store.create({ name: 'Three', grant: READ, expires: undefined });
    for (const { token } of [first, second, third]) expect(store.verify(token).kind).toBe('good');
    const elsewhere = new TokenStore(join(folder, 'auth.db'), () => now);
    elsewhere.revoke('One');
    expect(store.verify(first.token)).toEqual({ kind: 'revoked' });
    expect(store.verify(second.token).kind).toBe('good');
    elsewhere.revoke(second.record.id);
    elsewhere.close();
    store.revoke('Three');
    expect(store.verify(third.token)).toEqual({ kind: 'revoked' });
    expect(store.stillWorks(third.record.id)).toBe(false);
    expect(store.verify(first.token)).toEqual({ kind: 'revoked' });
    expect(store.verify(second.token)).toEqual({ kind: 'revoked' });
    expect(() => store.revoke('One')).toThrow(/No working token/);
  });

  it('keeps names apart while they are in use', () => {
    store.create({ name: 'Laptop', grant: READ, expires: undefined });
    expect(() => store.create({ name: 'Laptop', grant: READ, expires: undefined })).toThrow(/already/);
    store.revoke('Laptop');
    expect(store.create({ name: 'Laptop', grant: READ, expires: undefined }).token).toMatch(/^lectern_/);
    expect(store.list()).toHaveLength(2);
  });

  it.each(['', '  ', 'x'.repeat(101), 'a\nb'])('refuses the name %j', (name) => {
    expect(() => store.create({ name, grant: READ, expires: undefined })).toThrow(/name/);
  });

  it('remembers when it was last used, to the minute', () => {
    const { token } = store.create({ name: 'Laptop', grant: READ, expires: undefined });
    store.verify(token);
    expect(store.list()[0]?.lastUsed).toBe(1_000_000);
    now += 59_000;
    store.verify(token);
    expect(store.list()[0]?.lastUsed).toBe(1_000_000);
    now += 1000;
    store.verify(token);
    expect(store.list()[0]?.lastUsed).toBe(1_060_000);
  });
});
