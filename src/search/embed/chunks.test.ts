import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChunkSource, chunkNote, passageText } from './chunks.ts';

/** Headings and fences the way the parser reports them, for tests that must not depend on it. */
function source(text: string): ChunkSource {
  const headings: { level: number; text: string; span: { start: number; end: number } }[] = [];
  const opaque: { start: number; end: number }[] = [];
  let at = 0;
  let fence: number | undefined;
  for (const line of text.split('\n')) {
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (line.startsWith('```')) {
      if (fence === undefined) fence = at;
      else {
        opaque.push({ start: fence, end: at + line.length });
        fence = undefined;
      }
    } else if (heading && fence === undefined)
      headings.push({
        level: heading[1]?.length ?? 1,
        text: heading[2] ?? '',
        span: { start: at, end: at + line.length },
      });
    at += line.length + 1;
  }
  return { text, bodyStart: 0, headings, opaque };
}

const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, i) => `${word}${i}`).join(' ');

/** True between a high surrogate and the low one it belongs to. */
function cutsPair(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
}

describe('chunkNote', () => {
  it('keeps a short note whole', () => {
    const text = '# One\n\nText.\n\n## Two\n\nMore.\n';
    const chunks = chunkNote(source(text));
    expect(chunks).toHaveLength(1);
    expect(text.slice(chunks[0]?.start, chunks[0]?.end)).toBe(text.trimEnd());
  });

  it('gives each larger section its own passage, with the headings above it', () => {
    const text = `# Top\n\n${words(90)}\n\n## Left\n\n${words(90)}\n\n### Deep\n\n${words(90)}\n\n## Right\n\n${words(90)}\n`;
    const chunks = chunkNote(source(text));
    expect(chunks.map((chunk) => chunk.headings)).toEqual([
      ['Top'],
      ['Top', 'Left'],
      ['Top', 'Left', 'Deep'],
      ['Top', 'Right'],
    ]);
    expect(chunks.map((chunk) => chunk.line)).toEqual([1, 5, 9, 13]);
  });

  it('joins a heading without text to what follows', () => {
    const text = `# Only\n\n## Part\n\n${words(200)}\n`;
    expect(chunkNote(source(text))).toMatchObject([{ seq: 0, start: 0, line: 1, headings: ['Only'] }]);
  });

  it('does not cut through a code block that fits the limit', () => {
    const code = `\`\`\`js\n${Array.from({ length: 50 }, (_, i) => `line(${i}); // some code`).join('\n')}\n\`\`\``;
    const text = `# T\n\n${words(100)}\n\n${code}\n\n${words(150)}\n`;
    const chunks = chunkNote(source(text));
    const start = text.indexOf('```js');
    const end = start + code.length;
    for (const chunk of chunks) {
      expect(chunk.start <= start || chunk.start >= end).toBe(true);
      expect(chunk.end <= start || chunk.end >= end).toBe(true);
    }
  });

  it('does not cut between the rows of a table that fits the limit', () => {
    const table = Array.from({ length: 40 }, (_, i) => `| row ${i} | a value that takes space |`).join('\n');
    const text = `# T\n\n${words(100)}\n\n${table}\n\n${words(150)}\n`;
    const start = text.indexOf('| row 0');
    for (const chunk of chunkNote(source(text)))
      expect(chunk.start <= start || chunk.start >= start + table.length).toBe(true);
  });

  it('counts wide characters double', () => {
    const chunks = chunkNote(source('这是一个句子。'.repeat(400)));
    for (const chunk of chunks) expect(chunk.end - chunk.start).toBeLessThanOrEqual(1_000);
    expect(chunks.length).toBeGreaterThan(2);
  });

  it('yields nothing for a blank body', () => {
    expect(chunkNote(source(' \n\n\t\n'))).toEqual([]);
  });

  it('covers every visible character once, in bounded passages, and splits no pair', () => {
    const line = fc.oneof(
      fc.constant(''),
      fc.constant('```'),
      fc.constant('| a | b |'),
      fc.stringMatching(/^#{1,6} [a-z]{1,8}$/),
      fc.string({ maxLength: 3_000, unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ' ')),
      fc.constant('😀'.repeat(1_500)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const text = lines.join('\n');
        const chunks = chunkNote(source(text));
        let covered = 0;
        for (const chunk of chunks) {
          expect(text.slice(covered, chunk.start).trim()).toBe('');
          expect(chunk.end).toBeGreaterThan(chunk.start);
          expect(chunk.end - chunk.start).toBeLessThanOrEqual(3_000);
          expect(cutsPair(text, chunk.start) || cutsPair(text, chunk.end)).toBe(false);
          expect(chunk.line).toBe(text.slice(0, chunk.start).split('\n').length);
          covered = chunk.end;
        }
        expect(text.slice(covered).trim()).toBe('');
      }),
      { numRuns: 150 },
    );
  });
});

describe('passageText', () => {
  it('names the note and the headings above once', () => {
    const text = '# Garden\n\nTomatoes.';
    expect(
      passageText(text, ['2024-05', 'Garden'], { start: 10, end: 19, headings: ['Garden', 'Beds'] }),
    ).toBe('2024-05\nGarden\nBeds\n\nTomatoes.');
  });
});
