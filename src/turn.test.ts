import { expect, it } from 'vitest';
import { Turn } from './turn.ts';

function busy(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

it('lets others in between pieces of work, one after the other and side by side', async () => {
  const turn = new Turn();
  let others = 0;
  let isDone = false;
  const other = () => {
    others += 1;
    if (!isDone) setImmediate(other);
  };
  setImmediate(other);
  const row = async () => {
    for (let at = 0; at < 10; at += 1) {
      await turn.mine();
      busy(5);
    }
  };
  await Promise.all([row(), row()]);
  isDone = true;
  // 100 ms of work in turns of at most 8 ms and one piece.
  expect(others).toBeGreaterThan(6);
});

it('does not wait while there is time', async () => {
  const turn = new Turn();
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  for (let at = 0; at < 10; at += 1) await turn.mine();
  expect(isOver).toBe(false);
});
