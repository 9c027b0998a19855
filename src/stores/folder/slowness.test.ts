import { expect, it } from 'vitest';
import { Slowness } from './slowness.ts';

const times = (count: number, work: () => void) => {
  for (let n = 0; n < count; n++) work();
};

/** @returns how many requests go by way of the background from now on */
function detourOf(slowness: Slowness): number {
  let spared = 0;
  while (slowness.isProven) {
    slowness.spared();
    spared++;
  }
  return spared;
}

it('a slow answer now and then, as on a busy machine, proves nothing', () => {
  const slowness = new Slowness();
  times(100, () => {
    slowness.note(12);
    times(256, () => slowness.note(0.01));
  });
  expect(slowness.isProven).toBe(false);
});

it('slow answers among few prove it, each time for longer, within bounds', () => {
  const slowness = new Slowness();
  const detours = Array.from({ length: 9 }, () => {
    times(3, () => {
      expect(slowness.isProven).toBe(false);
      times(100, () => slowness.note(0.01));
      slowness.note(12);
    });
    return detourOf(slowness);
  });
  expect(detours).toEqual([1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 65_536, 65_536]);
});

it('a drive that was good for long starts over', () => {
  const slowness = new Slowness();
  times(6, () => {
    slowness.note(12);
    detourOf(slowness);
  });
  times(16_384, () => slowness.note(0.01));
  times(3, () => slowness.note(12));
  expect(detourOf(slowness)).toBe(1024);
});
