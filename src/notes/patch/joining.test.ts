import { describe, expect, it } from 'vitest';
import { applyPatch } from './apply.ts';
import type { PatchOp } from './op.ts';

const patched = (text: string, op: PatchOp) => applyPatch(text, [op], { dialect: 'obsidian' }).text;

describe('text put beside a list, quote or table', () => {
  it.each([
    ['below an item', '- a\n', 'text', '- a\n\ntext\n'],
    ['below a nested item', '1. a\n   - b\n', 'text', '1. a\n   - b\n\ntext\n'],
    ['below an item of two lines', '- a\n  b\n', 'text', '- a\n  b\n\ntext\n'],
    ['below a task', '- [ ] a\n', 'text', '- [ ] a\n\ntext\n'],
    ['below a quote', '> a\n', 'text', '> a\n\ntext\n'],
    ['below a callout', '> [!note] T\n> a\n', 'text', '> [!note] T\n> a\n\ntext\n'],
    ['below a table', '| a |\n|---|\n| 1 |\n', 'text', '| a |\n|---|\n| 1 |\n\ntext\n'],
    ['CRLF', '- a\r\n', 'text', '- a\r\n\r\ntext\r\n'],
    ['no final newline', '> a', 'text', '> a\n\ntext\n'],
    ['below a footnote', 'a[^1]\n\n[^1]: note\n', 'text', 'a[^1]\n\n[^1]: note\n\ntext\n'],
    ['below a footnote of two lines', '[^1]: note\n    more\n', 'text', '[^1]: note\n    more\n\ntext\n'],
    ['a quotation below a link’s definition', '[a]: b\n', '"text"', '[a]: b\n\n"text"\n'],
    ['below HTML', '<div>\n**a**\n</div>\n', '[[text]]', '<div>\n**a**\n</div>\n\n[[text]]\n'],
    ['a heading below HTML', '<details>a</details>\n', '## H', '<details>a</details>\n\n## H\n'],
    ['a quote below HTML', '<div>a</div>\n', '> b', '<div>a</div>\n\n> b\n'],
    ['an item below a list’s id', '- a\n\n^id\n', '- b', '- a\n\n^id\n\n- b\n'],
    ['a quote below a quote’s id', '> a\r\n\r\n^id\r\n', '> b', '> a\r\n\r\n^id\r\n\r\n> b\r\n'],
    ['code below a table’s id', '|a|\n|-|\n\n^id', '```\nb\n```', '|a|\n|-|\n\n^id\n\n```\nb\n```\n'],
  ])('stands apart: %s', (_, text, markdown, right) => {
    expect(patched(text, { op: 'append_body', markdown })).toBe(right);
  });

  it.each([
    ['an item below an item', '- a\n', '- b', '- a\n- b\n'],
    ['a child of an item', '- a\n', '  - b', '- a\n  - b\n'],
    ['more of an item', '- a\n', '  b', '- a\n  b\n'],
    ['more of a quote', '> a\n', '> b', '> a\n> b\n'],
    ['a row of a table', '| a |\n|---|\n| 1 |\n', '| 2 |', '| a |\n|---|\n| 1 |\n| 2 |\n'],
    ['a heading below an item', '- a\n', '# H', '- a\n# H\n'],
    ['a line of a paragraph', 'a\n', 'b', 'a\nb\n'],
    ['a line below code', '```\n- a\n```\n', 'b', '```\n- a\n```\nb\n'],
    ['text below a blank line', '- a\n\n', 'b', '- a\n\nb\n'],
    ['a footnote below a footnote', '[^1]: a\n', '[^2]: b', '[^1]: a\n[^2]: b\n'],
    ['more of a footnote', '[^1]: a\n', '    b', '[^1]: a\n    b\n'],
    ['text below a link’s definition', '[a]: b\n', 'c', '[a]: b\nc\n'],
    ['HTML below HTML', '<div>\n', '</div>', '<div>\n</div>\n'],
    ['text below a comment', '<!-- a -->\n', 'b', '<!-- a -->\nb\n'],
    ['an item below an item with an id', '- a ^id\n', '- b', '- a ^id\n- b\n'],
  ])('joins what it carries the marks of: %s', (_, text, markdown, right) => {
    expect(patched(text, { op: 'append_body', markdown })).toBe(right);
  });

  it.each([
    ['an item above text', 'text\n', '- a', '- a\n\ntext\n'],
    ['a quote above text', '---\na: 1\n---\ntext\n', '> a', '---\na: 1\n---\n> a\n\ntext\n'],
    ['a table above text', 'text\n', '| a |\n|---|', '| a |\n|---|\n\ntext\n'],
    ['a line above text', 'text\n', 'a', 'a\ntext\n'],
    ['a footnote above text', 'text\n', '[^1]: a', '[^1]: a\n\ntext\n'],
    ['an item above an item', '- b\n', '- a', '- a\n- b\n'],
  ])('does not take in what stands below it: %s', (_, text, markdown, right) => {
    expect(patched(text, { op: 'prepend_body', markdown })).toBe(right);
  });

  it('holds for sections', () => {
    const note = '# A\n- a\n\n# B\n> b\n';
    expect(patched(note, { op: 'append_to_section', heading: 'A', markdown: 'x' })).toBe(
      '# A\n- a\n\nx\n\n# B\n> b\n',
    );
    expect(patched(note, { op: 'append_to_section', heading: 'B', markdown: 'x' })).toBe(
      '# A\n- a\n\n# B\n> b\n\nx\n',
    );
    const table = '# A\n|a|\n|-|\n\n^t\n\n# B\n';
    expect(patched(table, { op: 'append_to_section', heading: 'A', markdown: '- x' })).toBe(
      '# A\n|a|\n|-|\n\n^t\n\n- x\n\n# B\n',
    );
  });
});
