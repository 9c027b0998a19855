import { describe, expect, it } from 'vitest';
import { modelFolder, staticModelFiles, TABLE, tinyTokenizer, VOCABULARY } from './model-folder.testing.ts';
import { openLocalModel } from './open.ts';
import { safetensorsBytes, type TensorBytes } from './safetensors-bytes.testing.ts';

const FLOATS: TensorBytes = {
  dtype: 'F32',
  shape: [TABLE.length, 2],
  data: Float32Array.from(TABLE.flat()),
};

const withTensors = (tensors: Readonly<Record<string, TensorBytes>>) =>
  modelFolder({ ...staticModelFiles(), 'model.safetensors': safetensorsBytes(tensors) });

async function vectorOf(folder: string, text: string): Promise<number[]> {
  const model = await openLocalModel(folder);
  const [vector] = await model.embed([text], 'passage');
  return [...vector!].map((value) => Math.round(value * 100) / 100);
}

/** The bits of small numbers that both 16-bit formats hold exactly. */
const HALF: Readonly<Record<number, number>> = { 0: 0, 0.5: 0x3800, 1: 0x3c00, 2: 0x4000, 9: 0x4880 };
const brain = (value: number) => (new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0) >>> 16;

describe('a static model', () => {
  it('gives the mean of the tokens, of length 1, and zeros for what it does not know', async () => {
    const model = await openLocalModel(modelFolder(staticModelFiles()), 'tiny');
    expect(model).toMatchObject({ dimensions: 2, kind: 'neural' });
    expect(model.id).toMatch(/^model\/tiny@[0-9a-f]{12}$/);
    const vectors = await model.embed(['Garden soil', 'garden DISK', 'soils', 'quux', ''], 'query');
    const side = Math.SQRT1_2;
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 0],
      [expect.closeTo(1 / Math.sqrt(5), 6), expect.closeTo(2 / Math.sqrt(5), 6)],
      [expect.closeTo(2.5 / Math.hypot(2.5, 0.5), 6), expect.closeTo(0.5 / Math.hypot(2.5, 0.5), 6)],
      [0, 0],
      [0, 0],
    ]);
    const [both] = await model.embed(['garden server quux'], 'passage');
    expect([...both!]).toEqual([expect.closeTo(side, 6), expect.closeTo(side, 6)]);
  });

  it.each<[string, ArrayBufferView]>([
    ['F64', Float64Array.from(TABLE.flat())],
    ['F16', Uint16Array.from(TABLE.flat(), (value) => HALF[value] ?? Number.NaN)],
    ['BF16', Uint16Array.from(TABLE.flat(), brain)],
    ['I8', Int8Array.from(TABLE.flat(), (value) => value * 2)],
  ])('reads a table of %s', async (dtype, data) => {
    const folder = withTensors({ embeddings: { dtype, shape: [TABLE.length, 2], data } });
    expect(await vectorOf(folder, 'soil disk disks')).toEqual(
      await vectorOf(withTensors({ embeddings: FLOATS }), 'soil disk disks'),
    );
  });

  it('weighs tokens and shares rows as the file says', async () => {
    const rows = Float32Array.of(0, 0, 1, 0, 0, 1);
    const mapping = BigInt64Array.from(VOCABULARY, (token) =>
      /garden|soil/.test(token) ? 1n : /server|disk/.test(token) ? 2n : 0n,
    );
    const weights = Float64Array.from(VOCABULARY, (token) => (token === 'disk' ? 3 : 1));
    const folder = withTensors({
      embeddings: { dtype: 'F32', shape: [3, 2], data: rows },
      mapping: { dtype: 'I64', shape: [VOCABULARY.length], data: mapping },
      weights: { dtype: 'F64', shape: [VOCABULARY.length], data: weights },
    });
    expect(await vectorOf(folder, 'soil disk')).toEqual([0.32, 0.95]);
  });

  it('takes the row for unknown words where the model has one', async () => {
    expect(await vectorOf(withTensors({ 'embedding.weight': FLOATS }), 'quux')).toEqual([0.71, 0.71]);
  });

  it.each<[string, Record<string, TensorBytes>, RegExp]>([
    ['a list instead of a table', { embeddings: { ...FLOATS, shape: [TABLE.length * 2] } }, /no table/],
    [
      'whole numbers',
      { embeddings: { dtype: 'I32', shape: [9, 2], data: new Int32Array(18) } },
      /no vectors/,
    ],
    [
      'fewer rows than tokens',
      { embeddings: { dtype: 'F32', shape: [8, 2], data: new Float32Array(16) } },
      /only 8/,
    ],
    [
      'a mapping out of the table',
      {
        embeddings: FLOATS,
        mapping: { dtype: 'I32', shape: [9], data: Int32Array.from(VOCABULARY, () => 9) },
      },
      /outside/,
    ],
    [
      'too few weights',
      { embeddings: FLOATS, weights: { dtype: 'F32', shape: [8], data: new Float32Array(8) } },
      /weights/,
    ],
  ])('refuses %s', async (_, tensors, message) => {
    await expect(openLocalModel(withTensors(tensors))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(message),
    });
  });

  it('refuses vectors of no numbers when it meets them', async () => {
    const data = Float32Array.from(TABLE.flat(), () => Number.NaN);
    await expect(vectorOf(withTensors({ embeddings: { ...FLOATS, data } }), 'soil')).rejects.toThrow(
      /no numbers/,
    );
  });

  it('names another version when a weight changes, and the same one for a copy', async () => {
    const first = await openLocalModel(modelFolder(staticModelFiles()), 'm');
    const again = await openLocalModel(modelFolder(staticModelFiles()), 'm');
    const data = Float32Array.from(TABLE.flat(), (value, at) => (at === 17 ? value + 1 : value));
    const other = await openLocalModel(withTensors({ embeddings: { ...FLOATS, data } }), 'm');
    expect(again.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
  });

  it('stops when told to', async () => {
    const model = await openLocalModel(modelFolder(staticModelFiles()));
    await expect(model.embed(['soil'], 'passage', AbortSignal.abort())).rejects.toThrow(/abort/i);
  });
});

describe('openLocalModel', () => {
  it.each<[string, Record<string, Uint8Array | string | object>, string]>([
    ['an empty folder', {}, 'invalid_input'],
    [
      'weights of a transformer without a graph',
      { ...staticModelFiles(), 'model.safetensors': safetensorsBytes({ 'encoder.layer.0.weight': FLOATS }) },
      'invalid_input',
    ],
    ['no tokenizer', { 'model.safetensors': staticModelFiles()['model.safetensors']! }, 'invalid_input'],
    ['a tokenizer that is no JSON', { ...staticModelFiles(), 'tokenizer.json': '{' }, 'invalid_input'],
    ['a tokenizer of no known kind', { ...staticModelFiles(), 'tokenizer.json': {} }, 'invalid_input'],
    ['a tokenizer of a list', { ...staticModelFiles(), 'tokenizer.json': [] }, 'invalid_input'],
    [
      'a tokenizer that knows more tokens',
      { ...staticModelFiles(), 'tokenizer.json': tinyTokenizer([...VOCABULARY, 'more']) },
      'invalid_input',
    ],
  ])('refuses %s', async (_, files, code) => {
    await expect(openLocalModel(modelFolder(files))).rejects.toMatchObject({ name: 'LecternError', code });
  });

  it('says that a folder is not there', async () => {
    await expect(openLocalModel('/nowhere/at/all')).rejects.toMatchObject({ code: 'not_found' });
  });
});
