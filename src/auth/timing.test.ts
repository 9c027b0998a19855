import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OAuthDatabase } from './oauth/oauth-database.ts';
import { Owner } from './oauth/owner.ts';
import { TokenStore } from './tokens/token-store.ts';

/**
 * How long a refusal takes must not tell how much of a guess was right. Asserted twice: every secret is hashed
 * and the hashes are compared by the runtime's own constant-time comparison; and the times themselves,
 * held against those of a comparison that does leak.
 */

const compare = vi.hoisted(() => ({ calls: [] as [number, number][] }));

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  return {
    ...crypto,
    timingSafeEqual: (one: Uint8Array, other: Uint8Array) => {
      compare.calls.push([one.length, other.length]);
      return crypto.timingSafeEqual(one, other);
    },
  };
});

const PASSPHRASE = 'slack water comes at noon';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-timing-'));
  compare.calls.length = 0;
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The same text with another character at this place. */
function wrongAt(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

function tokens() {
  const store = new TokenStore(join(folder, 'auth.db'));
  const grant = {
    scopes: ['vault:read'] as const,
    vaults: [],
    catalogues: [],
    paths: { allow: [], deny: [] },
    tools: { allow: [], deny: [] },
  };
  const { token } = store.create({ name: 'Laptop', grant, expires: undefined });
  return { store, token, secretAt: token.length - 43 };
}

describe('the way secrets are compared', () => {
  it('tokens: one comparison of 32 bytes in constant time, however wrong the guess is', () => {
    const { store, token, secretAt } = tokens();
    for (const guess of [token, wrongAt(token, secretAt), wrongAt(token, token.length - 1)]) {
      compare.calls.length = 0;
      expect(store.verify(guess).kind).toBe(guess === token ? 'good' : 'unknown');
      expect(compare.calls).toEqual([[32, 32]]);
    }
    store.close();
  });

  it('the setup code and the passphrase: the same', async () => {
    const database = new OAuthDatabase(join(folder, 'oauth.db'));
    const owner = new Owner(database);
    const code = owner.newSetupCode();
    expect(owner.isSetupCode(wrongAt(code, 0))).toBe(false);
    expect(owner.isSetupCode('')).toBe(false);
    await owner.setPassphrase(code, PASSPHRASE);
    expect(await owner.check(wrongAt(PASSPHRASE, 0), 'a')).toBe('wrong');
    expect(await owner.check('x', 'a')).toBe('wrong');
    expect(compare.calls).toEqual(Array.from({ length: 5 }, () => [32, 32]));
    database.close();
  });
});

describe('the time a refusal takes', () => {
  const BATCHES = 60;
  const PER_BATCH = 40;

  /**
   * The quickest batch of each kind, their samples taken in turn: what else the machine does slows some
   * batches of both down and makes none quicker.
   *
   * @returns how much longer the one takes than the other, at least 1
   */
  function ratio(one: () => void, other: () => void): number {
    const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let batch = 0; batch < BATCHES * 2; batch++) {
      const kind = batch % 2;
      const work = kind === 0 ? one : other;
      const start = process.hrtime.bigint();
      for (let n = 0; n < PER_BATCH; n++) work();
      best[kind] = Math.min(best[kind] ?? 0, Number(process.hrtime.bigint() - start));
    }
    const [a = 1, b = 1] = best;
    return Math.max(a / b, b / a);
  }

  /** A machine under load may spoil one measurement, not three. */
  function smallestRatio(one: () => void, other: () => void): number {
    return Math.min(...Array.from({ length: 3 }, () => ratio(one, other)));
  }

  it('is the same for a guess that is wrong at its start and one that is wrong at its end', () => {
    const { store, token, secretAt } = tokens();
    const atStart = wrongAt(token, secretAt);
    const atEnd = wrongAt(token, token.length - 1);
    expect(
      smallestRatio(
        () => store.verify(atStart),
        () => store.verify(atEnd),
      ),
    ).toBeLessThan(1.15);
    store.close();
  });

  it('would show a comparison that stops at the first difference', () => {
    const secret = 'x'.repeat(2000);
    const leaks = (guess: string) => {
      for (let at = 0; at < secret.length; at++) {
        if (secret.charCodeAt(at) !== guess.charCodeAt(at)) return false;
      }
      return true;
    };
    const [atStart, atEnd] = [wrongAt(secret, 0), wrongAt(secret, 1999)];
    expect(
      smallestRatio(
        () => leaks(atStart),
        () => leaks(atEnd),
      ),
    ).toBeGreaterThan(1.5);
  });
});
