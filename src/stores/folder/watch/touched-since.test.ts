import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../../../test/doubles/memory-store.ts';
import type { Store, StoreChange, StoreEntry } from '../../store.ts';
import { scratchVault } from '../scratch-vault.ts';

// Change times are looked at directly on local Linux drives only; elsewhere the store says that it does not know.
const isTold = process.platform === 'linux';

/** The change times of files count from 3 s before the time asked for. */
const BEFORE_MS = 3000;

async function versions(store: Store): Promise<Map<string, StoreEntry>> {
  return new Map((await store.list()).entries.map((entry) => [entry.path, entry]));
}

/** A drive that is slow for a moment, on a busy machine, is not asked directly for the next 1024 requests. */
async function touched(
  store: Store,
  time: number,
  known: ReadonlyMap<string, StoreEntry>,
): Promise<readonly StoreChange[]> {
  for (;;) {
    const changes = await store.touchedSince?.(time, known);
    if (changes !== undefined) return changes;
    await store.list();
  }
}

/** A time behind every change so far, by the clock of the drive. */
async function tick(root: string): Promise<number> {
  const place = join(root, '.clock');
  const touch = () => {
    fs.writeFileSync(place, '');
    return fs.statSync(place).ctimeMs;
  };
  const first = touch();
  let now = first;
  while (now === first) now = touch();
  fs.rmSync(place);
  while (touch() === now);
  fs.rmSync(place);
  return now + BEFORE_MS + 0.001;
}

function isCovered(path: string, changes: readonly StoreChange[]): boolean {
  return changes.some(
    (change) =>
      change.path === path ||
      (change.kind !== 'changed' && (change.path === '' || path.startsWith(`${change.path}/`))),
  );
}

const PATHS = ['a.md', 'b.md', 'd/a.md', 'd/b.md', 'd/e/a.md', 'f/a.md', 'f/e/b.md', 'p.png'];
const FOLDERS = ['d', 'd/e', 'f', 'g'];

type Operation = (root: string) => void;
const quietly = (work: () => void) => {
  try {
    work();
  } catch {
    // What is not there cannot be changed.
  }
};
const path = fc.constantFrom(...PATHS);
const folder = fc.constantFrom(...FOLDERS);
/** What editors, sync programs and people do to files. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  path.map(
    (to): Operation =>
      (root) => {
        fs.mkdirSync(dirname(join(root, to)), { recursive: true });
        fs.writeFileSync(join(root, to), `${Math.random()}`);
      },
  ),
  path.map(
    (to): Operation =>
      (root) => {
        const before = fs.statSync(join(root, to));
        fs.writeFileSync(join(root, to), 'same size?');
        fs.utimesSync(join(root, to), before.atime, before.mtime);
      },
  ),
  path.map(
    (to): Operation =>
      (root) => {
        fs.writeFileSync(join(root, `${to}.tmp`), 'by rename');
        fs.renameSync(join(root, `${to}.tmp`), join(root, to));
      },
  ),
  path.map(
    (to): Operation =>
      (root) =>
        fs.rmSync(join(root, to)),
  ),
  fc.tuple(path, path).map(
    ([from, to]): Operation =>
      (root) =>
        fs.renameSync(join(root, from), join(root, to)),
  ),
  fc.tuple(folder, folder).map(
    ([from, to]): Operation =>
      (root) =>
        fs.renameSync(join(root, from), join(root, to)),
  ),
  fc.tuple(folder, folder).map(
    ([one, other]): Operation =>
      (root) => {
        fs.renameSync(join(root, one), join(root, 'swap'));
        fs.renameSync(join(root, other), join(root, one));
        fs.renameSync(join(root, 'swap'), join(root, other));
      },
  ),
  folder.map(
    (gone): Operation =>
      (root) =>
        fs.rmSync(join(root, gone), { recursive: true }),
  ),
  folder.map(
    (made): Operation =>
      (root) =>
        fs.mkdirSync(join(root, made), { recursive: true }),
  ),
);

describe.runIf(isTold)('what changed since a time', () => {
  test('covers whatever a listing would find', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 6 }), { maxLength: 3 }), async (rounds) => {
        const { root, store } = await scratchVault(
          Object.fromEntries(PATHS.map((one) => [one, 'same size!'])),
        );
        let known = await versions(store);
        for (const operations of rounds) {
          const time = await tick(root);
          for (const operate of operations) quietly(() => operate(root));
          const changes = await touched(store, time, known);
          const now = await versions(store);
          for (const one of new Set([...known.keys(), ...now.keys()]))
            if (known.get(one)?.version !== now.get(one)?.version)
              expect(isCovered(one, changes), `${one} in ${JSON.stringify(changes)}`).toBe(true);
          known = now;
        }
      }),
      { numRuns: 60 },
    );
  });

  test('names nothing else, and nothing of what happened before', async () => {
    const { root, store } = await scratchVault({ 'a.md': 'a', 'd/b.md': 'b', 'd/e/c.md': 'c' });
    fs.mkdirSync(join(root, 'empty'));
    const known = await versions(store);
    const time = await tick(root);
    expect(await touched(store, time, known)).toEqual([]);
    fs.writeFileSync(join(root, 'd/b.md'), 'B');
    fs.writeFileSync(join(root, 'd/new.md'), 'n');
    fs.mkdirSync(join(root, 'empty/.hidden'));
    fs.mkdirSync(join(root, 'd/made'));
    fs.rmSync(join(root, 'a.md'));
    const changes = await touched(store, time, known);
    expect([...changes].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { kind: 'removed', path: 'a.md' },
      { kind: 'changed', path: 'd/b.md' },
      { kind: 'rescan', path: 'd/made' },
      { kind: 'changed', path: 'd/new.md' },
    ]);
  });

  test('is not known of a vault that is gone', async () => {
    const { root, store } = await scratchVault({ 'a.md': 'a' });
    const known = await versions(store);
    fs.renameSync(root, `${root} away`);
    expect(await store.touchedSince?.(Date.now(), known)).toBeUndefined();
    fs.renameSync(`${root} away`, root);
  });
});

test('a store that cannot tell says so by having no answer', () => {
  expect(openMemoryStore().touchedSince).toBeUndefined();
});
