import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ACTOR, discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { isLecternError, LecternError } from '../../errors.ts';
import type { AuditRecord } from '../../journal/audit.ts';
import type { Store } from '../../stores/store.ts';
import { type AccessRules, OPEN_ACCESS } from '../access.ts';
import type { VaultSession } from '../session.ts';

/**
 * Links and notes that a caller does not see. Into what the caller sees nothing is written that tells of a hidden
 * note; in what the caller does not see links go on leading where they led, and no answer says so.
 */

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const HIDDEN: AccessRules = { ...OPEN_ACCESS, read: { allow: [], deny: ['Private'] } };
const tool = 'test';

type Files = Record<string, string>;

interface Seen {
  readonly vault: TestVault;
  /** Behind the rules. */
  readonly session: VaultSession;
}

async function vaultOf(files: Files, rules = HIDDEN, wrap?: (store: Store) => Store): Promise<Seen> {
  const vault = await openTestVault(files, wrap && { wrap });
  open.push(vault);
  return { vault, session: vault.vault.session({ ...ACTOR, session: 'narrow' }, [rules]) };
}

const withoutHidden = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('Private/')));

/** Answers with what is arbitrary taken out. */
function plain(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value) => (key === 'writeId' && value !== undefined ? 'a number' : value)),
  );
}

type Write = (session: VaultSession) => Promise<unknown>;

const WRITES: readonly (readonly [string, Files, Write, Files])[] = [
  [
    'a new note of the name that a visible link has: the link is left as it stands',
    { 'N.md': '[[Diary]]\n', 'Private/Therapy/Diary.md': 'x' },
    (session) => session.write('Public/Diary.md', { body: 'x' }, { tool, ifNotExists: true }),
    { 'N.md': '[[Diary]]\n' },
  ],
  [
    'a new note of the name that a hidden link has: it goes on leading to the hidden note',
    { 'Private/N.md': '[[Diary]] [d](Diary.md)\n', 'Private/Therapy/Diary.md': 'x' },
    (session) => session.write('Diary.md', { body: 'x' }, { tool, ifNotExists: true }),
    { 'Private/N.md': '[[Private/Therapy/Diary]] [d](Private/Therapy/Diary.md)\n' },
  ],
  [
    'a new note takes nothing from a visible namesake, hidden ones are no choice',
    { 'N.md': '[[Diary]]\n', 'a/Diary.md': 'x', 'Private/Diary.md': 'x', 'Private/N.md': '[[a/Diary]]\n' },
    (session) => session.write('Diary.md', { body: 'x' }, { tool, ifNotExists: true }),
    { 'N.md': '[[a/Diary]]\n', 'Private/N.md': '[[a/Diary]]\n' },
  ],
  [
    'a move to the name of a hidden note: written as short as if it were not there',
    { 'N.md': '[[A]]\n', 'A.md': 'x', 'Private/Diary.md': 'x', 'Private/N.md': '[[Diary]] [[A]]\n' },
    (session) => session.move('A.md', 'p/Diary.md', { tool }),
    { 'N.md': '[[Diary]]\n', 'Private/N.md': '[[Diary]] [[p/Diary]]\n' },
  ],
  [
    'a note that moves with links to hidden ones: they led nowhere for the caller and stay as they are',
    { 'a/N.md': '[d](../Private/D.md) [[D]] [b](b.md)\n', 'a/b.md': 'x', 'Private/D.md': '[n](../a/N.md)\n' },
    (session) => session.move('a/N.md', 'N.md', { tool }),
    { 'N.md': '[d](../Private/D.md) [[D]] [b](a/b.md)\n', 'Private/D.md': '[n](../N.md)\n' },
  ],
  [
    'a canvas and a property that are hidden follow, too',
    {
      'A.md': 'x',
      'Private/c.canvas':
        '{"nodes":[{"id":"1","type":"file","file":"A.md","x":0,"y":0,"width":1,"height":1}]}',
      'Private/p.md': '---\nup: "[[A]]"\n---\n',
    },
    (session) => session.move('A.md', 'p/B.md', { tool }),
    {
      'Private/c.canvas':
        '{"nodes":[{"id":"1","type":"file","file":"p/B.md","x":0,"y":0,"width":1,"height":1}]}',
      'Private/p.md': '---\nup: "[[B]]"\n---\n',
    },
  ],
  [
    'a renamed heading: visible links by what the caller sees, hidden ones by what there is',
    {
      'T.md': '# Plan\n',
      'N.md': '[[T#Plan]]\n',
      'Private/N.md': '[[T#Plan]] [[Private/T#Plan]]\n',
      'Private/T.md': '# Plan\n',
    },
    (session) => session.patch('T.md', [{ op: 'rename_heading', from: 'Plan', to: 'Aim' }], { tool }),
    { 'N.md': '[[T#Aim]]\n', 'Private/N.md': '[[T#Aim]] [[Private/T#Plan]]\n' },
  ],
  [
    'links that are to be left alone are left alone everywhere',
    { 'A.md': 'x', 'N.md': '[[A]]\n', 'Private/N.md': '[[A]]\n' },
    (session) => session.move('A.md', 'B.md', { tool, updateLinks: false }),
    { 'N.md': '[[A]]\n', 'Private/N.md': '[[A]]\n' },
  ],
  [
    'a tag in a hidden note is nobody’s to rename',
    { 'N.md': '#a\n', 'Private/N.md': '#a\n' },
    (session) => session.renameTag('a', 'b', { tool }),
    { 'N.md': '#b\n', 'Private/N.md': '#a\n' },
  ],
];

test.each(WRITES)('%s', async (_, files, write, right) => {
  const { vault, session } = await vaultOf(files);
  const without = await vaultOf(withoutHidden(files));
  expect(plain(await write(session))).toEqual(plain(await write(without.session)));
  expect(vault.files()).toMatchObject(right);
  expect(withoutHidden(vault.files())).toEqual(without.vault.files());
  const history = async (who: VaultSession) =>
    plain((await who.history({ limit: 9 })).items.map(({ time, ...record }) => record));
  expect(await history(session)).toEqual(await history(without.session));
});

test.each(WRITES)('a trial of it says the same, and changes nothing: %s', async (_, files, write) => {
  const trial = (session: VaultSession): VaultSession => ({
    ...session,
    write: (path, content, options) => session.write(path, content, { ...options, dryRun: true }),
    move: (from, to, options) => session.move(from, to, { ...options, dryRun: true }),
    patch: (path, ops, options) => session.patch(path, ops, { ...options, dryRun: true }),
    renameTag: (from, to, options) => session.renameTag(from, to, { ...options, dryRun: true }),
  });
  const { vault, session } = await vaultOf(files);
  const without = await vaultOf(withoutHidden(files));
  expect(await write(trial(session))).toEqual(await write(trial(without.session)));
  expect(vault.files()).toEqual(files);
});

test.each(WRITES)('undone by the same caller, hidden notes follow back: %s', async (_, files, write) => {
  const { vault, session } = await vaultOf(files);
  const without = await vaultOf(withoutHidden(files));
  const undo = async (who: VaultSession) => {
    const { writeId = -1 } = (await write(who)) as { writeId?: number };
    const { undone, ...undid } = await who.undo({ tool, writeId });
    expect(undone).toEqual([writeId]);
    const again = await who.undo({ tool, writeId }).catch((error: unknown) => error);
    expect(isLecternError(again) ? again.code : again).toBe('invalid_input');
    return plain(undid);
  };
  expect(await undo(session)).toEqual(await undo(without.session));
  expect(withoutHidden(vault.files())).toEqual(withoutHidden(files));
  expect(vault.files()).toEqual(files);
});

test('hidden notes that cannot follow hold nothing up, and are not told of', async () => {
  const files = {
    'A.md': '# h\n# i\n',
    'Private/latin.md': '[[A]]',
    'Private/lost.md': '`x` [[A#h]]\n',
    'Private/shut.md': '[[A#h]]\n',
    'Private/torn.canvas': '{"nodes": [{"file":"A.md"}',
  };
  let shut = true;
  const { vault, session } = await vaultOf(files, HIDDEN, (store) => ({
    ...store,
    async read(path) {
      if (shut && path === 'Private/shut.md') throw new LecternError('unavailable', `No access to ${path}.`);
      return store.read(path);
    },
    // Every replacement by itself.
    batch: undefined,
    async replace(path, bytes, options) {
      if (shut && path.startsWith('Private/')) throw new LecternError('unavailable', `${path} is away.`);
      return store.replace(path, bytes, options);
    },
  }));
  writeFileSync(join(vault.folder, 'Private/latin.md'), Buffer.from('[[A]] caf\xe9', 'latin1'));
  const heading = await session.patch('A.md', [{ op: 'rename_heading', from: 'h', to: 'i' }], { tool });
  expect(heading).toMatchObject({ changed: true, relinked: [], notices: [] });
  const moved = await session.move('A.md', 'x `` y.md', { tool });
  expect(moved).toMatchObject({ links: 0, relinked: [], notices: [] });
  expect(moved.writeId).toBeGreaterThan(0);
  shut = false;
  const undone = await session.undo({ tool, writeId: moved.writeId ?? 0 });
  expect(undone.notes.map(({ path }) => path)).toEqual(['A.md']);
});

test('a hidden note that its owner wrote on since follows an undo all the same', async () => {
  const { vault, session } = await vaultOf({ 'A.md': 'x\n', 'Private/N.md': '[[A]]\n' });
  const moved = await session.move('A.md', 'B.md', { tool });
  writeFileSync(join(vault.folder, 'Private/N.md'), 'written since: [[B]]\n');
  await session.undo({ tool, writeId: moved.writeId ?? 0 });
  expect(vault.files()).toEqual({ 'A.md': 'x\n', 'Private/N.md': 'written since: [[A]]\n' });
});

test('a hidden note saved while a move is under way follows in a write that nobody is told of', async () => {
  const files = { 'A.md': 'x\n', 'N.md': '[[A]]\n', 'Private/N.md': '[[A]]\n' };
  let raced = false;
  const seen = await vaultOf(files, HIDDEN, (store) => ({
    ...store,
    // Every replacement by itself.
    batch: undefined,
    async replace(path, bytes, options) {
      if (path === 'Private/N.md' && !raced) {
        raced = true;
        writeFileSync(join(seen.vault.folder, path), 'saved meanwhile: [[A]]\n');
      }
      return store.replace(path, bytes, options);
    },
  }));
  const moved = await seen.session.move('A.md', 'B.md', { tool });
  expect(moved).toMatchObject({ links: 1, relinked: [{ path: 'N.md', links: 1 }], notices: [] });
  expect(seen.vault.file('Private/N.md')).toBe('saved meanwhile: [[B]]\n');
  expect((await seen.session.history({ limit: 9 })).total).toBe(1);
  expect((await seen.vault.session.history({ limit: 9 })).total).toBe(2);
});

test('what the owner keeps from being written is not written to keep its links right either', async () => {
  const rules = { ...HIDDEN, write: { allow: [], deny: ['Private/Kept'] } };
  const files = { 'A.md': 'x\n', 'Private/N.md': '[[A]]\n', 'Private/Kept/N.md': '[[A]]\n' };
  const { vault, session } = await vaultOf(files, rules);
  await session.move('A.md', 'B.md', { tool });
  expect(vault.files()).toEqual({ 'B.md': 'x\n', 'Private/N.md': '[[B]]\n', 'Private/Kept/N.md': '[[A]]\n' });
});

test('a write of somebody who sees more is told of, and taken back, as far as it can be seen', async () => {
  const files = { 'A.md': '#a [[S]]\n', 'N.md': '#a [[A]]\n', 'Private/S.md': '#a [[A]]\n' };
  const { vault, session } = await vaultOf(files);
  const owner = vault.session;
  await owner.move('A.md', 'B.md', { tool });
  await owner.renameTag('a', 'b', { tool });
  await owner.patch('Private/S.md', [{ op: 'append_body', markdown: 'more' }], { tool });
  await owner.move('Private/S.md', 'Private/T.md', { tool });
  const history = await session.history({ limit: 9 });
  expect(history.total).toBe(2);
  expect(history.items.map(({ summary, paths, files: count }) => [summary, paths, count])).toEqual([
    ['rename tag #a to #b', ['B.md', 'N.md'], 2],
    ['move A.md to B.md', ['A.md', 'B.md', 'N.md'], 3],
  ]);
  expect((await session.history({ limit: 9, path: 'Private/S.md' })).total).toBe(0);
  const [renamed] = history.items;
  const undo = await session.undo({ tool, writeId: renamed?.writeId ?? 0 }).catch((error: unknown) => error);
  // The owner's last move has written in B.md, which is seen.
  expect(undo).toMatchObject({ code: 'conflict' });
  expect(JSON.stringify(undo)).not.toContain('Private');
  const [last] = (await owner.history({ limit: 1 })).items;
  await owner.undo({ tool, writeId: last?.writeId ?? 0 });
  await session.undo({ tool, writeId: renamed?.writeId ?? 0 });
  expect(vault.files()).toEqual({
    'B.md': '#a [[S]]\n',
    'N.md': '#a [[B]]\n',
    'Private/S.md': '#b [[B]]\nmore\n',
  });
});

const SECRETS: AccessRules = { ...OPEN_ACCESS, read: { allow: [], deny: ['**/secret*'] } };

const FOLDERS: readonly (readonly [string, Files, [string, string], Files])[] = [
  [
    'what is hidden in it stays where it is, and links to and from it are right',
    {
      'p/a.md': '[[b]] [s](secret.md)\n',
      'p/sub/b.md': '[a](../a.md)\n',
      'p/secret.md': '[a](a.md) [[p/sub/b]]\n',
      'N.md': '[[p/a]]\n',
    },
    ['p', 'q/r'],
    {
      'q/r/a.md': '[[b]] [s](secret.md)\n',
      'q/r/sub/b.md': '[a](../a.md)\n',
      'p/secret.md': '[a](../q/r/a.md) [[q/r/sub/b]]\n',
      'N.md': '[[q/r/a]]\n',
    },
  ],
  [
    'a folder with nothing in it but what is hidden is free',
    { 'p/a.md': 'x\n', 'q/secret.md': '[[a]]\n', 'q/sub/secret.md': 'x\n' },
    ['p', 'q'],
    { 'q/a.md': 'x\n', 'q/secret.md': '[[a]]\n', 'q/sub/secret.md': 'x\n' },
  ],
  [
    'a folder with anything to see is not',
    { 'p/a.md': 'x\n', 'q/secret.md': 'x\n', 'q/b.md': 'x\n' },
    ['p', 'q'],
    { 'p/a.md': 'x\n', 'q/secret.md': 'x\n', 'q/b.md': 'x\n' },
  ],
  [
    'nothing goes to a place that is hidden',
    { 'p/a.md': 'x\n', 'p/b.md': 'x\n', 'secrets/x.md': 'x\n' },
    ['p', 'secrets'],
    { 'p/a.md': 'x\n', 'p/b.md': 'x\n', 'secrets/x.md': 'x\n' },
  ],
  [
    'a folder that is only spelled otherwise takes all of it along',
    { 'p/a.md': '[s](secret.md)\n', 'p/secret.md': '[a](../p/a.md)\n', 'N.md': '[[p/a]]\n' },
    ['p', 'P'],
    { 'P/a.md': '[s](secret.md)\n', 'P/secret.md': '[a](a.md)\n', 'N.md': '[[P/a]]\n' },
  ],
];

test.each(FOLDERS)('a folder moves: %s', async (_, files, [from, to], right) => {
  const isSeen = (path: string) => !/(?:^|\/)secret/.test(path);
  const seen = (all: Files) => Object.fromEntries(Object.entries(all).filter(([path]) => isSeen(path)));
  const { vault, session } = await vaultOf(files, SECRETS);
  const without = await vaultOf(seen(files), SECRETS);
  const both = async (work: Write): Promise<unknown> => {
    const settled = (who: VaultSession) =>
      work(who).then(plain, (error: LecternError) => [error.code, error.message, error.details, error.next]);
    const answer = await settled(session);
    expect(answer).toEqual(await settled(without.session));
    return answer;
  };
  await both((who) => who.move(from, to, { tool, dryRun: true }));
  await both((who) => who.move(from, to, { tool }));
  expect(vault.files()).toEqual(right);
  expect(without.vault.files()).toEqual(seen(right));
  const history = async (who: VaultSession) => (await who.history({ limit: 9 })).items;
  await both(async (who) => (await history(who)).map(({ time, ...record }) => record));
  await both(async (who) => {
    const [last] = await history(who);
    const { undone, ...undo } = await who.undo({ tool, writeId: last?.writeId ?? 0 });
    return undo;
  });
  expect(vault.files()).toEqual(files);
});

test('a hidden file in the way of a folder or note is told of by the least that can be said', async () => {
  const rules = { ...OPEN_ACCESS, read: { allow: ['**/*.md'], deny: ['**/secret.md'] } };
  const { vault, session } = await vaultOf(
    { 'Open/x': 'hidden', 'Open/y.md/secret.md': 'x', 'A.md': 'x' },
    rules,
  );
  const before = vault.files();
  const ways = (path: string) => [
    session.write(path, { body: 'x' }, { tool }),
    session.move('A.md', path, { tool }),
  ];
  for (const path of ['Open/x/n.md', 'Open/y.md'])
    for (const way of await Promise.allSettled(ways(path))) {
      const { code, message, details } = (way as PromiseRejectedResult).reason as LecternError;
      expect(code, path).toMatch(/^(?:invalid_path|exists)$/);
      expect(JSON.stringify([message, details]).replaceAll(path, '')).not.toMatch(/Open|secret/);
    }
  expect(vault.files()).toEqual(before);
});

test('what lies in the trash has names that tell of nothing else there', async () => {
  const files = { 'x.md': 'seen\n', 'Private/x.md': 'hidden\n', 'Private/y.md': 'hidden\n' };
  const { vault, session } = await vaultOf(files);
  await vault.session.remove('Private/x.md', { tool });
  await vault.session.remove('Private/y.md', { tool });
  // Deleted by another program, which has left no word where it was.
  writeFileSync(join(vault.folder, '.trash/Therapy.md'), 'hidden\n');
  const gone = await session.remove('x.md', { tool });
  expect(gone.trashPath).toMatch(/^\.trash\/\d+\/x\.md$/);
  const trash = await session.trashList({ limit: 9 });
  expect(trash).toMatchObject({ total: 1, items: [{ originalPath: 'x.md', trashPath: gone.trashPath }] });
  const names = ['.trash/x.md', '.trash/x 2.md', '.trash/y.md', '.trash/Therapy.md', '.trash/1/x.md'];
  for (const name of [...names, `${gone.trashPath}x`, `.trash/${'9'.repeat(20)}/x.md`]) {
    const refused = await session.trashRestore(name, 'z.md', { tool }).catch((error: unknown) => error);
    expect(refused, name).toMatchObject({
      code: 'not_found',
      message: `There is no ${name} in the trash.`,
    });
  }
  const both = await Promise.allSettled(
    ['one.md', 'other.md'].map((to) => session.trashRestore(gone.trashPath ?? '', to, { tool })),
  );
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(JSON.stringify(both)).not.toContain('x 2');
  expect(vault.file('one.md') ?? vault.file('other.md')).toBe('seen\n');
  expect((await vault.session.trashList({ limit: 9 })).total).toBe(3);
});

test('numbers of writes neither count nor order', async () => {
  const { vault, session } = await vaultOf({ 'a.md': '1\n', 'Private/p.md': '1\n' });
  const numbers: number[] = [];
  for (let round = 0; round < 12; round++) {
    await vault.session.patch('Private/p.md', [{ op: 'append_body', markdown: `${round}` }], { tool });
    const { writeId = -1 } = await session.patch('a.md', [{ op: 'append_body', markdown: `${round}` }], {
      tool,
    });
    numbers.push(writeId);
  }
  expect(numbers).not.toEqual(numbers.toSorted((a, b) => a - b));
  const { items } = await session.history({ limit: 20 });
  expect(items.map(({ writeId }) => writeId)).toEqual(numbers.toReversed());
  for (let id = 0; id <= 30; id++)
    await expect(session.undo({ tool, writeId: id })).rejects.toMatchObject({ code: 'not_found' });
  expect((await session.undo({ tool, writeId: numbers.at(-1) ?? 0 })).undone).toEqual([numbers.at(-1)]);
});

test('the owner finds in the audit log which visible notes a link to a hidden one no longer leads from', async () => {
  const records: AuditRecord[] = [];
  const audit = { append: (record: AuditRecord) => void records.push(record), flush: async () => {} };
  const files = {
    'N.md': '[[Diary]]\n',
    'M.md': '[[Other]]\n',
    'a/R.md': '[d](../Private/Diary.md)\n',
    'Private/Diary.md': 'x\n',
    'Other.md': 'x\n',
  };
  const vault = await openTestVault(files, { audit });
  open.push(vault);
  const session = vault.vault.session(ACTOR, [HIDDEN]);
  await session.write('Diary.md', { body: 'x' }, { tool });
  await session.move('a/R.md', 'R.md', { tool });
  await session.move('Other.md', 'Another.md', { tool });
  expect(records.map(({ links_turned }) => links_turned)).toEqual([['N.md'], ['R.md'], undefined]);
});
