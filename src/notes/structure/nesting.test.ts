import { describe, expect, it } from 'vitest';
import { parseNote } from '../parse.ts';
import { limitNesting } from './nesting.ts';

const parsed = (text: string) => parseNote(text, { dialect: 'obsidian' });

describe('limitNesting', () => {
  it.each([
    ['a text of its own kind', '# A\n\n> - 1. deep enough > for anybody\n'],
    ['99 quotes', `${'> '.repeat(99)}a #tag\n`],
    ['rules and tables', `${'-'.repeat(500)}\n\na\n${'='.repeat(500)}\n\n|a|\n|${'-'.repeat(500)}|\n`],
    ['quotes inside a line', `a ${'>'.repeat(500)}\n`],
  ])('leaves %s alone', (_, text) => {
    expect(limitNesting(text)).toBe(text);
  });

  it.each(['>', '> ', '- ', '+ ', '* ', '1. ', '2) ', '> - '])('hides %j beyond the hundredth', (marker) => {
    const hidden = limitNesting(`${marker.repeat(300)}end [[Link]]\n`);
    expect(hidden).toHaveLength(marker.length * 300 + 13);
    expect(hidden.match(/[>+*-]|[.)]/g)?.length).toBe(100);
    expect(hidden.endsWith('end [[Link]]\n')).toBe(true);
  });

  it.each([0, 1, 50, 99, 100, 101, 150])('finds them wherever they begin: behind %i characters', (before) => {
    const text = `${'a'.repeat(before)}\n${'>'.repeat(101)}b\n`;
    expect(limitNesting(text)).toBe(`${'a'.repeat(before)}\n${'>'.repeat(100)}\ufdd3b\n`);
  });

  it('keeps links, tags and offsets of what stands there', () => {
    const text = `${'>'.repeat(5000)} [[Link]] #tag\n\n## After\n`;
    const note = parsed(text);
    expect(note.links.map(({ span }) => text.slice(span.start, span.end))).toEqual(['[[Link]]']);
    expect(note.tags.map(({ name }) => name)).toEqual(['tag']);
    expect(note.headings.map(({ line }) => line)).toEqual([3]);
  });

  it.each(['>', '+ ', '1. ', '> - ', '* > '])(
    'makes the time of a parse grow with the length of %j, not its square',
    (marker) => {
      const time = (length: number) => {
        const text = marker.repeat(length / marker.length);
        const before = process.cpuUsage();
        parsed(text);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1000;
      };
      time(10_000);
      // Quadratic work would take minutes.
      expect(time(2_000_000)).toBeLessThan(20_000);
    },
  );
});
