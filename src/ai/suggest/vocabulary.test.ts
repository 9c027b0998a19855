import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tagKey } from '../../notes/structure/tags.ts';
import { enforce, type VocabularyRules } from './vocabulary.ts';

const RULES: VocabularyRules = {
  useExisting: true,
  allowNew: false,
  candidates: [],
  forbid: [],
  maxPerNote: 3,
  minConfidence: 0.2,
};
const known = new Map(
  ['Boat', 'boat/sail', 'work', 'secret', 'secret/plan', 'project/alpha'].map((tag) => [tagKey(tag), tag]),
);

interface Case {
  readonly given: readonly [tag: string, confidence: number][];
  readonly rules?: Partial<VocabularyRules>;
  readonly own?: readonly string[];
  readonly allowed?: readonly string[];
  readonly rejected?: readonly string[];
}

const CASES: Readonly<Record<string, Case>> = {
  'a tag as the vault spells it': { given: [['#boat', 0.9]], allowed: ['Boat'] },
  'nothing that the vault does not have': { given: [['car', 0.9]], rejected: ['car not_in_vocabulary'] },
  'new ones where they are allowed': {
    given: [['car park', 0.9]],
    rules: { allowNew: true },
    allowed: ['car-park (new)'],
  },
  'new ones alone': {
    given: [
      ['car', 0.9],
      ['work', 0.8],
    ],
    rules: { allowNew: true, useExisting: false },
    allowed: ['car (new)'],
    rejected: ['work not_in_vocabulary'],
  },
  'candidates alone': {
    given: [
      ['work', 0.9],
      ['Reef', 0.8],
      ['boat', 0.7],
    ],
    rules: { candidates: ['#reef', 'Boat'] },
    allowed: ['reef (new)', 'Boat'],
    rejected: ['work not_in_vocabulary'],
  },
  'nothing that is forbidden, nor what is below it': {
    given: [
      ['secret', 0.9],
      ['Secret/Plan', 0.8],
      ['work', 0.7],
    ],
    rules: { forbid: ['#secret'] },
    allowed: ['work'],
    rejected: ['secret forbidden', 'secret/plan forbidden'],
  },
  'no forbidden candidate': {
    given: [['reef', 0.9]],
    rules: { candidates: ['reef'], forbid: ['reef'] },
    rejected: ['reef forbidden'],
  },
  'only what is below a namespace': {
    given: [
      ['alpha', 0.9],
      ['project/alpha', 0.8],
      ['beta', 0.7],
    ],
    rules: { namespace: 'project', allowNew: true },
    allowed: ['project/alpha', 'project/beta (new)'],
  },
  'nothing that the note has': { given: [['boat', 0.9]], own: ['BOAT'], rejected: ['Boat has_it'] },
  'nothing unsure': {
    given: [
      ['work', 0.1],
      ['boat', Number.NaN],
    ],
    rejected: ['work low_confidence', 'Boat low_confidence'],
  },
  'no more than asked for, the surest': {
    given: [
      ['work', 0.5],
      ['boat', 0.9],
      ['secret', 0.3],
    ],
    rules: { maxPerNote: 2 },
    allowed: ['Boat', 'work'],
    rejected: ['secret max_per_note'],
  },
  'nothing that is no tag': {
    given: [
      ['2026', 0.9],
      ['', 0.8],
      ['a,b', 0.7],
    ],
    rules: { allowNew: true },
    rejected: ['2026 not_a_tag', ' not_a_tag', 'a,b not_a_tag'],
  },
};

describe('the rules of a vocabulary', () => {
  it.each(Object.entries(CASES))('let through %s', (_case, expected) => {
    const given = expected.given.map(([tag, confidence]) => ({ tag, confidence, because: [] }));
    const { allowed, rejected } = enforce(given, { ...RULES, ...expected.rules }, known, expected.own ?? []);
    expect(allowed.map(({ tag, isNew }) => (isNew ? `${tag} (new)` : tag))).toEqual(expected.allowed ?? []);
    expect(rejected.map(({ tag, reason }) => `${tag} ${reason}`)).toEqual(expected.rejected ?? []);
  });

  it('hold for whatever a model says', () => {
    const tag = fc.oneof(
      fc.constantFrom(...known.values(), 'new', '#new/one', 'Secret/x', '12', 'a b'),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(fc.record({ tag, confidence: fc.double(), because: fc.constant([]) })),
        fc.record({
          useExisting: fc.boolean(),
          allowNew: fc.boolean(),
          candidates: fc.array(tag, { maxLength: 3 }),
          forbid: fc.array(tag, { maxLength: 3 }),
          maxPerNote: fc.integer({ min: 1, max: 5 }),
          minConfidence: fc.double({ min: 0, max: 1, noNaN: true }),
        }),
        (given, rules) => {
          const { allowed } = enforce(given, rules, known, ['work']);
          const keys = allowed.map((each) => tagKey(each.tag));
          expect(new Set(keys).size).toBe(keys.length);
          expect(keys.length).toBeLessThanOrEqual(rules.maxPerNote);
          expect(keys).not.toContain('work');
          for (const { tag: written, isNew, confidence } of allowed) {
            expect(confidence).toBeGreaterThanOrEqual(rules.minConfidence);
            expect(isNew).toBe(!known.has(tagKey(written)));
            expect(written).not.toMatch(/\s|^#/);
            expect(rules.forbid.map((each) => tagKey(each))).not.toContain(tagKey(written));
          }
        },
      ),
      { seed: 20261129, numRuns: 1000 },
    );
  });
});
