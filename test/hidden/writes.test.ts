import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { Access, type AccessRules } from '../../src/vault/access.ts';
import type { VaultSession } from '../../src/vault/session.ts';
import { damageBetween, seeVault } from '../support/link-oracle.ts';
import { ACTOR } from '../support/test-vault.ts';
import { Arbitrary, ask, expectSame, type Question } from './compare.ts';
import { namesOf, PAGED, questionsAbout } from './questions.ts';
import { anyHidden, anyStep, type Given, type Hidden, type Step, WRITES } from './steps.ts';
import {
  anyFiles,
  anyFolderRule,
  anyMark,
  anyNamesakes,
  anyReadRule,
  type Files,
  MARKS,
  type TwoWorlds,
  twoWorlds,
  type World,
} from './vaults.ts';

/**
 * Writes behind rules, one after the other, with the owner at work on hidden notes in between: every answer, every
 * byte that can be seen and all that can be asked afterwards is as in a vault without the hidden notes. And the
 * links of the hidden notes lead where they led.
 */

it('is tried with every operation that writes', () => {
  const writes = OPERATIONS.filter(({ effects }) => effects !== 'reads').map(({ name }) => name);
  expect(Object.keys(WRITES).sort()).toEqual(writes.sort());
});

const anyWriteRule = fc
  .constantFrom<string[]>([], [], [], [], ['Open'], ['**/Plan.md'])
  .map((deny) => ({ allow: [], deny }));

/** Names that meet across the border of what is hidden; now and then names and rules of every kind. */
const anyVault = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(anyNamesakes, rulesOf(anyFolderRule)) },
  { weight: 1, arbitrary: fc.tuple(anyFiles, rulesOf(anyReadRule)) },
);

function rulesOf(read: fc.Arbitrary<AccessRules['read']>): fc.Arbitrary<AccessRules> {
  return fc.record({ readOnly: fc.constant(false), read, write: anyWriteRule });
}

it('a vault behind rules takes writes like one without the hidden files', async () => {
  const steps = fc.array(fc.tuple(anyStep, anyHidden), { minLength: 2, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(anyVault, fc.boolean(), anyMark, steps, async ([files, rules], byGrant, mark, all) => {
      const worlds = await twoWorlds(files, rules, { byGrant, mark });
      // Where the rules are the owner's, nobody on this server sees more.
      const taken = all.map(([step, hidden]) => [step, byGrant ? hidden : undefined] as const);
      try {
        await new Comparison(worlds, rules, mark === MARKS.obsidian).run(taken, files);
      } finally {
        await worlds.close();
      }
    }),
    {
      // A slice: `npm run test:long` draws thirty times as many.
      numRuns: Number(process.env.LECTERN_RUNS ?? 5),
      seed: Number(process.env.LECTERN_SEED ?? 20261127),
      endOnFailure: true,
    },
  );
}, 300_000);

interface Side {
  readonly world: World;
  readonly arbitrary: Arbitrary;
  readonly given: Given;
  /** Changes as they were told: the last state of each file. */
  readonly heard: Map<string, string | undefined>;
}

/** The same writes in both worlds, compared one by one. */
class Comparison {
  readonly #worlds: TwoWorlds;
  readonly #sides: readonly Side[];
  readonly #owner: VaultSession;
  readonly #isObsidian: boolean;
  readonly #isProtected: (path: string) => boolean;
  #done: unknown[] = [];
  /** The last write, with the hidden files as they were before and after it. */
  #last: { readonly write: unknown; readonly before: Files; readonly after: Files } | undefined;

  /** @param isObsidian the oracle of links reads by Obsidian's rules */
  constructor(worlds: TwoWorlds, rules: AccessRules, isObsidian: boolean) {
    this.#worlds = worlds;
    this.#isObsidian = isObsidian;
    const access = new Access([rules]);
    this.#isProtected = (path) => access.isProtected(path);
    this.#owner = worlds.behind.vault.session({ ...ACTOR, session: 'owner' });
    this.#sides = [worlds.behind, worlds.without].map((world) => {
      const heard = new Map<string, string | undefined>();
      world.narrow.watch((changes) => {
        for (const { path, kind, etag } of changes) heard.set(path, kind === 'removed' ? 'removed' : etag);
      });
      return { world, arbitrary: new Arbitrary(), given: { writes: [], trash: [], paths: [] }, heard };
    });
  }

  /** @param between what the owner does to hidden notes before each step */
  async run(steps: readonly (readonly [Step, Hidden | undefined])[], files: Files): Promise<void> {
    const points = await this.#each(async ({ narrow }) => (await narrow.changesSince(undefined, 1)).next.id);
    for (const [step, between] of steps) {
      await between?.(this.#owner, Object.keys(this.#hidden()));
      await this.#take(step);
      const [behind, without] = await this.#each(async (world) => world.files());
      expect(this.#seen(behind ?? {}), this.#what()).toEqual(this.#seen(without ?? {}));
    }
    const paths = namesOf([...Object.keys(files), ...Object.keys(this.#worlds.behind.files())]);
    for (const question of [...questionsAbout(paths), ...PAGED])
      await this.#same(({ narrow }) => ask(narrow, question), JSON.stringify(question));
    const changes = await this.#each(
      async ({ narrow }, at) => (await narrow.changesSince(points[at], 500)).changes,
    );
    // What one write does to several notes is seen in any order.
    const [told, toldWithout] = changes.map((all) =>
      all.map(({ path, removed, etag }) => [path, removed, etag]).sort(),
    );
    expect(told, this.#what()).toEqual(toldWithout);
    for (const all of changes) expect(all.map(({ number }) => number)).toEqual(all.map((_, at) => at + 1));
    const [one, other] = this.#sides;
    await expect.poll(() => one?.heard, { message: this.#what() }).toEqual(other?.heard);
  }

  async #take(step: Step): Promise<void> {
    const paths = Object.keys(this.#seen(this.#worlds.without.files())).sort();
    const inputs = this.#sides.map(({ given }) => {
      given.paths = paths;
      return step.input(given);
    });
    if (inputs[0] === undefined) return;
    this.#done.push([step.operation, inputs[0]]);
    // Lists are ordered by time: two writes must not share a millisecond.
    for (const last = Date.now(); Date.now() <= last; ) await nextTurn();
    const before = this.#worlds.behind.files();
    const outputs: Record<string, unknown>[] = [];
    await this.#same(async ({ narrow }, at) => {
      const answer = await ask(narrow, [step.operation, inputs[at] ?? {}]);
      outputs[at] = (answer as { output?: Record<string, unknown> }).output ?? {};
      return answer;
    }, 'the last of these');
    for (const [at, { write_id: write, trash_path: trash }] of outputs.entries()) {
      if (typeof write === 'number') this.#sides[at]?.given.writes.push(write);
      if (typeof trash === 'string') this.#sides[at]?.given.trash.push(trash);
    }
    const [output = {}] = outputs;
    if (output.write_id === undefined) return;
    this.#checkLinks(step.operation, inputs[0], output, before);
    this.#checkUndo(step.operation, inputs[0], before);
    this.#last = { write: output.write_id, before: this.#hidden(before), after: this.#hidden() };
  }

  /** Links in hidden notes lead where they led. */
  #checkLinks(operation: string, input: Question[1], output: Record<string, unknown>, before: Files): void {
    if (!this.#isObsidian || !FOLLOWED.has(operation) || input.update_links === false) return;
    const moved = new Map(
      ((output.moved ?? []) as { from: string; to: string }[]).map(({ from, to }) => [from, to]),
    );
    const damage = damageBetween(
      seeVault(new Map(Object.entries(before))),
      seeVault(new Map(Object.entries(this.#worlds.behind.files()))),
      (path) => moved.get(path) ?? path,
    );
    const hidden = Object.keys(this.#hidden(before)).filter((path) => !this.#isProtected(path));
    const theirs = damage
      .filter((line) => hidden.some((path) => line.startsWith(`${path}:`)))
      // The heading that a link names may follow; for the oracle it is no part of the link.
      .filter((line) => {
        const text = before[line.slice(0, line.indexOf(':'))] ?? '';
        return !line.endsWith('bytes outside links changed') || !/\[\[[^\]]*#/.test(text);
      });
    expect(theirs, this.#what()).toEqual([]);
  }

  /** What follows a write, follows its undo. */
  #checkUndo(operation: string, input: Question[1], before: Files): void {
    const last = this.#last;
    if (operation !== 'note_undo' || last === undefined || input.write_id !== last.write) return;
    if (JSON.stringify(this.#hidden(before)) !== JSON.stringify(last.after)) return;
    expect(this.#hidden(), this.#what()).toEqual(last.before);
  }

  #hidden(files: Files = this.#worlds.behind.files()): Files {
    return Object.fromEntries(Object.entries(files).filter(([path]) => !this.#worlds.isSeen(path)));
  }

  #seen(files: Files): Files {
    return Object.fromEntries(Object.entries(files).filter(([path]) => this.#worlds.isSeen(path)));
  }

  async #each<T>(work: (world: World, at: number) => Promise<T>): Promise<T[]> {
    const results: T[] = [];
    for (const [at, { world }] of this.#sides.entries()) results.push(await work(world, at));
    return results;
  }

  async #same(work: (world: World, at: number) => Promise<unknown>, what: string): Promise<void> {
    const [one, other] = await this.#each(work);
    const [first, second] = this.#sides.map(({ arbitrary }) => arbitrary);
    if (first && second) expectSame([one, first], [other, second], `${what} of ${this.#what()}`);
  }

  #what(): string {
    return this.#done.map((each) => JSON.stringify(each)).join('\n');
  }
}

/** Writes after which other notes' links have to be right. */
const FOLLOWED: ReadonlySet<string> = new Set(['note_write', 'note_move', 'note_patch', 'trash_restore']);
