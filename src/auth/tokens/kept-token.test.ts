import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseScopes } from '../grant.ts';
import { KeptToken } from './kept-token.ts';
import { TokenStore } from './token-store.ts';

const GRANT = parseScopes(['vault:write', 'catalogue:inklings']);

let folder: string;
let kept: KeptToken;
/** As a server in another process has the file open. */
let server: TokenStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-kept-'));
  server = new TokenStore(join(folder, 'auth.db'));
  kept = new KeptToken(join(folder, 'auth.db'), 'inklings');
});

afterEach(() => {
  kept.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it('is made when it is first let in, 256 bits as 64 hexadecimal digits, and shown again', () => {
  expect(kept.state()).toEqual({ enabled: false, record: undefined });
  expect(kept.show()).toBeUndefined();
  const token = kept.enable(GRANT);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(kept.show()).toBe(token);
  expect(kept.enable(GRANT)).toBe(token);
  expect(server.verify(token)).toMatchObject({ kind: 'good', principal: { name: 'inklings', grant: GRANT } });
  expect(kept.state()).toMatchObject({ enabled: true, record: { expires: undefined } });
  if (process.platform !== 'win32') expect(statSync(join(folder, 'auth.db')).mode & 0o777).toBe(0o600);
});

it('is let in as the same one after it was switched off', () => {
  const token = kept.enable(GRANT);
  expect(kept.disable()).toBe(true);
  expect(kept.disable()).toBe(false);
  expect(server.verify(token)).toEqual({ kind: 'revoked' });
  expect(kept.state().enabled).toBe(false);
  expect(kept.show()).toBe(token);
  expect(kept.enable(GRANT)).toBe(token);
  expect(server.verify(token).kind).toBe('good');
});

it('gives way to a new one, and the old one is dead at once and for good', () => {
  const old = kept.enable(GRANT);
  expect(server.verify(old).kind).toBe('good');
  const token = kept.regenerate(GRANT);
  expect(token).not.toBe(old);
  expect(server.verify(old)).toEqual({ kind: 'revoked' });
  expect(server.verify(token).kind).toBe('good');
  kept.disable();
  expect(kept.enable(GRANT)).toBe(token);
  expect(server.verify(old)).toEqual({ kind: 'revoked' });
});

it('may be one that clients have already', () => {
  const own = 'ab'.repeat(32);
  const made = kept.enable(GRANT);
  expect(kept.enable(GRANT, own)).toBe(own);
  expect(server.verify(own).kind).toBe('good');
  expect(server.verify(made)).toEqual({ kind: 'revoked' });
});

it('is not known by anything that is nearly it', () => {
  const token = kept.enable(GRANT);
  const last = token.endsWith('0') ? '1' : '0';
  for (const wrong of [
    token.toUpperCase(),
    token.slice(0, -1),
    `${token}0`,
    token.slice(0, -1) + last,
    ` ${token}`,
  ])
    if (wrong !== token) expect(server.verify(wrong)).toEqual({ kind: 'unknown' });
});
