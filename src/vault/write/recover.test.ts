import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ACTOR, discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import type { PlannedStep } from '../../journal/journal.ts';
import { openJournal } from '../../journal/sqlite/journal.ts';
import { etagOf } from '../../notes/etag.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open) await vault.close();
  for (const vault of open.splice(0)) discard(vault);
});

const tool = 'test';
const bytes = (text: string) => new TextEncoder().encode(text);

/** A closed vault whose journal holds a group that a crash left open. */
async function crashed(
  files: Record<string, string>,
  steps: readonly PlannedStep[],
): Promise<{ folder: string; state: string; groupId: number }> {
  const vault = await openTestVault(files);
  await vault.close();
  const journal = openJournal(join(vault.state, 'journal.db'));
  const { id } = await journal.begin({ tool, actor: ACTOR, summary: 'cut short', steps });
  journal.close();
  return { folder: vault.folder, state: vault.state, groupId: id };
}

async function reopen(place: { folder: string; state: string }): Promise<TestVault> {
  const vault = await openTestVault({}, { reopen: place });
  open.push(vault);
  return vault;
}

function groupState(vault: TestVault, id: number) {
  const journal = openJournal(join(vault.state, 'journal.db'));
  const group = journal.group(id);
  journal.close();
  return group && { state: group.state, steps: group.steps.map(({ state }) => state) };
}

const replace = (path: string, from: string, to: string): PlannedStep => ({
  action: 'replace',
  path,
  beforeEtag: etagOf(bytes(from)),
  afterEtag: etagOf(bytes(to)),
  before: bytes(from),
  after: bytes(to),
});

const FILES = { 'a.md': 'a\n', 'b.md': '[[a]]\n', 'c.md': '[[a]] c\n' };
const MOVE: readonly PlannedStep[] = [
  { action: 'move', path: 'a.md', toPath: 'z.md', beforeEtag: etagOf(bytes('a\n')) },
  replace('b.md', '[[a]]\n', '[[z]]\n'),
  replace('c.md', '[[a]] c\n', '[[z]] c\n'),
];

test('a crash before the first byte counts as not done', async () => {
  const place = await crashed(FILES, MOVE);
  const vault = await reopen(place);
  expect(vault.files()).toEqual(FILES);
  expect(groupState(vault, place.groupId)).toEqual({
    state: 'failed',
    steps: ['failed', 'failed', 'failed'],
  });
  expect((await vault.session.history({ limit: 5 })).total).toBe(0);
});

test('a move whose file has both names is finished, with its links, and can be undone', async () => {
  const place = await crashed(FILES, MOVE);
  linkSync(join(place.folder, 'a.md'), join(place.folder, 'z.md'));
  const vault = await reopen(place);
  expect(vault.files()).toEqual({ 'b.md': '[[z]]\n', 'c.md': '[[z]] c\n', 'z.md': 'a\n' });
  await vault.session.undo({ tool, writeId: place.groupId });
  expect(vault.files()).toEqual(FILES);
});

test('another file at the destination is not taken for the moved one', async () => {
  const place = await crashed(FILES, MOVE);
  writeFileSync(join(place.folder, 'z.md'), 'a\n');
  const vault = await reopen(place);
  expect(vault.files()).toEqual({ ...FILES, 'z.md': 'a\n' });
});

test('a move cut in the middle is finished; a note changed since is left to its author', async () => {
  const place = await crashed(FILES, MOVE);
  rmSync(join(place.folder, 'a.md'));
  writeFileSync(join(place.folder, 'z.md'), 'a\n');
  writeFileSync(join(place.folder, 'b.md'), '[[z]] mine\n');
  const vault = await reopen(place);
  expect(vault.files()).toEqual({ 'b.md': '[[z]] mine\n', 'c.md': '[[z]] c\n', 'z.md': 'a\n' });
  expect(groupState(vault, place.groupId)).toEqual({ state: 'done', steps: ['done', 'failed', 'done'] });
});

const DELETION: readonly PlannedStep[] = [
  { action: 'trash', path: 'c.md', beforeEtag: etagOf(bytes('[[a]] c\n')), before: bytes('[[a]] c\n') },
];

test('a deletion whose place in the trash the journal was not told of is found there', async () => {
  const place = await crashed(FILES, DELETION);
  mkdirSync(join(place.folder, '.trash'));
  writeFileSync(join(place.folder, '.trash/c.md'), 'an older one that was called so\n');
  renameSync(join(place.folder, 'c.md'), join(place.folder, '.trash/c 2.md'));
  const vault = await reopen(place);
  expect(vault.file('c.md')).toBeUndefined();
  const { items } = await vault.session.trashList({ limit: 5 });
  expect(items.find(({ trashPath }) => trashPath === '.trash/c 2.md')?.originalPath).toBe('c.md');
  await vault.session.undo({ tool, writeId: place.groupId });
  expect(vault.files()).toEqual(FILES);
});

test('a deletion of which the trash holds two that it may be is undone from the journal', async () => {
  const place = await crashed(FILES, DELETION);
  mkdirSync(join(place.folder, '.trash'));
  linkSync(join(place.folder, 'c.md'), join(place.folder, '.trash/c.md'));
  linkSync(join(place.folder, 'c.md'), join(place.folder, '.trash/c 2.md'));
  rmSync(join(place.folder, 'c.md'));
  const vault = await reopen(place);
  expect(vault.file('c.md')).toBeUndefined();
  await vault.session.undo({ tool, writeId: place.groupId });
  expect(vault.files()).toEqual(FILES);
  expect(readFileSync(join(place.folder, '.trash/c.md'), 'utf8')).toBe('[[a]] c\n');
});

test('two processes that open at once recover one group once', async () => {
  const place = await crashed(FILES, MOVE);
  linkSync(join(place.folder, 'a.md'), join(place.folder, 'z.md'));
  const [one, two] = await Promise.all([reopen(place), reopen(place)]);
  expect(one.files()).toEqual({ 'b.md': '[[z]]\n', 'c.md': '[[z]] c\n', 'z.md': 'a\n' });
  expect(groupState(two, place.groupId)).toEqual({ state: 'done', steps: ['done', 'done', 'done'] });
});

test('a process that lives on finishes what another one left, before its own next write', async () => {
  const vault = await openTestVault(FILES);
  open.push(vault);
  const other = openJournal(join(vault.state, 'journal.db'));
  const { id } = await other.begin({ tool, actor: ACTOR, summary: 'cut short', steps: MOVE });
  other.close();
  linkSync(join(vault.folder, 'a.md'), join(vault.folder, 'z.md'));
  await vault.session.patch('b.md', [{ op: 'append_body', markdown: 'more' }], { tool });
  expect(vault.files()).toEqual({ 'b.md': '[[z]]\nmore\n', 'c.md': '[[z]] c\n', 'z.md': 'a\n' });
  expect(groupState(vault, id)?.state).toBe('done');
});

test('an undo cut short counts as undone once it is finished', async () => {
  const vault = await openTestVault(FILES);
  const { session } = vault;
  const write = await session.patch('b.md', [{ op: 'append_body', markdown: 'x' }], { tool });
  await vault.close();
  const journal = openJournal(join(vault.state, 'journal.db'));
  const undo = await journal.begin({
    tool,
    actor: ACTOR,
    summary: 'undo',
    undoes: [write.writeId ?? 0],
    steps: [replace('b.md', '[[a]]\nx\n', '[[a]]\n')],
  });
  journal.close();
  writeFileSync(join(vault.folder, 'b.md'), '[[a]]\n');
  const again = await reopen(vault);
  expect(groupState(again, undo.id)?.state).toBe('done');
  expect(groupState(again, write.writeId ?? 0)?.state).toBe('undone');
});
