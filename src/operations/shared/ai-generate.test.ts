import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ScriptedAssistant } from '../../../test/ai/scripted-assistant.ts';
import { type Place, sourceOf } from '../../ai/grounding/source.ts';
import { batchesOf, fitting } from './ai-generate.ts';
import { passageTokens } from './ai-request.ts';

const ASKED = {
  operation: 'test',
  promptVersion: '1',
  task: 'Say what the notes say.',
  language: undefined,
  maxTokens: 600,
  seed: undefined,
  cache: 'off',
  streams: false,
  supportedOnly: false,
} as const;
/** A model whose requests have room for a few hundred tokens of passages. */
const small = () => new ScriptedAssistant(() => '', 2048);

function wholeNote(path: string, text: string): Place {
  const source = sourceOf({ path, title: path, etag: '1', parsed: { text, headings: [] } });
  return { source, start: 0, end: text.length };
}

const textOf = ({ source, start, end }: Place) => source.text.slice(start, end);
const visible = (text: string) => text.replace(/\s+/g, '');

it('a passage that is larger than a request is split, not left out', () => {
  const text = '会議の記録。船の帆は白い。'.repeat(110);
  const [first = []] = batchesOf(small(), ASKED, [wholeNote('記録.md', text)]);
  expect(first.length).toBeGreaterThan(0);
  expect(fitting(small(), ASKED, [wholeNote('記録.md', text)])).toEqual(first);
});

/** Texts of many tokens, most of which do not fit into one request. */
const passages = fc
  .array(
    fc.array(fc.constantFrom('語', '帆', '😀', 'é', ' ', '\n', 'word '), {
      minLength: 200,
      maxLength: 1500,
      size: 'max',
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((texts) => texts.map((units, at) => wholeNote(`${at}.md`, units.join(''))));

it('every character of the passages is sent, whole, in requests that hold it', () => {
  fc.assert(
    fc.property(passages, (given) => {
      const assistant = small();
      const batches = batchesOf(assistant, ASKED, given);
      expect(visible(batches.flat().map(textOf).join(''))).toBe(visible(given.map(textOf).join('')));
      for (const batch of batches)
        expect(batch.reduce((sum, place) => sum + passageTokens(assistant, place), 0)).toBeLessThan(
          2048 - 600,
        );
      for (const piece of batches.flat()) expect(textOf(piece)).not.toMatch(/\p{Surrogate}/u);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});
