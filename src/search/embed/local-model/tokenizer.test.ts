import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pacer } from '../../pacer.ts';
import { modelFolder, tinyTokenizer, VOCABULARY } from './model-folder.testing.ts';
import { openTokenizer } from './tokenizer.ts';

const pacer = (signal?: AbortSignal) => new Pacer(Number.POSITIVE_INFINITY, signal);

const open = (json: object, config?: object) =>
  openTokenizer(modelFolder({ 'tokenizer.json': json, ...(config && { 'tokenizer_config.json': config }) }));

const bare = { version: '1.0', added_tokens: [], normalizer: null, post_processor: null, decoder: null };

const unigram = {
  ...bare,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  model: {
    type: 'Unigram',
    unk_id: 0,
    vocab: [
      ['<unk>', 0],
      ['▁garden', -2],
      ['▁gar', -3],
      ['den', -3],
      ['庭', -4],
      ['▁', -5],
    ],
  },
};

const bytePairs = {
  ...bare,
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  model: {
    type: 'BPE',
    unk_token: null,
    vocab: { a: 0, b: 1, Ġ: 2, ab: 3, Ġab: 4 },
    merges: ['a b', 'Ġ ab'],
  },
};

describe('openTokenizer', () => {
  it('reads WordPiece: what belongs around a text, what is unknown, and how many there are', async () => {
    const tokenizer = await open(tinyTokenizer());
    expect(tokenizer).toMatchObject({ unknown: 1, size: VOCABULARY.length, prefix: [2], suffix: [3] });
    expect(await tokenizer.encode('Gardens, SOIL', 10, pacer())).toEqual([4, 8, 1, 5]);
    expect(await tokenizer.encode('soil '.repeat(100), 3, pacer())).toEqual([5, 5, 5]);
    expect(await tokenizer.encode('', 3, pacer())).toEqual([]);
  });

  it('reads Unigram', async () => {
    const tokenizer = await open(unigram);
    expect(tokenizer).toMatchObject({ unknown: 0, size: 6, prefix: [], suffix: [] });
    expect(await tokenizer.encode('garden 庭', 10, pacer())).toEqual([1, 5, 4]);
  });

  it('reads BPE, and cuts long texts so that no token changes', async () => {
    const tokenizer = await open(bytePairs);
    expect(tokenizer.unknown).toBeUndefined();
    expect(await tokenizer.encode('ab ab', 10, pacer())).toEqual([3, 4]);
    const long = await tokenizer.encode(Array.from({ length: 500 }, () => 'ab').join(' '), 1000, pacer());
    expect(long).toEqual([3, ...Array.from({ length: 499 }, () => 4)]);
  });

  it('takes time that grows with the length alone, also without spaces', async () => {
    const tokenizer = await open(unigram);
    const time = async (length: number) => {
      const start = process.cpuUsage();
      await tokenizer.encode('庭'.repeat(length), length, pacer());
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    await time(4_000);
    // Sixteen times the text: the square would be 256 times the work.
    expect(await time(64_000)).toBeLessThan(60 * (await time(4_000)) + 50_000);
  });

  it.each<[string, object]>([
    ['WordPiece', tinyTokenizer()],
    ['Unigram', unigram],
    ['BPE', bytePairs],
  ])('takes any text, broken characters included: %s', async (_, json) => {
    const tokenizer = await open(json);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.nat(0xffff), { maxLength: 600 }).map((units) => String.fromCharCode(...units)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (whole) => {
        const ids = await tokenizer.encode(whole, 100, pacer());
        expect(ids.length).toBeLessThanOrEqual(100);
        for (const id of ids) expect(id >= 0 && id < tokenizer.size).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('stops between pieces when told to', async () => {
    const tokenizer = await open(unigram);
    const encoding = tokenizer.encode('庭'.repeat(1000), 1000, pacer(AbortSignal.abort()));
    await expect(encoding).rejects.toMatchObject({ name: 'AbortError' });
  });
});
