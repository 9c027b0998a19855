import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noteText } from '../../../test/patch/note-arbitrary.ts';
import { parseNote } from '../parse.ts';
import { type SectionOptions, sectionBody } from './section-body.ts';

function bodyOf(text: string, index: number, options?: SectionOptions) {
  const note = parseNote(text, { dialect: 'obsidian' });
  return sectionBody(note, note.headings[index]!, options);
}

describe('sectionBody', () => {
  it.each<[string, number, string]>([
    ['# A\n\n\n  text  \n\n## B\nb\n\n# C\n', 0, '  text  \n\n## B\nb'],
    ['# A\n\n## B\nb\n\n# C\n', 1, 'b'],
    ['A\n===\r\n\r\n\tcode\r\n \r\nB\n===\n', 0, '\tcode'],
    ['# A\n\u00a0\n# B', 0, '\u00a0'],
    ['# A', 0, ''],
    ['# A\n\n \n# B', 0, ''],
  ])('of %j, heading %i is %j', (text, index, body) => {
    expect(bodyOf(text, index).text).toBe(body);
  });

  it('ends at the first sub-section on request', () => {
    expect(bodyOf('# A\na\n\n## B\nb\n', 0, { keepSubsections: true })).toEqual({
      text: 'a',
      span: { start: 4, end: 5 },
      region: { start: 4, end: 7 },
    });
  });

  it('is all of its region but whole blank lines at the edges', () => {
    fc.assert(
      fc.property(noteText, fc.boolean(), (text, keepSubsections) => {
        const note = parseNote(text, { dialect: 'obsidian' });
        for (const heading of note.headings) {
          const { span, region, text: body } = sectionBody(note, heading, { keepSubsections });
          expect(body).toBe(text.slice(span.start, span.end));
          expect(text.slice(region.start, span.start)).toMatch(/^(?:[ \t]*(?:\r\n?|\n))*[ \t]*$/);
          expect(text.slice(span.end, region.end)).toMatch(/^(?:\r\n?|\n)?(?:[ \t]*(?:\r\n?|\n))*[ \t]*$/);
          if (body !== '') expect(text.slice(region.start, span.start)).toMatch(/(?:^|[\r\n])$/);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('refuses a heading of another note', () => {
    const other = parseNote('# A\n', { dialect: 'obsidian' }).headings[0]!;
    expect(() => sectionBody(parseNote('# B\n', { dialect: 'obsidian' }), other)).toThrow(RangeError);
  });
});
