import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLecternError } from '../../errors.ts';
import { bodyStartOf, parseFrontmatter } from '../../notes/frontmatter/frontmatter.ts';
import { noteText } from './content.ts';
import { propertyNotices } from './property-notices.ts';

const replaced = (existing: string, body: string) => noteText(existing, { body }, 'obsidian');

describe('a replaced body', () => {
  it.each([
    ['properties stay', '---\na: 1\n---\nold\n', 'new\n', '---\na: 1\n---\nnew\n'],
    [
      'a closing fence that ends the file gets its line ending',
      '---\na: 1\n---',
      'new',
      '---\na: 1\n---\nnew',
    ],
    ['nothing is put behind such a fence for nothing', '---\na: 1\n---', '', '---\na: 1\n---'],
    ['in the line endings of the note', '---\r\na: 1\r\n---', 'x\ny', '---\r\na: 1\r\n---\r\nx\r\ny'],
    ['in LF when the note has it', '---\na: 1\n---\nb\n', 'x\r\ny\r\n', '---\na: 1\n---\nx\ny\n'],
    ['with properties of its own, too', '---\na: 1\n---\n', '---\r\nb: 2\r\n---\r\n', '---\nb: 2\n---\n'],
    ['a note of one line has no line endings yet', 'a', 'a\r\nb\r\n', 'a\r\nb\r\n'],
    ['lines that stay keep theirs', 'a\nb\r\nc\r\nd\n', 'a\nx\nc\nd\n', 'a\nx\nc\r\nd\n'],
    [
      'a block of its own takes their place',
      '---\na: 1\n---\nold\n',
      '---\nb: 2\n---\nx\n',
      '---\nb: 2\n---\nx\n',
    ],
    [
      'text between two rules is text',
      '---\na: 1\n---\nold\n',
      '---\nSome words\n---\nx\n',
      '---\na: 1\n---\n---\nSome words\n---\nx\n',
    ],
    [
      'a block handed back with the body is text',
      '---\na: 1\n---\n---\nb: 2\n---\nx\n',
      '---\nb: 2\n---\ny\n',
      '---\na: 1\n---\n---\nb: 2\n---\ny\n',
    ],
    ['a BOM stays', '\ufeff---\na: 1\n---\nx\n', '---\nb: 2\n---\ny\n', '\ufeff---\nb: 2\n---\ny\n'],
    ['a second BOM is none', '\ufeffx\n', '\ufeffy\n', '\ufeffy\n'],
  ])('%s', (_, existing, body, right) => {
    expect(replaced(existing, body)).toBe(right);
  });

  it.each([
    ['properties that it does not bring are gone', '---\na: 1\n---\nold\n', 'new\n', 'new\n'],
    ['lines that stay keep their endings', 'a\r\nb\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['a BOM stays', '\ufeffx\n', 'y\n', '\ufeffy\n'],
    ['nothing', '---\na: 1\n---\nold\n', '', ''],
    ['a block nobody can read', '---\na: 1\n---\n', '---\na: [\n---\n', '---\na: [\n---\n'],
  ])('that is the whole note: %s', (_, existing, body, right) => {
    expect(noteText(existing, { body, whole: true }, 'obsidian')).toBe(right);
  });

  it('that is the body the note has changes no byte, whatever its line endings', () => {
    const line = fc.constantFrom('', 'a', '- b', '---', 'k: v');
    const eol = fc.constantFrom('\n', '\r\n', '\n', '\r\n', '\r');
    const lines = fc.array(fc.tuple(line, eol)).map((pairs) => pairs.flat().join(''));
    const block = fc.constantFrom('', '---\na: 1\n---\n', '\ufeff---\r\na: 1\n---\r\n');
    fc.assert(
      fc.property(block, lines, line, (properties, body, last) => {
        const note = properties + body + last;
        const start = bodyStartOf(note, parseFrontmatter(note, 'obsidian'));
        expect(replaced(note, note.slice(start))).toBe(note);
        const [normal, again] = [note, replaced(note, note.slice(start).replace(/\r\n?/g, '\n'))].map((one) =>
          one.replace(/\r\n?/g, '\n'),
        );
        expect(again).toBe(normal);
      }),
    );
  });

  it('may not put unreadable properties in the place of readable ones', () => {
    const write = () => replaced('---\na: 1\n---\nx\n', '---\na: b: c\n---\ny\n');
    expect(write).toThrow(/line 2\. Nothing was changed/);
    try {
      write();
    } catch (error) {
      expect(isLecternError(error) && error.code).toBe('invalid_input');
    }
    expect(replaced('---\na: b: c\n---\nx\n', '---\na: "b: c\n---\ny\n')).toContain('y\n');
  });
});

describe('notices about properties', () => {
  const told = (before: string | undefined, after: string) =>
    propertyNotices(before, after, 'obsidian').join();

  it('tell of a block that nobody can read, once', () => {
    expect(told(undefined, '---\na: b: c\n---\n')).toContain('line 2');
    expect(told('---\na: b: c\n---\n', '---\na: b: c\n---\nmore\n')).toBe('');
    expect(told('---\na: 1\n---\n', '---\na: 2\n---\n')).toBe('');
  });

  it.each(['a, b', 'two words', '2024'])('tell that tags: %s finds nothing', (tag) => {
    expect(told('x', `---\ntags: "${tag}"\n---\nx`)).toContain(JSON.stringify(tag));
    expect(told('x', `---\ntags:\n  - ok\n  - "${tag}"\n---\nx`)).toContain(JSON.stringify(tag));
    expect(told(`---\ntags: "${tag}"\n---\nx`, `---\ntags: "${tag}"\n---\ny`)).toBe('');
  });

  it.each(['a', '"#a/b"', '[a, "#b", 2024]', '日本/語', '', '[]'])('are silent about tags: %s', (tags) => {
    expect(told('x', `---\ntags: ${tags}\n---\nx`)).toBe('');
  });
});
