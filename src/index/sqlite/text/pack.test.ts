import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../../../scripts/build-wasm.mjs';
import { DICTIONARY_LIMIT, Packer, Unpacker } from './pack.ts';
import { PACK_MODULE } from './pack.wasm.ts';

const NONE = new Uint8Array(0);
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Texts with many near and distant repetitions, and texts without any. */
const texts = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .array(fc.constantFrom('the ', 'note', '\n', '- [ ] ', 'a', 'ab', '日本語', ' and then '), {
      maxLength: 400,
    })
    .map((parts) => bytesOf(parts.join(''))),
  fc
    .record({
      part: fc.uint8Array({ minLength: 1, maxLength: 20 }),
      times: fc.integer({ min: 1, max: 3000 }),
    })
    .map(({ part, times }) =>
      Uint8Array.from({ length: part.length * times }, (_, at) => part[at % part.length] ?? 0),
    ),
);

/** A reference decoder that follows the format described in pack.ts byte by byte. */
function unpackedPlainly(dictionary: Uint8Array, packed: Uint8Array): Uint8Array {
  const out = [...dictionary];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = packed[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const more = (nibble: number): number => {
    let value = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; value += byte) byte = packed[at++] ?? 0;
    return value;
  };
  const length = varint();
  while (at < packed.length) {
    const token = packed[at++] ?? 0;
    for (let left = more(token >>> 4); left > 0; left -= 1) out.push(packed[at++] ?? 0);
    if (at >= packed.length) break;
    const distance = (packed[at++] ?? 0) + 256 * (packed[at++] ?? 0);
    for (let left = more(token & 15) + 4; left > 0; left -= 1) out.push(out[out.length - distance] ?? 0);
  }
  expect(out.length - dictionary.length).toBe(length);
  return Uint8Array.from(out.slice(dictionary.length));
}

describe('packed texts', () => {
  it('come from the module that its source assembles to', async () => {
    expect(PACK_MODULE).toBe(Buffer.from(await assemble('src/index/sqlite/text/pack')).toString('base64'));
  });

  it('unpack to what they were, whatever the dictionary', () => {
    fc.assert(
      fc.property(texts, fc.array(texts, { minLength: 1, maxLength: 5 }), (dictionary, all) => {
        const known = dictionary.subarray(0, DICTIONARY_LIMIT);
        const packer = new Packer(known);
        const unpacker = new Unpacker(known);
        for (const text of all) {
          const packed = packer.pack(text);
          if (packed === undefined) continue;
          expect(packed.length).toBeLessThan(text.length);
          expect(Buffer.compare(unpacker.unpack(packed), text)).toBe(0);
          expect(Buffer.compare(unpackedPlainly(known, packed), text)).toBe(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('take next to nothing for what the dictionary holds', () => {
    const paragraph = bytesOf(
      'Meeting notes of the working group, with the agenda, who was there and what was decided. ',
    );
    const packed = new Packer(paragraph).pack(paragraph);
    expect(packed?.length).toBeLessThan(8);
    expect(new Packer(NONE).pack(paragraph)?.length ?? paragraph.length).toBeGreaterThan(60);
  });

  it('are refused where nothing is saved', () => {
    const noise = createHash('shake256', { outputLength: 5000 }).update('noise').digest();
    expect(new Packer(NONE).pack(noise)).toBeUndefined();
    expect(new Packer(NONE).pack(NONE)).toBeUndefined();
  });

  it('may be of any length, and small ones after large ones', () => {
    const packer = new Packer(bytesOf('some words that are known'));
    const unpacker = new Unpacker(bytesOf('some words that are known'));
    for (const length of [10, 70_000, 3_000_000, 200, 1_200_000, 64]) {
      const text = bytesOf('some words that are known, and others. '.repeat(Math.ceil(length / 39))).subarray(
        0,
        length,
      );
      const packed = packer.pack(text);
      expect(Buffer.compare(packed === undefined ? text : unpacker.unpack(packed), text)).toBe(0);
    }
  });

  it('that are damaged are an error or another text of the same length, and nothing else', () => {
    const text = bytesOf(
      'A line that is repeated. A line that is repeated, and one that is not.\n'.repeat(20),
    );
    const packed = new Packer(NONE).pack(text) ?? NONE;
    fc.assert(
      fc.property(
        fc.nat(packed.length - 1),
        fc.integer({ min: 0, max: 255 }),
        fc.nat(packed.length),
        (at, byte, cut) => {
          const damaged = packed.slice();
          damaged[at] = byte;
          for (const bytes of [damaged, packed.subarray(0, cut)]) {
            const unpacker = new Unpacker(NONE);
            try {
              unpacker.unpack(bytes);
            } catch (error) {
              expect(error).toBeInstanceOf(RangeError);
            }
            expect(Buffer.compare(unpacker.unpack(packed), text)).toBe(0);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
