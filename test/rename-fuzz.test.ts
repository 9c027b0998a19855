import { afterEach, expect, test } from 'vitest';
import { Random } from './patch/random.ts';
import { generatedVault } from './support/generated-vault.ts';
import { fuzzRenames } from './support/rename-fuzz.ts';
import { discard, openTestVault, type TestVault } from './support/test-vault.ts';

/** The slice of `long/rename-fuzz.test.ts` that needs no real vault. LECTERN_FUZZ_SEED and LECTERN_FUZZ_MOVES widen it. */
const SEED = Number(process.env.LECTERN_FUZZ_SEED ?? 1);
const MOVES = Number(process.env.LECTERN_FUZZ_MOVES ?? 8);

let vault: TestVault | undefined;
afterEach(async () => {
  await vault?.close();
  if (vault) discard(vault);
});

test.each(['shortest', 'relative', 'absolute'])(
  'random moves keep every link of a vault that writes %s links, and are undone to the byte',
  { timeout: 120_000 + MOVES * 2000 },
  async (newLinkFormat) => {
    const random = new Random(SEED);
    vault = await openTestVault({
      ...generatedVault(random, 40),
      '.obsidian/app.json': JSON.stringify({ newLinkFormat }),
    });
    const outcome = await fuzzRenames(vault, random, { moves: MOVES, batch: 1 });
    expect(outcome.moved).toBeGreaterThanOrEqual(MOVES);
    expect(outcome.relinked).toBeGreaterThan(MOVES);
  },
);
