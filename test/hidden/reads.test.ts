import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { OPEN_ACCESS } from '../../src/vault/access.ts';
import { Arbitrary, ask, expectSame, type Question } from './compare.ts';
import { namesOf, PAGED, questionsAbout, READS } from './questions.ts';
import { anyFiles, anyMark, anyReadRule, openWhole, twoWorlds, type World } from './vaults.ts';

/**
 * What is hidden does not exist: behind rules a vault answers every read as it does without the hidden files,
 * scores, numbers, order, cursors, suggestions and errors included.
 */

it('is asked of every operation that reads', () => {
  const reads = OPERATIONS.filter(({ effects }) => effects === 'reads').map(({ name }) => name);
  expect(Object.keys(READS).sort()).toEqual(reads.sort());
});

it('a vault behind rules answers like one without the hidden files', async () => {
  await fc.assert(
    fc.asyncProperty(anyFiles, anyReadRule, fc.boolean(), anyMark, async (files, read, byGrant, mark) => {
      const worlds = await twoWorlds(files, { ...OPEN_ACCESS, read }, { byGrant, mark });
      const { behind, without } = worlds;
      const arbitrary = [new Arbitrary(), new Arbitrary()] as const;
      const both = async (work: (world: World) => Promise<unknown>, what: string) =>
        expectSame(
          [await work(behind), arbitrary[0]],
          [await work(without), arbitrary[1]],
          `${what} behind ${JSON.stringify(read)}`,
        );
      try {
        for (const question of questionsAbout(namesOf(Object.keys(files))))
          await both(({ narrow }) => ask(narrow, question), JSON.stringify(question));
        for (const question of PAGED)
          await both((world) => allPages(world, question), `all of ${JSON.stringify(question)}`);
        for (const typed of ['', 'S', 'secret', 'h', 'O', '会'])
          await both(({ narrow }) => narrow.complete(typed, 50), `completing ${typed}`);
      } finally {
        await worlds.close();
      }
    }),
    // A slice, as below: `npm run test:long` draws thirty times as many.
    { numRuns: Number(process.env.LECTERN_RUNS ?? 4), seed: 20261127, endOnFailure: true },
  );
}, 240_000);

it('the rules themselves leave no trace either: whoever sees everything of that smaller vault is told the same', async () => {
  await fc.assert(
    fc.asyncProperty(anyFiles, anyReadRule, async (files, read) => {
      const worlds = await twoWorlds(files, { ...OPEN_ACCESS, read });
      const seen = Object.fromEntries(Object.entries(files).filter(([path]) => worlds.isSeen(path)));
      const whole = await openWhole(seen);
      const arbitrary = [new Arbitrary(), new Arbitrary()] as const;
      try {
        for (const question of questionsAbout(namesOf(Object.keys(files)))) {
          // How far the vectors are, and search by meaning by the rules of a caller, is told to nobody else.
          if (question[0] === 'vault_status' || question[1].mode !== undefined) continue;
          expectSame(
            [await ask(worlds.behind.narrow, question), arbitrary[0]],
            [await ask(whole.narrow, question), arbitrary[1]],
            `${JSON.stringify(question)} behind ${JSON.stringify(read)}`,
          );
        }
      } finally {
        await worlds.close();
        await whole.close();
      }
    }),
    { numRuns: Number(process.env.LECTERN_RUNS ?? 2), seed: 20261129, endOnFailure: true },
  );
}, 240_000);

async function allPages({ narrow }: World, [operation, input]: Question): Promise<unknown> {
  const pages: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await ask(narrow, [operation, { ...input, ...(cursor && { cursor }) }]);
    pages.push(page);
    cursor = (page as { output?: { next_cursor?: string | null } }).output?.next_cursor;
  } while (cursor && pages.length < 50);
  return pages;
}
