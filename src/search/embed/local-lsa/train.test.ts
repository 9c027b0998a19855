import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pacer } from '../../pacer.ts';
import { cosine } from '../../semantic/feedback.ts';
import { decodeModel, encodeModel } from './codec.ts';
import { symmetricEigen } from './eigen.ts';
import { foldIn, type LsaModel } from './model.ts';
import { queryTerms, scorePassages } from './score-terms.ts';
import { SparseRowsBuilder } from './sparse.ts';
import { truncatedSvd } from './svd.ts';
import { trainLsa } from './train.ts';

const pacer = () => new Pacer(Number.POSITIVE_INFINITY);

/** Two subjects of 60 words each, which share none: words of a subject meet in some passages, not in all. */
function subjects(): string[] {
  let state = 7;
  const pick = (count: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % count;
  };
  return Array.from({ length: 120 }, (_, i) =>
    Array.from({ length: 12 }, () => `${i % 2 === 0 ? 'car' : 'food'}w${pick(60)}`).join(' '),
  );
}

const embed = (model: LsaModel, text: string) => foldIn(model, model.vocabulary.count(text));

describe('trainLsa', () => {
  it('brings words together that keep the same company', async () => {
    const model = await trainLsa(subjects(), pacer());
    const mean = (left: string, right: string) => {
      let sum = 0;
      for (let i = 0; i < 30; i += 1)
        sum += cosine(embed(model, `${left}w${i}`), embed(model, `${right}w${i + 30}`)) / 30;
      return sum;
    };
    expect(Math.abs(mean('car', 'food'))).toBeLessThan(0.02);
    expect(mean('car', 'car')).toBeGreaterThan(0.05);
    expect(mean('food', 'food')).toBeGreaterThan(0.05);
  });

  it('learns the same from the same', async () => {
    const [a, b] = [await trainLsa(subjects(), pacer()), await trainLsa(subjects(), pacer())];
    expect(encodeModel(a)).toEqual(encodeModel(b));
  });

  it('has no vector for words it never saw', async () => {
    const model = await trainLsa(subjects(), pacer());
    expect(embed(model, 'zeppelin 漢字').every((value) => value === 0)).toBe(true);
  });

  it('learns from scripts without spaces', async () => {
    const passages = subjects().map((_, i) => (i % 2 === 0 ? '数据库索引查询优化' : '烤箱面粉黄油面团'));
    const model = await trainLsa([...passages, ...subjects()], pacer());
    expect(cosine(embed(model, '数据库'), embed(model, '查询'))).toBeGreaterThan(
      cosine(embed(model, '数据库'), embed(model, '面粉')) + 0.5,
    );
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(trainLsa(subjects(), new Pacer(Number.POSITIVE_INFINITY, stop.signal))).rejects.toThrow(
      'stopped',
    );
  });
});

describe('truncatedSvd', () => {
  it('finds the singular values of a matrix with a known spectrum', async () => {
    // Orthogonal rows of lengths 9, 7, 5, 3, 1 have exactly these singular values.
    const lengths = [9, 7, 5, 3, 1];
    const builder = new SparseRowsBuilder();
    lengths.forEach((length, row) => {
      builder.push([row * 2, row * 2 + 1], [length * 0.6, length * 0.8]);
    });
    const { singular, basis, dimensions } = await truncatedSvd(builder.build(10), 4, pacer());
    expect(dimensions).toBe(4);
    [9, 7, 5, 3].forEach((value, at) => {
      expect(singular[at]).toBeCloseTo(value, 3);
    });
    expect(Math.abs(basis[0] ?? 0)).toBeCloseTo(0.6, 3);
    expect(Math.abs(basis[dimensions] ?? 0)).toBeCloseTo(0.8, 3);
  });

  it('gives fewer dimensions for a matrix of low rank', async () => {
    const builder = new SparseRowsBuilder();
    for (let row = 0; row < 30; row += 1) builder.push([0, 1, 2], row % 2 === 0 ? [1, 2, 3] : [3, 2, 1]);
    expect((await truncatedSvd(builder.build(3), 3, pacer())).dimensions).toBe(2);
  });
});

describe('symmetricEigen', () => {
  it('takes a symmetric matrix apart', async () => {
    const size = 6;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 36, maxLength: 36 }),
        async (entries) => {
          const matrix = Float64Array.from(entries, (_, at) => {
            const [i, j] = [Math.floor(at / size), at % size];
            return (entries[i * size + j] ?? 0) + (entries[j * size + i] ?? 0);
          });
          const { values, vectors } = await symmetricEigen(matrix, size, pacer());
          for (let i = 0; i < size; i += 1)
            for (let j = 0; j < size; j += 1) {
              let sum = 0;
              for (let k = 0; k < size; k += 1)
                sum += (values[k] ?? 0) * (vectors[k * size + i] ?? 0) * (vectors[k * size + j] ?? 0);
              expect(sum).toBeCloseTo(matrix[i * size + j] ?? 0, 5);
            }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('the stored model', () => {
  it('comes back as it was', async () => {
    const model = await trainLsa([...subjects(), 'naïve 数据 naïve 数据', 'naïve 数据'], pacer());
    const back = await decodeModel(encodeModel(model), pacer());
    expect(back.vocabulary.terms).toEqual(model.vocabulary.terms);
    expect(embed(back, 'carw1 数据 naïve')).toEqual(embed(model, 'carw1 数据 naïve'));
    expect(encodeModel(back)).toEqual(encodeModel(model));
  });

  it('is refused when it is damaged', async () => {
    const blob = encodeModel(await trainLsa(subjects(), pacer()));
    const damaged = [new Uint8Array(0), Uint8Array.from([1, 2, 3]), blob.slice(0, -1), blob.slice(4)];
    for (const bytes of damaged) await expect(decodeModel(bytes, pacer())).rejects.toThrow('cannot be read');
  });
});

describe('the words of a query', () => {
  it('score the passages of a note as BM25 says, within the vault and within the note', async () => {
    const model = await trainLsa(subjects(), pacer());
    const text = 'carw1 carw1 carw2 foodw3';
    const query = queryTerms(model, 'carw1 carw5');
    const { vocabulary, averageLength } = model;
    const idf = vocabulary.idf(vocabulary.id('carw1') ?? -1);
    const norm = 1.2 * (0.25 + (0.75 * 4) / averageLength);
    const passages = [text, 'foodw1', 'foodw2'];
    const lengths = passages.map((each) => vocabulary.length(each));
    expect(lengths).toEqual([4, 1, 1]);
    const [first, second] = scorePassages(model, query, passages, lengths);
    // One of the note's three passages has the word.
    expect(first).toBeCloseTo((idf * Math.log(1 + 2.5 / 1.5) * 2 * 2.2) / (2 + norm), 5);
    expect(second).toBe(0);
  });

  it('let a word that every passage of a note has count for little', async () => {
    const model = await trainLsa(subjects(), pacer());
    const query = queryTerms(model, 'carw1 carw5');
    const passages = ['carw1 carw1 foodw1', 'carw1 carw5', 'carw1 foodw2', 'carw1 foodw3'];
    const lengths = passages.map((each) => model.vocabulary.length(each));
    const scores = scorePassages(model, query, passages, lengths);
    expect(Math.max(...scores)).toBe(scores[1]);
    expect(scores[1]).toBeGreaterThan(3 * (scores[0] ?? 0));
  });
});
