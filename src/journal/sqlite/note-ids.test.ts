import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '../../sqlite/driver.ts';
import type { Journal, PlannedStep, StepAction } from '../journal.ts';
import { openJournal } from './journal.ts';
import { idsFollow } from './note-ids.ts';
import { prepareSchema } from './schema.ts';

const actor = { kind: 'mcp', name: 'claude', session: 's1' };
const HEX = { name: 'joplin', reusable: false };
const SLUGS = { name: 'inklings', reusable: true };

/** Records one write with all its steps done. */
async function written(
  journal: Journal,
  steps: readonly PlannedStep[],
  { undoes, trashPath }: { undoes?: readonly number[]; trashPath?: string } = {},
): Promise<number> {
  const group = await journal.begin({
    tool: 't',
    actor,
    summary: '',
    steps,
    ...(undoes && { undoes }),
  });
  const outcomes = group.steps.map(({ id }) => ({ stepId: id, state: 'done' as const, trashPath }));
  await journal.finish(group.id, outcomes);
  return group.id;
}

/** A clock that advances with every call. */
function journalOf(ids: Record<string, string>): Journal {
  let now = 1;
  const journal = openJournal(':memory:', () => now++);
  journal.ids(HEX).give(new Map(Object.entries(ids)));
  return journal;
}

const idsAt = (journal: Journal, ...paths: string[]) => Object.fromEntries(journal.ids(HEX).known(paths));

test('an id goes along with a move, and what another program left at the target does not come back', async () => {
  const journal = journalOf({ 'a.md': '1', 'b.md': '2' });
  await written(journal, [{ action: 'move', path: 'a.md', toPath: 'b.md' }]);
  expect(idsAt(journal, 'a.md', 'b.md')).toEqual({ 'b.md': '1' });
  expect(journal.ids(HEX).pathOf('1')).toBe('b.md');
  expect(journal.ids(HEX).pathOf('2')).toBeUndefined();
});

test('a folder keeps its id and takes those of what is in it along, and of nothing beside it', async () => {
  const journal = journalOf({
    f: '1',
    'f/a.md': '2',
    'f/g/b.md': '3',
    'f0/a.md': '4',
    'f.md': '5',
    'f-/a.md': '6',
  });
  await written(journal, [{ action: 'move_folder', path: 'f', toPath: 'x/h' }]);
  expect(
    idsAt(journal, 'x/h', 'x/h/a.md', 'x/h/g/b.md', 'f0/a.md', 'f.md', 'f-/a.md', 'f/a.md', 'f'),
  ).toEqual({
    'x/h': '1',
    'x/h/a.md': '2',
    'x/h/g/b.md': '3',
    'f0/a.md': '4',
    'f.md': '5',
    'f-/a.md': '6',
  });
});

test('a deleted note has no place, comes back with its id from the trash, and a new note in its place is another one', async () => {
  const journal = journalOf({ 'a.md': '1' });
  await written(journal, [{ action: 'trash', path: 'a.md' }], { trashPath: '.trash/a.md' });
  expect(journal.ids(HEX).pathOf('1')).toBeUndefined();
  await written(journal, [{ action: 'create', path: 'a.md' }]);
  expect(idsAt(journal, 'a.md')).toEqual({});
  expect(journal.ids(HEX).give(new Map([['a.md', '2']])).size).toBe(0);
  await written(journal, [{ action: 'restore', path: 'b.md', trashPath: '.trash/a.md' }]);
  expect(idsAt(journal, 'a.md', 'b.md')).toEqual({ 'a.md': '2', 'b.md': '1' });
});

test('undo brings the id of the very note back that it brings back, with a trash and without one', async () => {
  const journal = journalOf({ 'a.md': '1' });
  const first = await written(journal, [{ action: 'remove', path: 'a.md' }]);
  await written(journal, [{ action: 'create', path: 'a.md' }]);
  // The id of the second note at this path was never requested.
  const second = await written(journal, [{ action: 'remove', path: 'a.md' }]);
  const back = await written(journal, [{ action: 'restore', path: 'a.md' }], { undoes: [second] });
  expect(idsAt(journal, 'a.md')).toEqual({});
  const away = await written(journal, [{ action: 'trash', path: 'a.md' }], {
    undoes: [back],
    trashPath: '.trash/a.md',
  });
  expect(away).toBeGreaterThan(back);
  await written(journal, [{ action: 'restore', path: 'a.md' }], { undoes: [first] });
  expect(idsAt(journal, 'a.md')).toEqual({ 'a.md': '1' });
});

test('a name in the trash that is used again stands for the note that lies there now', async () => {
  const journal = journalOf({ 'a.md': '1' });
  await written(journal, [{ action: 'trash', path: 'a.md' }], { trashPath: '.trash/a.md' });
  await written(journal, [{ action: 'create', path: 'a.md' }]);
  await written(journal, [{ action: 'trash', path: 'a.md' }], { trashPath: '.trash/a.md' });
  await written(journal, [{ action: 'restore', path: 'a.md', trashPath: '.trash/a.md' }]);
  expect(idsAt(journal, 'a.md')).toEqual({});
});

test('a step that failed moves nothing', async () => {
  const journal = journalOf({ 'a.md': '1' });
  const group = await journal.begin({
    tool: 't',
    actor,
    summary: '',
    steps: [{ action: 'move', path: 'a.md', toPath: 'b.md' }],
  });
  expect(idsAt(journal, 'a.md', 'b.md')).toEqual({ 'a.md': '1' });
  await journal.finish(group.id, [{ stepId: group.steps[0]?.id ?? 0, state: 'failed' }]);
  expect(idsAt(journal, 'a.md', 'b.md')).toEqual({ 'a.md': '1' });
});

test('an id is given once; of kinds that say so again after the deletion, and then not back', async () => {
  const journal = openJournal(':memory:');
  const slugs = journal.ids(SLUGS);
  const hex = journal.ids(HEX);
  for (const ids of [slugs, hex]) {
    expect([...ids.give(new Map([['a.md', 'a']]))]).toEqual([]);
    expect([...ids.give(new Map([['b.md', 'a']]))]).toEqual(['a']);
    // Another caller has given the path an id first.
    expect([...ids.give(new Map([['a.md', 'z']]))]).toEqual([]);
    expect(ids.known(['a.md', 'b.md'])).toEqual(new Map([['a.md', 'a']]));
  }
  await written(journal, [{ action: 'trash', path: 'a.md' }], { trashPath: '.trash/a.md' });
  expect(hex.give(new Map([['b.md', 'a']])).size).toBe(1);
  expect(slugs.give(new Map([['b.md', 'a']])).size).toBe(0);
  await written(journal, [{ action: 'restore', path: 'a.md', trashPath: '.trash/a.md' }]);
  expect(hex.pathOf('a')).toBe('a.md');
  expect(slugs.known(['a.md', 'b.md'])).toEqual(new Map([['b.md', 'a']]));
});

test('an id can be changed to a free one, which then stays', async () => {
  const journal = openJournal(':memory:');
  const slugs = journal.ids(SLUGS);
  slugs.give(
    new Map([
      ['a.md', 'a'],
      ['b.md', 'b'],
    ]),
  );
  expect(slugs.change('a.md', 'b')).toBe(false);
  expect(slugs.change('a.md', 'a')).toBe(true);
  expect(slugs.change('a.md', 'c')).toBe(true);
  expect(slugs.pathOf('a')).toBeUndefined();
  slugs.lost('b.md');
  expect(slugs.change('a.md', 'b')).toBe(true);
  expect(slugs.known(['a.md', 'b.md'])).toEqual(new Map([['a.md', 'b']]));
});

test('ids are those of the journal, whoever opens it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-ids-'));
  try {
    const first = openJournal(join(folder, 'journal.db'));
    const second = openJournal(join(folder, 'journal.db'));
    first.ids(HEX).give(new Map([['a.md', '1']]));
    expect(idsAt(second, 'a.md')).toEqual({ 'a.md': '1' });
    await written(second, [{ action: 'move', path: 'a.md', toPath: 'b.md' }]);
    expect(first.ids(HEX).pathOf('1')).toBe('b.md');
    first.close();
    second.close();
    const later = openJournal(join(folder, 'journal.db'));
    expect(idsAt(later, 'b.md')).toEqual({ 'b.md': '1' });
    later.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A model of the files: names of two letters, each with a unique number. */
const place = fc.constantFrom('a/x.md', 'a/y.md', 'a/b/x.md', 'b/x.md', 'b/y.md', 'c/x.md');
const folder = fc.constantFrom('a', 'a/b', 'b', 'c', 'd');
const deed = fc.oneof(
  fc.record({ do: fc.constant('create' as const), path: place }),
  fc.record({ do: fc.constant('move' as const), path: place, to: place }),
  fc.record({ do: fc.constant('move_folder' as const), path: folder, to: folder }),
  fc.record({ do: fc.constantFrom('trash' as const, 'remove' as const), path: place }),
  fc.record({ do: fc.constantFrom('restore' as const, 'undo' as const), nth: fc.nat(5) }),
  fc.record({ do: fc.constant('by hand' as const), path: place }),
  fc.record({ do: fc.constant('ask' as const), path: place }),
);

test('whatever is done: one note keeps one id, and no two notes ever have the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 30 }), async (deeds) => {
      const journal = journalOf({});
      const ids = journal.ids(HEX);
      const files = new Map<string, number>();
      const idOf = new Map<number, string>();
      const deleted: { note: number; path: string; group: number; trashPath: string | undefined }[] = [];
      let notes = 0;
      let given = 0;
      const ask = (path: string) => {
        const note = files.get(path);
        if (note === undefined) return;
        ids.give(new Map([[path, `id${given++}`]]));
        const id = ids.known([path]).get(path) ?? '';
        expect(id).toBe(idOf.get(note) ?? id);
        for (const [other, theirs] of idOf) if (other !== note) expect(id).not.toBe(theirs);
        idOf.set(note, id);
        expect(ids.pathOf(id)).toBe(path);
      };
      for (const one of deeds) {
        if (one.do === 'create' && !files.has(one.path)) {
          files.set(one.path, notes++);
          await written(journal, [{ action: 'create', path: one.path }]);
        } else if (one.do === 'move' && files.has(one.path) && !files.has(one.to)) {
          files.set(one.to, files.get(one.path) ?? -1);
          files.delete(one.path);
          await written(journal, [{ action: 'move', path: one.path, toPath: one.to }]);
        } else if (one.do === 'move_folder') {
          const inside = [...files].filter(([path]) => path.startsWith(`${one.path}/`));
          const isFree = [...files].every(([path]) => !path.startsWith(`${one.to}/`));
          if (inside.length === 0 || !isFree || one.to.startsWith(one.path)) continue;
          for (const [path] of inside) files.delete(path);
          for (const [path, note] of inside) files.set(one.to + path.slice(one.path.length), note);
          await written(journal, [{ action: 'move_folder', path: one.path, toPath: one.to }]);
        } else if ((one.do === 'trash' || one.do === 'remove') && files.has(one.path)) {
          const taken = new Set(deleted.map(({ trashPath }) => trashPath));
          const name = `.trash/${one.path.split('/').at(-1)}`;
          const trashPath =
            one.do === 'remove' ? undefined : taken.has(name) ? `${name}${notes}-${given}` : name;
          if (trashPath !== undefined && taken.has(trashPath)) continue;
          const group = await written(journal, [{ action: one.do, path: one.path }], {
            ...(trashPath !== undefined && { trashPath }),
          });
          deleted.push({ note: files.get(one.path) ?? -1, path: one.path, group, trashPath });
          files.delete(one.path);
        } else if (one.do === 'restore' || one.do === 'undo') {
          const back = deleted[one.nth];
          if (back === undefined || files.has(back.path)) continue;
          if (one.do === 'restore' && back.trashPath === undefined) continue;
          deleted.splice(one.nth, 1);
          files.set(back.path, back.note);
          const { path, trashPath, group } = back;
          await written(
            journal,
            [{ action: 'restore', path, ...(trashPath !== undefined && { trashPath }) }],
            one.do === 'undo' ? { undoes: [group] } : {},
          );
        } else if (one.do === 'by hand' && files.has(one.path)) {
          // The journal does not learn of it; the next file at this path is recorded.
          files.delete(one.path);
        } else if (one.do === 'ask') ask(one.path);
      }
      for (const path of files.keys()) ask(path);
    }),
    { numRuns: 300 },
  );
});

test('whatever a step does, ids are found by an index: a write of many steps does not go through all of them', () => {
  const database = openDatabase(':memory:');
  prepareSchema(database, (bytes) => bytes);
  const plans = new Map<string, string>();
  const sql = (text: string) => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    plans.set(text, plan.map(({ detail }) => String(detail)).join('; '));
    return database.prepare(text);
  };
  database.exec(
    "INSERT INTO note_id(kind, id, path, time, gone, trash_path) VALUES ('joplin', '1', 'a.md', 1, 7, 't.md')",
  );
  const step = { id: 9, group_id: 3, path: 'a.md', to_path: 'b.md', trash_path: null };
  const actions: readonly StepAction[] = ['create', 'move', 'move_folder', 'trash', 'remove', 'restore'];
  for (const action of actions) idsFollow(sql, { ...step, action }, 1);
  idsFollow(sql, { ...step, action: 'restore', trash_path: 't.md' }, 1);
  expect(database.prepare('SELECT gone, path FROM note_id').get()).toMatchObject({ gone: 0, path: 'a.md' });
  expect([...plans].filter(([, plan]) => /\bSCAN\b/.test(plan))).toEqual([]);
  database.close();
});
