import { describe, expect, it } from 'vitest';
import { cards } from '../../test/catalogues/cards.ts';
import { leaves } from '../../test/catalogues/leaves.ts';
import { OPERATIONS } from '../operations/registry.ts';
import type { CatalogueEntry } from './list.ts';
import { mounted } from './mounted.ts';
import { checkCatalogues, checkSwitches, isServed } from './owner-rules.ts';

const all = [cards, leaves];

describe('switches of tools', () => {
  it.each([['change_card'], ['cards/change_card'], ['*_leaves'], ['leaves/*'], ['*/show_cards']])(
    'are good when a tool has the name or fits the pattern: %s',
    async (name) => {
      await checkSwitches({ on: [name], off: [] }, all);
      await checkSwitches({ on: [], off: [name] }, all);
    },
  );

  it.each([
    ['chnage_card', 'Did you mean change_card?'],
    ['cards/chnage_card', 'Did you mean cards/change_card?'],
    ['leaves/change_card', 'Write a tool as <catalogue>/<tool>, or all of one as <catalogue>/*.'],
    ['nothing/*', 'Write a tool as <catalogue>/<tool>, or all of one as <catalogue>/*.'],
  ])('are refused when there is none: %s', async (name, next) => {
    await expect(checkSwitches({ on: [name], off: [] }, all)).rejects.toMatchObject({
      code: 'invalid_input',
      next,
    });
  });

  it('load no catalogue that is not asked for', async () => {
    const loads: string[] = [];
    const counted = (entry: CatalogueEntry): CatalogueEntry => ({
      ...entry,
      load: () => {
        loads.push(entry.name);
        return entry.load();
      },
    });
    await checkSwitches({ on: ['leaves/*'], off: [] }, all.map(counted));
    await checkSwitches({ on: [], off: [] }, all.map(counted));
    expect(loads).toEqual(['leaves']);
  });

  it('turn on what is off by default, and off what is on, in one catalogue or all', async () => {
    const names = async (on: string[], off: string[], entry = cards) =>
      mounted(await entry.load(), { operations: OPERATIONS, tools: { on, off } }).tools.map(
        ({ name }) => name,
      );
    expect(await names([], [])).toEqual(['show_cards']);
    expect(await names(['change_card'], [])).toEqual(['show_cards', 'change_card']);
    expect(await names(['cards/*'], ['show_cards'])).toEqual(['change_card']);
    expect(await names(['leaves/*'], ['leaves/*'])).toEqual(['show_cards']);
    expect(await names(['change_card'], ['change_card'])).toEqual(['show_cards']);
    expect(await names([], ['leaves/*'], leaves)).toEqual([]);
  });
});

describe('rules about catalogues', () => {
  it('let all in, or those that are named', () => {
    expect(isServed('cards', { allow: [], deny: [] })).toBe(true);
    expect(isServed('cards', { allow: ['leaves'], deny: [] })).toBe(false);
    expect(isServed('cards', { allow: ['*'], deny: ['cards'] })).toBe(false);
  });

  it('name catalogues that there are', () => {
    checkCatalogues({ allow: ['c*'], deny: ['leaves'] }, all);
    expect(() => checkCatalogues({ allow: [], deny: ['leafs'] }, all)).toThrow(
      expect.objectContaining({ code: 'invalid_input', next: 'Did you mean leaves?' }),
    );
  });
});
