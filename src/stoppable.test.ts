import { expect, test } from 'vitest';
import { stoppable } from './stoppable.ts';

test('a list that hangs between two items ends with the signal', async () => {
  const part = {
    async *items(): AsyncIterable<number> {
      yield 1;
      await new Promise(() => {});
    },
  };
  const ending = new AbortController();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of stoppable(part, ending.signal).items()) {
      seen.push(item);
      setImmediate(() => ending.abort(new Error('ended')));
    }
  })();
  await expect(reading).rejects.toThrow('ended');
  expect(seen).toEqual([1]);
});
