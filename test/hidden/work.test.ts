import { expect, it } from 'vitest';
import { OPEN_ACCESS } from '../../src/vault/access.ts';
import { countingStore, type StoreCalls } from '../support/counting-store.ts';
import { ask } from './compare.ts';
import { namesOf, questionsAbout } from './questions.ts';
import { twoWorlds } from './vaults.ts';

/**
 * How much is done for an answer, which its time tells: the files a hidden note lies in are looked at no more than
 * where there is none. (Milliseconds cannot be compared on a machine with other work.)
 */
it('no read looks at more files because of what is hidden', async () => {
  const files = {
    'Home.md': '[[Diary]] [[Plan]] alpha\n',
    'Open/Plan.md': '[[Home]] [[Secret/Diary]] #hidden alpha\n',
    'Secret/Diary.md': '[[Home]] [[Plan]] #hidden alpha quokka\n',
    'Secret/Plan.md': '[[Home]] alpha\n',
    'Secret/Deep/Home.md': '[[Home]] alpha\n',
  };
  const counted: StoreCalls[] = [];
  const wrap = (store: Parameters<typeof countingStore>[0]) => {
    const calls: StoreCalls = {};
    counted.push(calls);
    return countingStore(store, calls);
  };
  const worlds = await twoWorlds(files, { ...OPEN_ACCESS, read: { allow: [], deny: ['Secret'] } }, { wrap });
  const callsOf = async (at: number, work: () => Promise<unknown>): Promise<StoreCalls> => {
    const calls = counted[at] ?? {};
    for (const name of Object.keys(calls)) delete calls[name];
    await work();
    return { ...calls };
  };
  try {
    for (const question of questionsAbout(namesOf(Object.keys(files)))) {
      const [behind, without] = [worlds.behind, worlds.without];
      expect(await callsOf(0, () => ask(behind.narrow, question)), JSON.stringify(question)).toEqual(
        await callsOf(1, () => ask(without.narrow, question)),
      );
    }
  } finally {
    await worlds.close();
  }
});
