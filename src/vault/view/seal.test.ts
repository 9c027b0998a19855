import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

const KEY = new Uint8Array(32).fill(7);

it('gives back what was sealed, for its use and under its key only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const sealed = seal(KEY, 'cursor', text);
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(unseal(KEY, 'cursor', sealed)).toBe(text);
      expect(unseal(KEY, 'event', sealed)).toBeUndefined();
      expect(unseal(new Uint8Array(32), 'cursor', sealed)).toBeUndefined();
    }),
  );
});

it('seals the same text alike, and tells neither the length of a number nor how near another one is', () => {
  expect(seal(KEY, 'cursor', '7')).toBe(seal(KEY, 'cursor', '7'));
  const starts = [7, 8, 9].map((number) => seal(KEY, 'cursor', String(number)).slice(0, 8));
  expect(new Set(starts).size).toBe(3);
  expect(seal(KEY, 'cursor', '7')).toHaveLength(seal(KEY, 'cursor', '7000000').length);
});

it('opens nothing that was changed or made up', () => {
  const sealed = seal(KEY, 'cursor', 'a place');
  for (const [at, letter] of [...sealed].entries()) {
    const other = letter === 'A' ? 'Q' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    // The last letter holds fewer bits than it could.
    if (!Buffer.from(changed, 'base64url').equals(Buffer.from(sealed, 'base64url')))
      expect(unseal(KEY, 'cursor', changed)).toBeUndefined();
  }
  for (const made of ['', 'x', 'AAAA', 'A'.repeat(200)]) expect(unseal(KEY, 'cursor', made)).toBeUndefined();
});
