import { expect, test } from 'vitest';
import { openJournal } from '../journal/sqlite/journal.ts';
import { inputHash, Replays } from './replay.ts';

const call = (input: unknown, caller = 'a') => ({ tool: 'note_patch', caller, input });

test('equal arguments have one hash, whatever their order', () => {
  expect(inputHash({ a: 1, b: [{ c: 2, d: undefined }] })).toBe(inputHash({ b: [{ c: 2 }], a: 1 }));
  expect(inputHash({ a: '1' })).not.toBe(inputHash({ a: 1 }));
});

test('a key runs its write once: together, later, and after a restart', async () => {
  const journal = openJournal(':memory:');
  const replays = new Replays(() => journal);
  let runs = 0;
  const work = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { runs: ++runs };
  };
  const both = await Promise.all([
    replays.write('k', call({ x: 1 }), work),
    replays.write('k', call({ x: 1 }), work),
  ]);
  expect(both).toEqual([{ runs: 1 }, { runs: 1 }]);
  expect(await new Replays(() => journal).write('k', call({ x: 1 }), work)).toEqual({ runs: 1 });
  expect(await replays.write('k', call({ x: 1 }, 'b'), work)).toEqual({ runs: 2 });
  await expect(replays.write('k', call({ x: 2 }), work)).rejects.toMatchObject({ code: 'invalid_input' });
});

test('every key, tool and caller is its own, whatever letters they are made of', async () => {
  const journal = openJournal(':memory:');
  const names = ['k', 'k2', 'k\0', 'k\0k', '\0', '', 'K', 'k ', '\ud800'];
  const calls = names.flatMap((key) =>
    names.flatMap((tool) => names.map((caller) => ({ key, tool, caller }))),
  );
  const write = (number: number, { key, tool, caller }: (typeof calls)[number]) =>
    new Replays(() => journal).write(key, { tool, caller, input: {} }, async () => number);
  for (const [number, each] of calls.entries()) expect(await write(number, each)).toBe(number);
  for (const [number, each] of calls.entries()) expect(await write(-1, each)).toBe(number);
});

test('a write that failed may be tried again with its key', async () => {
  const journal = openJournal(':memory:');
  const replays = new Replays(() => journal);
  await expect(replays.write('k', call({}), async () => Promise.reject(new Error('disk')))).rejects.toThrow(
    'disk',
  );
  expect(await replays.write('k', call({}), async () => 'done')).toBe('done');
});

test('an identical read is replayed for a minute, unless something changed', async () => {
  let now = 0;
  const replays = new Replays(
    () => openJournal(':memory:'),
    () => now,
  );
  let runs = 0;
  const read = () => replays.read(call({ q: 'x' }), async () => ++runs);
  expect([await read(), await read()]).toEqual([1, 1]);
  replays.changed();
  expect(await read()).toBe(2);
  now = 60_000;
  expect(await read()).toBe(3);
});

test('an answer that its work drops is not kept, and the next complete one is', async () => {
  const replays = new Replays(() => openJournal(':memory:'));
  let runs = 0;
  const read = () =>
    replays.read(call({ q: 'x' }), async (drop) => {
      if (++runs < 3) drop();
      return runs;
    });
  expect([await read(), await read(), await read(), await read()]).toEqual([1, 2, 3, 3]);
});

test('a read is not replayed once what it depends on besides the notes is another', async () => {
  const replays = new Replays(() => openJournal(':memory:'));
  let runs = 0;
  const read = (state: object) => replays.read({ ...call({ q: 'x' }), state }, async () => ++runs);
  const [early, late] = [{}, {}];
  expect([await read(early), await read(early), await read(late), await read(late)]).toEqual([1, 1, 2, 2]);
});

test('who waits for a call that is cancelled or fails goes on by itself', async () => {
  const journal = openJournal(':memory:');
  const replays = new Replays(() => journal);
  for (const reason of [new DOMException('gone', 'AbortError'), new Error('disk')]) {
    let fail: (error: Error) => void = () => {};
    const key = reason.message;
    const first = replays.write(key, call({}), () => new Promise<string>((_, reject) => (fail = reject)));
    const second = replays.write(key, call({}), async () => 'second');
    const third = replays.write(key, call({}), async () => 'third');
    fail(reason);
    await expect(first).rejects.toBe(reason);
    expect([await second, await third]).toEqual(['second', 'second']);
  }
});

test('who waits for another call may leave', async () => {
  const replays = new Replays(() => openJournal(':memory:'));
  const leaving = new AbortController();
  let end: (answer: string) => void = () => {};
  const first = replays.write('k', call({}), () => new Promise<string>((resolve) => (end = resolve)));
  const second = replays.write('k', call({}), async () => 'second', leaving.signal);
  leaving.abort(new Error('left'));
  await expect(second).rejects.toThrow('left');
  end('first');
  expect(await first).toBe('first');
});
