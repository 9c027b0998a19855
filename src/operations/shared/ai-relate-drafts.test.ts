import { afterAll, describe, expect, it } from 'vitest';
import { discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';
import { Turn } from '../../turn.ts';
import { linkDrafts } from './ai-relate-drafts.ts';

const vaults: TestVault[] = [];
afterAll(async () => {
  for (const vault of vaults) {
    await vault.close();
    discard(vault);
  }
});

async function draftsIn(text: string, titles: readonly string[]) {
  const others = Object.fromEntries(titles.map((title) => [`${title}.md`, 'x\n']));
  const vault = await openTestVault({ 'From.md': text, ...others });
  vaults.push(vault);
  const note = await vault.session.open('From.md');
  const targets = titles.map((title) => ({ path: `${title}.md`, title }));
  return await linkDrafts(vault.session, note, targets, new Turn());
}

describe('drafts of links', () => {
  it('stand at the first mention that is no link, code or address', async () => {
    const [harbour, tides] = await draftsIn(
      '[[Harbour [old]|the harbour]] `harbour` [harbour](x.md) https://a.example/harbour [[harbour]]\n\nThe HARBOUR, harbours.\n',
      ['Harbour', 'Tides'],
    );
    expect(harbour).toMatchObject({ line: 3, old: 'HARBOUR', replacement: '[[Harbour|HARBOUR]]' });
    expect(tides).toMatchObject({ target: 'Tides.md', replacement: '[[Tides]]' });
    expect(tides).not.toHaveProperty('line');
  });

  const hostile: readonly (readonly [string, string])[] = [
    ['brackets of wikilinks', '[['.repeat(200_000)],
    ['brackets in wikilinks', `[[${'[a]'.repeat(100_000)}`],
    ['wikilinks that never end', '[[x[a]'.repeat(70_000)],
    ['beginnings of links', '[a]('.repeat(100_000)],
    ['one bracket after another', '[a '.repeat(130_000)],
    ['backticks', '`` '.repeat(130_000)],
    ['the name in one long word', 'tidestides'.repeat(40_000)],
  ];
  it.each(hostile)('take one look at a note of %s, and let others work meanwhile', async (_what, text) => {
    let last = performance.now();
    let longest = 0;
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const before = process.cpuUsage();
    const drafts = await draftsIn(`${text}\n`, ['tides']);
    const { user, system } = process.cpuUsage(before);
    clearInterval(timer);
    expect(drafts).toHaveLength(1);
    // What was quadratic took 20 s and more; opening the vault is in it, and other threads of the process.
    expect((user + system) / 1000).toBeLessThan(6000);
    expect(longest).toBeLessThan(5000);
  });
});
