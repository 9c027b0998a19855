import { describe, expect, it } from 'vitest';
import type { Dialect } from '../model.ts';
import { parseNote } from '../parse.ts';
import { findBlock } from './blocks.ts';

function blocks(text: string, dialect: Dialect = 'obsidian'): unknown[] {
  return parseNote(text, { dialect }).blocks.map(({ id, span, idSpan, placement }) => [
    id,
    text.slice(span.start, span.end),
    text.slice(idSpan.start, idSpan.end),
    placement,
  ]);
}

describe('blocks with an id', () => {
  it('are paragraphs, and headings, with the id at the end', () => {
    expect(blocks('para\none ^836863  \n\n# Head ^h-1 #\n\nnot ^ or^x or ^no_\n')).toEqual([
      ['836863', 'para\none', '^836863', 'inline'],
      ['h-1', '# Head', '^h-1', 'inline'],
    ]);
  });

  it('are list items with all that is nested in them', () => {
    expect(blocks('- a ^one\n  - b\n- c\n  ^two\n- d\n')).toEqual([
      ['one', '- a ^one\n  - b', '^one', 'inline'],
      ['two', '- c', '^two', 'inline'],
    ]);
  });

  it('are the block above an id that stands alone', () => {
    expect(blocks('| A | B |\n| --- | --- |\n| 1 | 2 |\n\n^t1\n\nafter\n')).toEqual([
      ['t1', '| A | B |\n| --- | --- |\n| 1 | 2 |', '^t1', 'own-line'],
    ]);
    expect(blocks('Préface — ünïcode\n\n- Item one\n- Item two\n\n^list1\n\nend\n')).toEqual([
      ['list1', '- Item one\n- Item two', '^list1', 'own-line'],
    ]);
    expect(blocks('> q\n\n^q1\n\n```\nc\n```\n\n^c1')).toEqual([
      ['q1', '> q', '^q1', 'own-line'],
      ['c1', '```\nc\n```', '^c1', 'own-line'],
    ]);
    expect(blocks('^first\n')).toEqual([]);
  });

  it('are whole quotes, never parts of them', () => {
    expect(blocks('> a ^part\n>\n> b ^all\n')).toEqual([['all', '> a ^part\n>\n> b', '^all', 'inline']]);
  });

  it('are not in code, comments or math', () => {
    expect(blocks('`x ^a`\n\n```\nx ^b\n```\n\n%%x ^c%%\n\n$y ^d$\n')).toEqual([]);
  });

  it('are found in any case; repeats are ambiguous', () => {
    const note = parseNote('a ^X1\n\nb ^dup\n\nc ^DUP\n', { dialect: 'obsidian' });
    expect(findBlock(note, '^x1')).toMatchObject({ kind: 'found', block: { line: 1 } });
    expect(findBlock(note, '#^x1')).toMatchObject({ kind: 'found' });
    expect(findBlock(note, 'dup')).toMatchObject({
      kind: 'ambiguous',
      candidates: [{ line: 3 }, { line: 5 }],
    });
    expect(findBlock(note, 'x')).toEqual({ kind: 'none' });
  });
});

describe('Logseq blocks', () => {
  const a = '11111111-1111-4111-8111-111111111111';
  const b = '22222222-2222-4222-8222-222222222222';

  it('carry an id property', () => {
    expect(blocks(`- top\n  id:: ${a}\n\t- sub\n\t  id:: ${b}\n- next\n`, 'logseq')).toEqual([
      [a, `- top\n  id:: ${a}\n\t- sub\n\t  id:: ${b}`, `id:: ${a}`, 'inline'],
      [b, `- sub\n\t  id:: ${b}`, `id:: ${b}`, 'inline'],
    ]);
  });

  it('may be the page', () => {
    expect(blocks(`- id:: ${a}\n`, 'logseq')).toEqual([[a, `- id:: ${a}\n`, `id:: ${a}`, 'inline']]);
    expect(blocks(`title:: P\nid:: ${a}\n\n- x\n`, 'logseq')).toEqual([
      [a, `title:: P\nid:: ${a}\n`, `id:: ${a}`, 'inline'],
    ]);
  });

  it('are not the list before a line that belongs to no item', () => {
    expect(blocks(`- x\n\n## h\n\nid:: ${a}\n`, 'logseq')).toEqual([]);
  });

  it('are not in code', () => {
    expect(blocks(`- x\n  \`\`\`\n  id:: ${a}\n  \`\`\`\n`, 'logseq')).toEqual([]);
  });
});
