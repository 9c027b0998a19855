import { createHmac } from 'node:crypto';

const HALF_BITS = 20;
const HALF = 2 ** HALF_BITS;
const ROUNDS = 6;

/**
 * A keyed permutation of the numbers below 2^40 (a Feistel network), so that sequential numbers can be given
 * out without revealing count or order to anyone without the key. Short enough to type.
 *
 * @param use each use has its own permutation
 * @returns undefined when the number is out of range
 */
export function scramble(secret: Uint8Array, use: string, value: number): number | undefined {
  return permute(value, [...rounds(secret, use)]);
}

/** The inverse of {@link scramble}. */
export function unscramble(secret: Uint8Array, use: string, value: number): number | undefined {
  // The same network with rounds and halves reversed.
  const turned = isInRange(value) ? swap(value) : undefined;
  const back = turned === undefined ? undefined : permute(turned, [...rounds(secret, use)].reverse());
  return back === undefined ? undefined : swap(back);
}

type Round = (half: number) => number;

function* rounds(secret: Uint8Array, use: string): Generator<Round> {
  for (let round = 0; round < ROUNDS; round += 1)
    yield (half) =>
      createHmac('sha256', secret).update(`${use} ${round} ${half}`).digest().readUInt32BE(0) % HALF;
}

function permute(value: number, all: readonly Round[]): number | undefined {
  if (!isInRange(value)) return undefined;
  let left = Math.floor(value / HALF);
  let right = value % HALF;
  for (const round of all) [left, right] = [right, (left ^ round(right)) >>> 0];
  return left * HALF + right;
}

function swap(value: number): number {
  return (value % HALF) * HALF + Math.floor(value / HALF);
}

function isInRange(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value < HALF * HALF;
}
