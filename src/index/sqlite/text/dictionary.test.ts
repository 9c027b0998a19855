import { expect, test } from 'vitest';
import { trainDictionary } from './dictionary.ts';
import { Packer } from './pack.ts';

const texts = Array.from({ length: 200 }, (_, at) =>
  new TextEncoder().encode(
    `---\ncreated: 2026-0${1 + (at % 9)}-1${at % 10}\nstatus: open\ntags: [project/garden]\n---\n# Note ${at}\n\n` +
      `What was said about ${(at * 7919).toString(36)} in the weekly meeting of the garden group.\n`.repeat(
        3,
      ),
  ),
);

const packedBytes = (dictionary: Uint8Array) => {
  const packer = new Packer(dictionary);
  return texts.reduce((sum, text) => sum + (packer.pack(text) ?? text).length, 0);
};

test('a dictionary of some texts makes all of them smaller, and is no longer than it may be', () => {
  const dictionary = trainDictionary(texts.slice(0, 50), 2000);
  expect(dictionary.length).toBeGreaterThan(0);
  expect(dictionary.length).toBeLessThanOrEqual(2000);
  expect(packedBytes(dictionary)).toBeLessThan(packedBytes(new Uint8Array(0)) / 2);
});

test('texts that share nothing make none', () => {
  const alone = [new TextEncoder().encode('abcdefghijklmnopqrstuvwxyz'.repeat(4))];
  expect(trainDictionary(alone)).toHaveLength(0);
  expect(trainDictionary([])).toHaveLength(0);
});
