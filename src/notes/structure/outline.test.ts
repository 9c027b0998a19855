import { describe, expect, it } from 'vitest';
import { parseNote } from '../parse.ts';
import { findHeading, type HeadingAddress, headingPath, sectionOf } from './outline.ts';

const parse = (text: string) => parseNote(text, { dialect: 'obsidian' });
const headings = (text: string) =>
  parse(text).headings.map(({ level, text: own, line }) => [level, own, line]);

/** Index found, `none`, or the candidates' paths and lines. */
function find(text: string, address: HeadingAddress, occurrence?: number): unknown {
  const note = parse(text);
  const found = findHeading(note, address, occurrence);
  if (found.kind === 'found') return found.index;
  if (found.kind === 'none') return 'none';
  return found.candidates.map(({ path, line }) => `${path.join(' > ')} line ${line}`);
}

function section(text: string, index: number): string | undefined {
  const found = sectionOf(parse(text), index);
  return found && text.slice(found.span.start, found.span.end);
}

describe('headings', () => {
  it('keep their raw text and drop the closing marks', () => {
    const text = '# **B** [[x]] ##\n\n  ### `c` \\#\n\n#no\n\n## \n\nSet\next\n===\n#\n';
    const note = parse(text);
    expect(note.headings.map(({ level, text: own, style }) => [level, own, style])).toEqual([
      [1, '**B** [[x]]', 'atx'],
      [3, '`c` \\#', 'atx'],
      [2, '', 'atx'],
      [1, 'Set\next', 'setext'],
      [1, '', 'atx'],
    ]);
    for (const { text: own, textSpan } of note.headings) {
      expect(text.slice(textSpan.start, textSpan.end)).toBe(own);
    }
    expect(text.slice(note.headings[3]?.span.start, note.headings[3]?.span.end)).toBe('Set\next\n===');
  });

  it('are not in code, comments, math, HTML, front matter, quotes, lists or footnotes', () => {
    const text =
      '---\n# a: 1\n---\n```bash\n# comment\n```\n\n~~~~\n# tilde\n~~~\nstill code\n~~~~\n\n%%\n# c\n%%\n\n<!--\n# h\n-->\n\n$$\n# m\n$$\n\n> # q\n\n- # l\n\n[^1]: x\n\n    # f\n\n# Real\n';
    expect(headings(text)).toEqual([[1, 'Real', 34]]);
  });

  it('a rule after a list item or a blank line is no underline', () => {
    expect(headings('## Install\n- step one\n---\n## Usage\ntext\n\n---\n\nx: y\n\n---\n')).toEqual([
      [2, 'Install', 1],
      [2, 'Usage', 4],
    ]);
  });

  it('a code span in a table is no heading', () => {
    const text =
      '## Journal\n\n| Day | What |\n| --- | --- |\n| Mon | moved `## Next` here |\n\n## Next\n\nkeep\n';
    expect(headings(text)).toEqual([
      [2, 'Journal', 1],
      [2, 'Next', 7],
    ]);
  });
});

describe('comments over several blocks', () => {
  it('hide half a fence, and what follows them is read', () => {
    const text = '%% a\n```\n# no #t\n%%\n# Yes [[x]]\n```\n# code\n```\n';
    const note = parse(text);
    expect(note.headings.map(({ text: own }) => own)).toEqual(['Yes [[x]]']);
    expect(note.links.map(({ target }) => target)).toEqual(['x']);
    expect(note.tags).toEqual([]);
  });

  it('do not start in code and, unclosed, are text', () => {
    expect(headings('```\n%%\n```\n# A\n%%\n# B\n')).toEqual([
      [1, 'A', 4],
      [1, 'B', 6],
    ]);
  });

  it('are found behind a comment that hid an unclosed fence', () => {
    expect(headings('%%\n```\n%%\n\n%%\n# no\n%%\n# Yes\n')).toEqual([[1, 'Yes', 8]]);
  });
});

describe('sections', () => {
  const text = '# T\n## A\na\n### A1\na1\n## B\nb\n';

  it('run to the next heading of the same or a higher level', () => {
    expect(section(text, 1)).toBe('## A\na\n### A1\na1\n');
    expect(section(text, 2)).toBe('### A1\na1\n');
    expect(section(text, 3)).toBe('## B\nb\n');
    expect(section(text, 0)).toBe(text);
    expect(section(text, 4)).toBeUndefined();
  });

  it('know their body and what is their own', () => {
    const found = sectionOf(parse(text), 1);
    expect(found && text.slice(found.bodySpan.start, found.bodySpan.end)).toBe('a\n### A1\na1\n');
    expect(found && text.slice(found.ownSpan.start, found.ownSpan.end)).toBe('a\n');
  });

  it('keep CRLF, indentation and a missing final newline', () => {
    const crlf = '\ufeff# A\r\nx\r\n  # B\r\n\r\ny';
    expect(section(crlf, 0)).toBe('# A\r\nx\r\n');
    expect(section(crlf, 1)).toBe('  # B\r\n\r\ny');
    const found = sectionOf(parse(crlf), 1);
    expect(found && crlf.slice(found.bodySpan.start)).toBe('\r\ny');
    expect(sectionOf(parse('# A'), 0)?.bodySpan).toEqual({ start: 3, end: 3 });
  });
});

describe('the path of a heading', () => {
  it('nests by level, skipped levels included', () => {
    expect(headingPath(parse('# A\n### B\n## C\n# D\n'), 1)).toEqual(['A', 'B']);
    expect(headingPath(parse('# A\n### B\n## C\n'), 2)).toEqual(['A', 'C']);
  });
});

describe('finding a heading', () => {
  const log = '# Jan\n\n## Tasks\n\n- a\n\n# Feb\n\n## Tasks\n\n- b\n';

  it('takes a unique leaf name, whatever its case and punctuation', () => {
    expect(find('# Clients\n\n## Acme\n\n## Why?\n', 'acme')).toBe(1);
    expect(find('# Clients\n\n## **Acme**, Inc.\n', 'Acme Inc')).toBe(1);
    expect(find('# Clients\n', 'Client')).toBe('none');
    expect(find('# Clients\n', '')).toBe('none');
  });

  it('refuses an ambiguous one with all candidates', () => {
    expect(find(log, 'Tasks')).toEqual(['Jan > Tasks line 3', 'Feb > Tasks line 9']);
  });

  it.each<[HeadingAddress]>([
    [['Feb', 'Tasks']],
    ['Feb#Tasks'],
    ['Feb > Tasks'],
    ['feb  >  tasks'],
    ['# Feb > ## Tasks'],
  ])('follows the chain %j', (address) => {
    expect(find(log, address)).toBe(3);
  });

  it('takes an occurrence', () => {
    expect(find(log, 'Tasks', 2)).toBe(3);
    expect(find(log, 'Tasks', 3)).toBe('none');
    expect(find(log, ['Jan', 'Tasks'], 1)).toBe(1);
  });

  it('takes leading marks as a level hint', () => {
    expect(find('# M\n\n### People\n', '### People')).toBe(1);
    expect(find('# A\n## A\n', '## A')).toBe(1);
    expect(find('# A\n## A\n', '### A')).toBe('none');
  });

  it('does not let a chain leave its section', () => {
    expect(find('# Jan\n# Feb\n## Tasks\n', ['Jan', 'Tasks'])).toBe('none');
  });

  it('reads a heading that looks like a chain', () => {
    expect(find('# A > B\n# C#D\n', 'A > B')).toBe(0);
    expect(find('# A > B\n# C#D\n', 'C#D')).toBe(1);
    expect(find('# A > B\n# A\n## B\n', 'A > B')).toBe(0);
  });

  it('prefers the one written exactly so', () => {
    expect(find('# C# basics\n# C basics\n', 'C basics')).toBe(1);
    expect(find('# C# basics\n# C basics\n', 'c basics')).toEqual(['C# basics line 1', 'C basics line 2']);
  });

  it('reaches every heading by its full path', () => {
    const text = '# A\n## X\n### B\n## B\n';
    const note = parse(text);
    note.headings.forEach((_, index) => {
      expect(find(text, headingPath(note, index))).toBe(index);
    });
  });
});

describe('a block or a footnote', () => {
  it.each<[HeadingAddress]>([['^A'], ['#^A'], ['# ^A'], [['^A']], ['[^A]'], ['P#^A'], ['P > ^A']])(
    'is no heading of that name: %j',
    (address) => {
      expect(find('# P\n## A\ntext ^A\n', address)).toBe('none');
    },
  );

  it('is not the name of a heading that is written so', () => {
    expect(find('# A\n## ^A\n', '^A')).toBe(1);
    expect(find('# A\n## ^A\n', '## ^A')).toBe(1);
    expect(find('# x [^1]\n', 'x [^1]')).toBe(0);
  });
});
