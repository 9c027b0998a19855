import { afterEach, expect, test } from 'vitest';
import { countingStore, type StoreCalls } from '../../test/support/counting-store.ts';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';

/** How often the store is asked: each question is a round trip where notes lie on a server. */
const open: TestVault[] = [];
afterEach(async () => {
  for (const vault of open.splice(0)) {
    await vault.close();
    discard(vault);
  }
});

const tool = 'test';

async function counted(files: Record<string, string>) {
  const calls: StoreCalls = {};
  const vault = await openTestVault(files, { wrap: (store) => countingStore(store, calls) });
  open.push(vault);
  return {
    vault,
    during: async (work: () => Promise<unknown>) => {
      for (const name of Object.keys(calls)) delete calls[name];
      await work();
      return { ...calls };
    },
  };
}

test('the links of a note are answered from the index: the note itself is looked up, none of their targets', async () => {
  const targets = Array.from({ length: 50 }, (_, at) => `T${at}`);
  const { vault, during } = await counted({
    ...Object.fromEntries(targets.map((name) => [`${name}.md`, '# H\n'])),
    'N.md': targets.map((name) => `[[${name}#H]] [[${name}#^gone]]`).join('\n'),
  });
  const calls = await during(async () => {
    const { items } = await vault.session.forward('N.md', { limit: 200 });
    expect(items).toHaveLength(100);
    expect(items.filter(({ subpathMissing }) => subpathMissing)).toHaveLength(50);
  });
  expect(calls).toEqual({ stat: 1 });
});

test('a new note is looked up once, and its place asked for once', async () => {
  const { vault, during } = await counted({ 'p/a.md': '' });
  const wrote = await during(() => vault.session.write('p/new.md', { body: 'x' }, { tool }));
  expect(wrote).toEqual({ stat: 1, placeFor: 1, create: 1 });
  const replaced = await during(() => vault.session.write('p/a.md', { body: 'x' }, { tool }));
  expect(replaced).toEqual({ stat: 1, read: 1, replace: 1 });
  const patched = await during(() =>
    vault.session.patch('p/a.md', [{ op: 'append_body', markdown: 'y' }], { tool }),
  );
  expect(patched).toEqual({ stat: 1, read: 1, replace: 1 });
});
