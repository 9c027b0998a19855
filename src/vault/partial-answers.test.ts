import { afterEach, expect, test, vi } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { parseInput } from '../operations/call/input.ts';
import { runOperation } from '../operations/call/run.ts';
import { vaultSearch } from '../operations/vault-search.ts';

const LONG_MS = 60_000;
const notes = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`N${at}.md`, `---\nstate: open\n---\ncrane ${at}\n`]),
);

let vault: TestVault | undefined;

afterEach(async () => {
  vi.restoreAllMocks();
  await vault?.close();
  if (vault) discard(vault);
  vault = undefined;
});

test.each([
  ['obsidian', '[state:open]'],
  ['obsidian', 'line:crane'],
  ['joplin', '/crane'],
])('a search in the language of %s, %s, that ran out of time is made again, then kept', async (syntax, q) => {
  let late = 0;
  let isSlow = true;
  let asked = 0;
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + late);
  vault = await openTestVault(notes, {
    wrapReader: (reader) =>
      new Proxy(reader, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...given: unknown[]) => {
            asked++;
            // Whatever is asked of the index takes longer than the whole search may.
            if (isSlow) late += LONG_MS;
            return value.apply(target, given);
          };
        },
      }),
  });
  const { session } = vault;
  const search = async () => {
    const before = asked;
    const input = parseInput(vaultSearch, { q, syntax, mode: 'lexical' });
    const { total } = await runOperation(vaultSearch, session, input, {
      signal: new AbortController().signal,
      progress: () => {},
    });
    return { total, hasAsked: asked > before };
  };
  const { total } = await search();
  expect(total).toBeLessThan(300);
  expect((await search()).hasAsked).toBe(true);
  isSlow = false;
  expect(await search()).toEqual({ total: 300, hasAsked: true });
  expect(await search()).toEqual({ total: 300, hasAsked: false });
});
