import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineReader } from './line-reader.ts';

function read(chunks: readonly Buffer[], maxBytes = 1000): Line[] {
  const lines: Line[] = [];
  const reader = new LineReader(maxBytes, (line) => lines.push(line));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

/** Cuts bytes at the given offsets, which may be within a line or character. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

describe('LineReader', () => {
  it('finds the same lines wherever the stream is cut', () => {
    const line = fc.string({ unit: fc.constantFrom('a', '{', 'é', '漢', '👩', ' '), maxLength: 20 });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (texts, places) => {
          const bytes = Buffer.from(texts.join('\n'));
          const wanted = texts.map((text) => text.trim()).filter((text) => text !== '');
          expect(read(cut(bytes, places))).toEqual(wanted.map((text) => ({ kind: 'line', text })));
        },
      ),
    );
  });

  it('reports a line that is too long once and reads on', () => {
    const long = Buffer.from('x'.repeat(50));
    expect(read([long, long, long, Buffer.from('\nok\n')], 100)).toEqual([
      { kind: 'bad', reason: 'too_long' },
      { kind: 'line', text: 'ok' },
    ]);
  });

  it('keeps a line that just fits', () => {
    expect(read([Buffer.from(`${'x'.repeat(100)}\n`)], 100)).toEqual([
      { kind: 'line', text: 'x'.repeat(100) },
    ]);
  });

  it('reports bytes that are not UTF-8', () => {
    expect(read([Buffer.from([0xff, 0x0a]), Buffer.from('ok')])).toEqual([
      { kind: 'bad', reason: 'not_utf8' },
      { kind: 'line', text: 'ok' },
    ]);
  });

  it('takes many small chunks of one long line in linear time', () => {
    const chunk = Buffer.from('y'.repeat(64));
    const started = performance.now();
    const lines = read([...Array.from({ length: 100_000 }, () => chunk), Buffer.from('\n')], 10_000_000);
    expect(lines[0]).toMatchObject({ kind: 'line' });
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
