import { expect, test } from 'vitest';
import { openJournal } from './journal.ts';

const actor = { kind: 'mcp', name: 'claude', session: 's1' };
const bytes = (text: string) => new TextEncoder().encode(text);

test('a group is pending until finished, and keeps the bytes it replaced but not the new ones', async () => {
  const journal = openJournal(':memory:');
  const group = await journal.begin({
    tool: 'note_patch',
    actor,
    summary: 'edit a.md',
    steps: [
      {
        action: 'replace',
        path: 'a.md',
        beforeEtag: '1',
        afterEtag: '2',
        before: bytes('old'),
        after: bytes('new'),
      },
    ],
  });
  expect(journal.pending().map(({ id }) => id)).toEqual([group.id]);
  const step = group.steps[0];
  expect(step && Buffer.from(journal.after(step.id) ?? []).toString()).toBe('new');
  journal.finish(group.id, [{ stepId: step?.id ?? 0, state: 'done' }]);
  expect(journal.pending()).toEqual([]);
  expect(journal.group(group.id)?.state).toBe('done');
  expect(step && Buffer.from(journal.before(step.id) ?? []).toString()).toBe('old');
  expect(step && journal.after(step.id)).toBeUndefined();
});

test('a group none of whose steps reached the store has failed and leaves no history', async () => {
  const journal = openJournal(':memory:');
  const group = await journal.begin({
    tool: 't',
    actor,
    summary: '',
    steps: [{ action: 'create', path: 'a.md' }],
  });
  journal.finish(group.id, [{ stepId: group.steps[0]?.id ?? 0, state: 'failed' }]);
  expect(journal.group(group.id)?.state).toBe('failed');
  expect(journal.history({ limit: 10 }).total).toBe(0);
});

test('history filters before it counts, and names with wildcards are plain', async () => {
  let now = 1000;
  const journal = openJournal(':memory:', () => now++);
  for (const path of ['a_b.md', 'axb.md', 'secret/x.md', 'a_b.md']) {
    const group = await journal.begin({
      tool: 't',
      actor,
      summary: path,
      steps: [{ action: 'create', path }],
    });
    journal.finish(group.id, [{ stepId: group.steps[0]?.id ?? 0, state: 'done' }]);
  }
  expect(journal.history({ limit: 1, path: 'a_b.md' })).toMatchObject({ total: 2, groups: [{ id: 4 }] });
  expect(journal.history({ limit: 1, path: 'a_b.md', beforeId: 4 })).toMatchObject({
    total: 2,
    groups: [{ id: 1 }],
  });
  const visible = (path: string) => !path.startsWith('secret/');
  expect(journal.history({ limit: 10, visible })).toMatchObject({ total: 3 });
  expect(journal.history({ limit: 10, since: 1003 }).total).toBe(1);
  expect(journal.history({ limit: 10, session: 'other' }).total).toBe(0);
});

test('pruning drops the oldest beyond age and size but never an open group', async () => {
  let now = 0;
  const journal = openJournal(':memory:', () => now);
  const noise = (seed: number) =>
    Uint8Array.from({ length: 4000 }, (_, at) => (at * 7919 * (seed + 3)) % 251);
  const write = async (time: number, finish: boolean) => {
    now = time;
    const group = await journal.begin({
      tool: 't',
      actor,
      summary: '',
      steps: [{ action: 'replace', path: 'a.md', before: noise(time) }],
    });
    const outcome = { stepId: group.steps[0]?.id ?? 0, state: 'done' } as const;
    if (finish) journal.finish(group.id, [outcome]);
    else journal.record([outcome]);
    return group.id;
  };
  const open = await write(1, false);
  const old = await write(2, true);
  const recent = await write(1000, true);
  now = 1001;
  await journal.prune({ maxAgeMs: 500, maxBytes: 1e9 });
  expect([open, old, recent].map((id) => journal.group(id)?.state)).toEqual(['pending', undefined, 'done']);
  await journal.prune({ maxAgeMs: 5000, maxBytes: 1 });
  expect(journal.group(recent)).toBeUndefined();
  expect(journal.group(open)?.state).toBe('pending');
});

test('an answer is remembered under its key for a while', () => {
  let now = 0;
  const journal = openJournal(':memory:', () => now);
  journal.remember('k', { inputHash: 'h', answer: '{}' });
  now = 50;
  expect(journal.recall('k', 60)).toEqual({ inputHash: 'h', answer: '{}' });
  expect(journal.recall('k', 50)).toBeUndefined();
});

test('undone and redone writes always have the state their effect has', async () => {
  const journal = openJournal(':memory:');
  const write = async (undoes: readonly number[], state: 'done' | 'failed' = 'done') => {
    const steps = [{ action: 'create', path: 'a.md' }] as const;
    const group = await journal.begin({ tool: 't', actor, summary: '', undoes, steps });
    journal.finish(group.id, [{ stepId: group.steps[0]?.id ?? 0, state }]);
    return group.id;
  };
  const states = (...ids: number[]) => ids.map((id) => journal.group(id)?.state);
  const a = await write([]);
  const b = await write([]);
  const undo = await write([b, a]);
  expect(states(a, b, undo)).toEqual(['undone', 'undone', 'done']);
  expect(journal.group(undo)?.undoes).toEqual([b, a]);
  const redo = await write([undo]);
  expect(states(a, b, undo, redo)).toEqual(['done', 'done', 'undone', 'done']);
  await write([redo]);
  expect(states(a, b, undo, redo)).toEqual(['undone', 'undone', 'done', 'undone']);
  await write([undo], 'failed');
  expect(states(a, b, undo)).toEqual(['undone', 'undone', 'done']);
});
