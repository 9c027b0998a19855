import { expect, it } from 'vitest';
import { etagOf } from './etag.ts';

it('is xxHash64 with seed 0 as 16 hex digits', () => {
  // Values of the reference implementation.
  expect(etagOf(new Uint8Array())).toBe('ef46db3751d8e999');
  expect(etagOf(new TextEncoder().encode('a'))).toBe('d24ec4f1a98c6e5b');
  expect(etagOf(new TextEncoder().encode('abc'))).toBe('44bc2cf5ad770999');
});

it('covers every byte, of any size', () => {
  const bytes = new Uint8Array(3_000_000);
  const before = etagOf(bytes);
  bytes[2_999_999] = 1;
  expect(etagOf(bytes)).not.toBe(before);
  expect(etagOf(bytes)).toMatch(/^[0-9a-f]{16}$/);
});
