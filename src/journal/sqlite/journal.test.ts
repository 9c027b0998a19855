import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openDatabase } from '../../sqlite/driver.ts';
import type { JournalGroup } from '../journal.ts';
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
  await journal.finish(group.id, [{ stepId: step?.id ?? 0, state: 'done' }]);
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
  await journal.finish(group.id, [{ stepId: group.steps[0]?.id ?? 0, state: 'failed' }]);
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
    await journal.finish(group.id, [{ stepId: group.steps[0]?.id ?? 0, state: 'done' }]);
  }
  expect(journal.history({ limit: 1, path: 'a_b.md' })).toMatchObject({ total: 2, groups: [{ id: 4 }] });
  expect(journal.history({ limit: 1, path: 'a_b.md', beforeId: 4 })).toMatchObject({
    total: 2,
    groups: [{ id: 1 }],
  });
  const visible = ({ steps }: JournalGroup) => steps.every(({ path }) => !path.startsWith('secret/'));
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
    if (finish) await journal.finish(group.id, [outcome]);
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
    await journal.finish(group.id, [{ stepId: group.steps[0]?.id ?? 0, state }]);
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

test('a large group keeps short and long bytes, and is known to another process once it has begun', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-journal-'));
  const path = join(folder, 'journal.db');
  const journal = openJournal(path);
  const other = openJournal(path);
  const contents = Array.from({ length: 300 }, (_, at) =>
    bytes(`note ${at} `.repeat(at % 3 === 0 ? 2000 : 3)),
  );
  const steps = contents.map((before, at) => ({
    action: 'replace' as const,
    path: `${at}.md`,
    before,
    after: bytes(`after ${at}`),
  }));
  const beginning = journal.begin({ tool: 't', actor, summary: 'many', steps });
  expect(other.pending()).toEqual([]);
  const group = await beginning;
  expect(other.pending()).toEqual([group]);
  for (const [at, step] of group.steps.entries()) {
    expect(other.before(step.id)).toEqual(contents[at]);
    expect(other.after(step.id)).toEqual(bytes(`after ${at}`));
  }
  const outcomes = group.steps.map(({ id }) => ({ stepId: id, state: 'done' as const }));
  await Promise.all([journal.finish(group.id, outcomes), journal.flush(), journal.flush()]);
  expect(other.history({ limit: 1 }).groups[0]?.steps.every(({ state }) => state === 'done')).toBe(true);
  expect(group.steps.some(({ id }) => other.after(id) !== undefined)).toBe(false);
  journal.close();
  other.close();
  rmSync(folder, { recursive: true });
});

test('a group that was never wholly noted is no write, and is forgotten after a while', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-journal-'));
  const path = join(folder, 'journal.db');
  let now = 0;
  const journal = openJournal(path, () => now);
  const steps = [{ action: 'create' as const, path: 'a.md' }];
  const { id } = await journal.begin({ tool: 't', actor, summary: 'cut short', steps });
  openDatabase(path).exec("UPDATE write_group SET state = 'planned'");
  expect(journal.pending()).toEqual([]);
  expect(journal.history({ limit: 1 }).total).toBe(0);
  const limits = { maxAgeMs: 1e9, maxBytes: 1e9 };
  now = 60_000;
  expect(await journal.prune({ ...limits, maxBytes: 0 })).toBe(0);
  now = 2 * 3600_000;
  await journal.prune({ ...limits, maxAgeMs: 1 });
  expect(journal.group(id)).toBeUndefined();
  journal.close();
  rmSync(folder, { recursive: true });
});

test('a journal of the first layout is taken over with its bytes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-journal-'));
  const path = join(folder, 'journal.db');
  const old = openDatabase(path);
  old.exec(`
    CREATE TABLE write_group (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, tool TEXT NOT NULL,
      actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, actor_session TEXT NOT NULL, request_id TEXT,
      summary TEXT NOT NULL, state TEXT NOT NULL, bytes INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE step (id INTEGER PRIMARY KEY AUTOINCREMENT, group_id INTEGER NOT NULL, action TEXT NOT NULL,
      path TEXT NOT NULL, to_path TEXT, trash_path TEXT, before_etag TEXT, after_etag TEXT,
      before BLOB, after BLOB, state TEXT NOT NULL);
    INSERT INTO write_group VALUES (1, 5, 't', 'mcp', 'claude', 's1', NULL, 'edit', 'pending', 3);`);
  const insert = old.prepare(
    "INSERT INTO step VALUES (?, 1, 'replace', ?, NULL, NULL, '1', '2', ?, ?, 'pending')",
  );
  insert.run(1, 'a.md', deflateRawSync('old'), deflateRawSync('new'));
  insert.run(2, 'b.md', null, null);
  old.close();
  for (let start = 0; start < 2; start++) {
    const journal = openJournal(path);
    expect(journal.pending()[0]?.steps.map((step) => step.path)).toEqual(['a.md', 'b.md']);
    expect(journal.before(1)).toEqual(bytes('old'));
    expect(journal.after(1)).toEqual(bytes('new'));
    expect(journal.before(2)).toBeUndefined();
    journal.close();
  }
  rmSync(folder, { recursive: true });
});
