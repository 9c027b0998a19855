import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedBody } from './body-changes.ts';
import { chunkAt } from './chunks.ts';
import { snippetOf } from './snippet.ts';

describe('a changed body', () => {
  it('is what was before, with what was added, and one place replaced', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(texts, texts, texts, texts, texts, (old, prepend, append, find, replace) => {
        fc.pre(find !== '');
        const grown = prepend + old + append;
        const places = [...grown].filter((_, at) => grown.startsWith(find, at)).length;
        const change = () => changedBody(old, { prepend, append, replace: { find, replace } });
        if (places === 0) expect(change).toThrow('not found');
        else if (places > 1) expect(change).toThrow('more than once');
        else expect(change()).toBe(grown.split(find).join(replace));
      }),
    );
  });
});

describe('the passage around a line', () => {
  const lines = Array.from({ length: 200 }, (_, at) => `Line ${at + 1} of a long note.`);
  const body = lines.join('\n');

  it('holds the line, in windows that share a tenth', () => {
    for (const [at, line] of lines.entries()) {
      const { index, text } = chunkAt('Title', body, at + 1);
      expect(text).toContain(line.slice(0, 12));
      const own = index === 0 ? text.slice('Title\n\nTitle\n\n'.length) : text;
      expect(body.indexOf(own)).toBe(index * 1575);
      expect(own.length).toBeLessThanOrEqual(1750);
    }
    expect(chunkAt('Title', body, 1).text).toMatch(/^Title\n\nTitle\n\nLine 1 /);
  });

  it('is shorter in scripts that say more with a sign', () => {
    expect(chunkAt('', '日本語'.repeat(500), 1).text).toHaveLength(600);
  });

  it('of a note without a body is its title', () => {
    expect(chunkAt('Title', '  \n', 1)).toEqual({ index: 0, text: 'Title' });
    expect(chunkAt('', 'short', -5)).toEqual({ index: 0, text: 'short' });
  });
});

it('a snippet has at most 240 characters of the body, and says where it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('word', 'needle', '\n', '  '), { maxLength: 120 }), (words) => {
      const body = words.join(' ');
      const text = body.replace(/\s+/g, ' ').trim();
      const snippet = snippetOf(body, 'needle -word tag:x "word');
      const shown = snippet.replace(/^…|…$/g, '');
      expect(text).toContain(shown);
      expect(shown.length).toBeLessThanOrEqual(240);
      if (text.length <= 240) expect(snippet).toBe(text);
      if (text.includes('needle') || text.includes('word')) expect(shown).toMatch(/needle|word/);
    }),
  );
});
