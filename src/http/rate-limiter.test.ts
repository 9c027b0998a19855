import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

describe('RateLimiter', () => {
  it('lets a minute’s worth pass at once, then as they flow in', () => {
    let now = 0;
    const limiter = new RateLimiter(60, () => now);
    for (let n = 0; n < 60; n++) expect(limiter.take('a')).toBe(0);
    expect(limiter.take('a')).toBe(1);
    expect(limiter.take('b')).toBe(0);
    now = 999;
    expect(limiter.take('a')).toBe(1);
    now = 1001;
    expect(limiter.take('a')).toBe(0);
    expect(limiter.take('a')).toBe(1);
  });

  it('says how long to wait when few are allowed', () => {
    let now = 0;
    const limiter = new RateLimiter(2, () => now);
    limiter.take('a');
    limiter.take('a');
    expect(limiter.take('a')).toBe(30);
    now = 30_000;
    expect(limiter.take('a')).toBe(0);
  });

  it('never saves up more than a minute’s worth', () => {
    let now = 0;
    const limiter = new RateLimiter(3, () => now);
    limiter.take('a');
    now = 3_600_000;
    const passed = Array.from({ length: 10 }, () => limiter.take('a')).filter((wait) => wait === 0);
    expect(passed).toHaveLength(3);
  });

  it('has no limit at 0, and forgets the one used longest ago when there are too many', () => {
    const open = new RateLimiter(0);
    expect(Array.from({ length: 1000 }, () => open.take('a')).every((wait) => wait === 0)).toBe(true);
    const small = new RateLimiter(1, () => 0, 2);
    small.take('a');
    small.take('b');
    small.take('c');
    expect(small.take('c')).toBeGreaterThan(0);
    expect(small.take('a')).toBe(0);
  });
});
