import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../../errors.ts';
import { modelFolder } from './model-folder.testing.ts';
import { parseSafetensorsHeader, SafetensorsFile } from './safetensors.ts';
import { safetensorsBytes, withHeader } from './safetensors-bytes.testing.ts';

const open = (bytes: Uint8Array) =>
  SafetensorsFile.open(join(modelFolder({ 'm.safetensors': bytes }), 'm.safetensors'));

const two = () =>
  safetensorsBytes({
    odd: { dtype: 'I8', shape: [3], data: Int8Array.of(1, -2, 3) },
    floats: { dtype: 'F32', shape: [2, 2], data: Float32Array.of(1, 2, 3, -4.5) },
  });

const entry = (over: object) => ({ dtype: 'F32', shape: [1], data_offsets: [0, 4], ...over });

describe('SafetensorsFile', () => {
  it('lists tensors and reads them, also where they are not aligned in the file', async () => {
    const file = await open(two());
    expect([...file.tensors.keys()]).toEqual(['odd', 'floats']);
    const { data, shape, dtype } = await file.read('floats');
    expect({ shape, dtype, values: [...new Float32Array(data)] }).toEqual({
      shape: [2, 2],
      dtype: 'F32',
      values: [1, 2, 3, -4.5],
    });
    expect([...new Int8Array((await file.read('odd')).data)]).toEqual([1, -2, 3]);
    await file.close();
  });

  it('refuses a file cut short anywhere, and one with more bytes', async () => {
    const whole = two();
    for (let length = 0; length < whole.length; length += 1)
      await expect(open(whole.subarray(0, length)), `${length} bytes`).rejects.toMatchObject({
        code: 'invalid_input',
      });
    await expect(open(Buffer.concat([whole, Buffer.of(0)]))).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('refuses a header that claims to be huge without making room for it', async () => {
    const bytes = Buffer.from(two());
    bytes.writeBigUInt64LE(2n ** 62n);
    await expect(open(bytes)).rejects.toThrow(/too large/);
  });

  it('reads a tensor of an unknown type only when asked, and says so', async () => {
    const bytes = withHeader({ a: { dtype: 'F8_E4M3', shape: [2], data_offsets: [0, 2] } }, Buffer.alloc(2));
    const file = await open(bytes);
    await expect(file.read('a')).rejects.toThrow(/F8_E4M3/);
    await expect(file.read('b')).rejects.toThrow(/no tensor "b"/);
    await file.close();
  });
});

describe('parseSafetensorsHeader', () => {
  const parse = (header: unknown, dataBytes: number) =>
    parseSafetensorsHeader(
      Buffer.from(typeof header === 'string' ? header : JSON.stringify(header)),
      dataBytes,
    );

  it.each<[string, unknown, number]>([
    ['no JSON', '{', 0],
    ['a list', '[]', 0],
    ['null', 'null', 0],
    ['an entry that is no object', { a: 1 }, 0],
    ['null as an entry', { a: null }, 0],
    ['a type that is no text', { a: entry({ dtype: 4 }) }, 4],
    ['a negative size', { a: entry({ shape: [-1] }) }, 4],
    ['a broken size', { a: entry({ shape: [0.5] }) }, 4],
    ['sizes whose product overflows', { a: entry({ shape: [2 ** 31, 2 ** 31, 2 ** 31] }) }, 4],
    ['too many dimensions', { a: entry({ shape: new Array(9).fill(1) }) }, 4],
    ['another number of bytes than the shape says', { a: entry({ shape: [2] }) }, 4],
    ['an end before the start', { a: entry({ data_offsets: [4, 0] }) }, 4],
    ['one offset', { a: entry({ data_offsets: [4] }) }, 4],
    ['offsets outside the file', { a: entry({ data_offsets: [4, 8] }) }, 4],
    ['a gap', { a: entry({}), b: entry({ data_offsets: [8, 12] }) }, 12],
    ['an overlap', { a: entry({}), b: entry({ data_offsets: [0, 4] }) }, 4],
    ['data that belongs to nothing', { a: entry({}) }, 8],
  ])('refuses %s', (_, header, dataBytes) => {
    expect(() => parse(header, dataBytes)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('takes padding after the header, empty tensors and scalars', () => {
    const header = { empty: entry({ shape: [0, 4], data_offsets: [0, 0] }), scalar: entry({ shape: [] }) };
    expect([...parse(`${JSON.stringify(header)}   `, 4).keys()]).toEqual(['empty', 'scalar']);
  });

  it('answers any header with tensors inside the data or with invalid_input', () => {
    const size = fc.oneof(fc.nat(8), fc.integer(), fc.double());
    const described = fc.record({
      dtype: fc.constantFrom('F32', 'I8', 'F16', 'X'),
      shape: fc.array(size, { maxLength: 3 }),
      data_offsets: fc.array(size, { maxLength: 3 }),
    });
    const header = fc.dictionary(fc.string({ maxLength: 3 }), fc.oneof(described, fc.jsonValue()), {
      maxKeys: 3,
    });
    fc.assert(
      fc.property(header, fc.nat(16), (json, dataBytes) => {
        try {
          for (const { begin, end } of parse(json, dataBytes).values())
            expect(begin >= 0 && begin <= end && end <= dataBytes).toBe(true);
        } catch (error) {
          if (!isLecternError(error)) throw error;
        }
      }),
    );
  });
});
