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
  ])('joins what it carries the marks of: %s', (_, text, markdown, right) => {
    expect(patched(text, { op: 'append_body', markdown })).toBe(right);
  });

  it.each([
    ['an item above text', 'text\n', '- a', '- a\n\ntext\n'],
    ['a quote above text', '---\na: 1\n---\ntext\n', '> a', '---\na: 1\n---\n> a\n\ntext\n'],
    ['a table above text', 'text\n', '| a |\n|---|', '| a |\n|---|\n\ntext\n'],
    ['a line above text', 'text\n', 'a', 'a\ntext\n'],
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
  });
});
