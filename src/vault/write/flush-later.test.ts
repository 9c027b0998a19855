import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { LecternError } from '../../errors.ts';
import { openJournal } from '../../journal/sqlite/journal.ts';
import type { Store } from '../../stores/store.ts';

const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open) await vault.close();
  for (const vault of open.splice(0)) discard(vault);
});

const tool = 'test';
const REFERRERS = 300;
const FILES = {
  'Hub.md': 'hub\n',
  ...Object.fromEntries(
    Array.from({ length: REFERRERS }, (_, at) => [`F${at % 3}/${at}.md`, `[[Hub]] ${at}\n`]),
  ),
};

async function vaultWith(wrap: (store: Store) => Partial<Store>): Promise<TestVault> {
  const vault = await openTestVault(FILES, { wrap: (store) => ({ ...store, ...wrap(store) }) });
  open.push(vault);
  await vault.vault.indexed();
  return vault;
}

/** Steps of the newest write that the journal holds as done. */
function stepsDone({ state }: TestVault): number {
  const journal = openJournal(join(state, 'journal.db'));
  const [group] = journal.pending();
  journal.close();
  return group?.steps.filter((step) => step.state === 'done').length ?? 0;
}

test('no step of a large write is told to be done before its folder is flushed', async () => {
  let replaced = 0;
  let flushed = 0;
  let opened: TestVault | undefined;
  const vault = await vaultWith((store) => ({
    batch: () => {
      const batch = store.batch?.();
      if (batch === undefined) throw new Error('A folder replaces many files together.');
      return {
        replace: async (path, bytes, options) => {
          const entry = await batch.replace(path, bytes, options);
          replaced++;
          return entry;
        },
        settle: async () => {
          const before = replaced;
          // The move itself is flushed by its own step.
          if (opened) expect(stepsDone(opened)).toBeLessThanOrEqual(flushed + 1);
          await batch.settle();
          flushed = before;
        },
      };
    },
  }));
  opened = vault;
  await vault.session.move('Hub.md', 'Sub/Center.md', { tool });
  expect(replaced).toBe(REFERRERS);
  expect(flushed).toBe(REFERRERS);
});

test('a write whose folders cannot be flushed is taken back', async () => {
  let failures = 1;
  const vault = await vaultWith((store) => ({
    batch: () => {
      const batch = store.batch?.();
      if (batch === undefined) throw new Error('A folder replaces many files together.');
      return {
        ...batch,
        settle: async () => {
          await batch.settle();
          if (failures-- > 0) throw new LecternError('unavailable', 'The drive does not answer.');
        },
      };
    },
  }));
  await expect(vault.session.move('Hub.md', 'Sub/Center.md', { tool })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The drive does not answer.',
  });
  expect(vault.files()).toEqual(FILES);
});
