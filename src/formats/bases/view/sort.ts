import type { Pacing } from './pacing.ts';

/** Number of rows that are sorted without a pause. */
const SLICE = 1000;

/** A stable merge sort that yields to other work. The given list is not changed. */
export async function sortedInSlices<T>(
  list: readonly T[],
  compare: (one: T, other: T) => number,
  pacing: Pacing,
): Promise<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < list.length; at += SLICE) {
    runs.push(list.slice(at, at + SLICE).sort(compare));
    if (pacing.isDue()) await pacing.pause();
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(await merged(runs[at] ?? [], runs[at + 1] ?? [], compare, pacing));
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists; equal items of the first list come first. */
async function merged<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
  pacing: Pacing,
): Promise<readonly T[]> {
  const whole: T[] = [];
  let [at, beside] = [0, 0];
  while (at < first.length && beside < second.length) {
    const [one, other] = [first[at] as T, second[beside] as T];
    if (compare(one, other) <= 0) {
      whole.push(one);
      at++;
    } else {
      whole.push(other);
      beside++;
    }
    if (whole.length % SLICE === 0 && pacing.isDue()) await pacing.pause();
  }
  for (; at < first.length; at++) whole.push(first[at] as T);
  for (; beside < second.length; beside++) whole.push(second[beside] as T);
  return whole;
}
