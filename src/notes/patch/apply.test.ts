import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLecternError, type LecternError } from '../../errors.ts';
import { parseFrontmatter } from '../frontmatter/frontmatter.ts';
import type { Dialect } from '../model.ts';
import { applyPatch } from './apply.ts';
import type { PatchOp } from './op.ts';
import { renameTag } from './rename-tag.ts';

const edited = (text: string, ops: PatchOp | readonly PatchOp[], dialect: Dialect = 'obsidian'): string =>
  applyPatch(text, Array.isArray(ops) ? ops : [ops as PatchOp], { dialect }).text;

function refused(
  text: string,
  ops: PatchOp | readonly PatchOp[],
  dialect: Dialect = 'obsidian',
): LecternError {
  try {
    edited(text, ops, dialect);
  } catch (error) {
    if (isLecternError(error)) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('body', () => {
  it.each<[string, string, string]>([
    ['text\n', '---\n', 'text\n\n---\n'],
    ['text ^id\n', 'more', 'text ^id\n\nmore\n'],
    ['- a\n- b\n\n^list\n', 'more', '- a\n- b\n\n^list\n\nmore\n'],
    ['a\r\nb', 'c\nd', 'a\r\nb\r\nc\r\nd\r\n'],
    ['---\nk: v\n---', 'x', '---\nk: v\n---\nx\n'],
  ])('append to %j: %j', (text, markdown, right) => {
    expect(edited(text, { op: 'append_body', markdown })).toBe(right);
  });

  it('keeps what follows from being swallowed, joined or read as properties', () => {
    expect(edited('Title\n===\n', { op: 'prepend_body', markdown: 'x' })).toBe('x\n\nTitle\n===\n');
    expect(refused('# A\n', { op: 'prepend_body', markdown: '```\nopen' }).message).toContain(
      'would no longer be one',
    );
    expect(refused('text\n\n---\nmore\n', { op: 'prepend_body', markdown: '---' }).message).toContain(
      'front matter',
    );
    expect(refused('text\n', { op: 'prepend_body', markdown: '<!-- open' }).code).toBe('invalid_input');
  });
});

describe('lines at an end', () => {
  const properties = '---\nk: v\n---\n';
  it.each<[string, Omit<PatchOp, 'op'>, string]>([
    ['a\n', { markdown: 'x', at: 'end', blank_line: true }, 'a\n\nx'],
    ['a', { markdown: 'x', at: 'end', blank_line: true }, 'a\n\nx'],
    ['a', { markdown: 'x', at: 'end' }, 'a\nx'],
    ['a\r\nb', { markdown: 'x\ny', at: 'end', blank_line: true }, 'a\r\nb\r\n\r\nx\r\ny'],
    ['', { markdown: 'x', at: 'end', blank_line: true }, 'x'],
    ['', { markdown: 'x', at: 'start', blank_line: true }, 'x\n'],
    ['a\n', { markdown: 'x', at: 'start', blank_line: true }, 'x\na\n'],
    [`${properties}a\n`, { markdown: 'x', at: 'start', blank_line: true }, `${properties}\nx\na\n`],
    [`${properties}a\n`, { markdown: 'x', at: 'start' }, `${properties}x\na\n`],
    [properties.trimEnd(), { markdown: 'x', at: 'start', blank_line: true }, `${properties}\nx\n`],
    [`${properties}a\n`, { markdown: 'x', at: 'top', blank_line: true }, `x\n${properties}a\n`],
    ['\ufeffa', { markdown: '\ufeffx', at: 'top' }, '\ufeffx\na'],
    ['# A\n', { markdown: '```\nopen', at: 'top' }, '```\nopen\n# A\n'],
  ])('into %j: %j', (text, fields, right) => {
    expect(edited(text, { op: 'insert_lines', ...fields })).toBe(right);
  });

  it('are put at an end that there is', () => {
    const wrong = { op: 'insert_lines', markdown: 'x', at: 'middle' } as unknown as PatchOp;
    expect(refused('a', wrong).message).toContain('"at" must be one of top, start, end');
    expect(refused('a', { op: 'insert_lines', markdown: 'x' }).message).toContain('is missing "at"');
  });
});

describe('sections', () => {
  it.each<[string, PatchOp, string]>([
    ['# A\n\n# B\n', { op: 'replace_section', heading: 'A', markdown: 'x' }, '# A\n\nx\n\n# B\n'],
    ['# A\n# B\n', { op: 'append_to_section', heading: 'A', markdown: 'x' }, '# A\nx\n# B\n'],
    ['# A', { op: 'append_to_section', heading: 'A', markdown: 'x' }, '# A\nx'],
    ['# A\n\nold', { op: 'append_to_section', heading: 'A', markdown: 'x\n' }, '# A\n\nold\nx'],
    ['# A\n\nold\n\n# B\n', { op: 'replace_section', heading: 'A', markdown: '' }, '# A\n\n# B\n'],
    ['# A\nold\n\n# B\n', { op: 'replace_section', heading: 'A', markdown: '' }, '# A\n\n# B\n'],
    ['# A\n\nold', { op: 'replace_section', heading: 'A', markdown: '' }, '# A'],
    ['## A\nold\n', { op: 'replace_section', heading: 'A', markdown: '# A\n\nnew\n' }, '## A\nnew\n'],
    ['A\n---\nold\n', { op: 'replace_section', heading: 'A', markdown: 'A\n---\nnew' }, 'A\n---\nnew\n'],
    [
      '# A\n\nx\n\n# B\n',
      { op: 'insert_before_heading', heading: 'B', markdown: 'y' },
      '# A\n\nx\n\ny\n\n# B\n',
    ],
    ['# A\nx\n# B\n', { op: 'insert_before_heading', heading: 'B', markdown: 'y\n' }, '# A\nx\ny\n# B\n'],
    ['# A\n\ntext\n', { op: 'insert_after_heading', heading: 'A', markdown: 'y' }, '# A\n\ny\n\ntext\n'],
    ['# A\n\n- a\n', { op: 'insert_after_heading', heading: 'A', markdown: '- y\n' }, '# A\n\n- y\n- a\n'],
    [
      '# A\n\n## C\nc\n',
      { op: 'insert_after_heading', heading: 'A', markdown: 'y' },
      '# A\n\ny\n\n## C\nc\n',
    ],
    ['# A\na\n## C\nc\n', { op: 'append_to_section', heading: 'A', markdown: 'y' }, '# A\na\n## C\nc\ny\n'],
    [
      '# A\na\n## C\nc\n',
      { op: 'append_to_section', heading: 'A', markdown: 'y', keep_subsections: true },
      '# A\na\ny\n## C\nc\n',
    ],
    ['# A\ntext\n', { op: 'append_to_section', heading: 'A', markdown: '---' }, '# A\ntext\n\n---\n'],
  ])('%j, %j', (text, op, right) => {
    expect(edited(text, op)).toBe(right);
  });

  it('leaves lines alone that stay, with their odd line endings', () => {
    const text = '# A\r\none\ntwo\r\nthree\r\n';
    const result = applyPatch(text, [{ op: 'replace_section', heading: 'A', markdown: 'one\n2\nthree' }], {
      dialect: 'obsidian',
    });
    expect(result.text).toBe('# A\r\none\n2\r\nthree\r\n');
    expect(result.changes).toEqual([
      { op: 'replace_section', ops: [0], start: 9, end: 14, inserted: '2\r\n' },
    ]);
  });

  it('lists the headings there are when one is missing', () => {
    const error = refused('# A\n## B\n', { op: 'replace_section', heading: 'C', markdown: 'x' });
    expect(error.code).toBe('not_found');
    expect(error.details).toMatchObject({
      headings: [
        { heading: 'A', level: 1, line: 1 },
        { heading: 'A > B', level: 2, line: 2 },
      ],
    });
    expect(error.next).toContain('nothing was created');
  });
});

describe('a block above that nothing closes', () => {
  it.each<[string, PatchOp, number]>([
    ['# A\n\n```js\ncode\n', { op: 'append_to_section', heading: 'A', markdown: 'text' }, 3],
    ['# A\n\n```js\n', { op: 'append_body', markdown: 'text' }, 3],
    ['# A\n\n~~~~\n~~~\n# B\n', { op: 'append_body', markdown: '~~~\ntext' }, 3],
    ['- a\n\n<!-- open\n\nb\n', { op: 'append_body', markdown: '- x\n\ny' }, 3],
    ['# A\n<pre>\n\nb', { op: 'append_to_section', heading: 'A', markdown: 'x\n' }, 2],
    ['```\n```js\n', { op: 'append_body', markdown: 'text' }, 1],
    ['# A\r\n```\r\n', { op: 'append_body', markdown: 'text' }, 2],
  ])('takes no text in without a word: %j', (text, op, line) => {
    const error = refused(text, op);
    expect(error.message).toContain(`line ${line} opens`);
    expect(error.details).toMatchObject({ line });
  });

  it.each<[string, PatchOp, string]>([
    ['```js\ncode\n', { op: 'append_body', markdown: '```\n\ntext' }, '```js\ncode\n```\n\ntext\n'],
    ['<!-- a\n', { op: 'append_body', markdown: '-->\ntext' }, '<!-- a\n-->\ntext\n'],
    ['```\na\n```\n', { op: 'append_body', markdown: 'text' }, '```\na\n```\ntext\n'],
    ['> ```\n> a\n', { op: 'append_body', markdown: 'text' }, '> ```\n> a\ntext\n'],
    ['    code\n', { op: 'append_body', markdown: '    more' }, '    code\n    more\n'],
    [
      '# A\n```\na\nb\n```\n',
      { op: 'replace_section', heading: 'A', markdown: '```\na\nc\n```' },
      '# A\n```\na\nc\n```\n',
    ],
    ['%% open\n', { op: 'append_body', markdown: 'text #t' }, '%% open\ntext #t\n'],
  ])('is closed by the text, or is none: %j, %j', (text, op, right) => {
    expect(edited(text, op)).toBe(right);
  });

  it('is not closed by text that would hide what stands between', () => {
    expect(refused('%% open\n\n[[a]] #b\n', { op: 'append_body', markdown: 'x %% y' }).message).toContain(
      'hide',
    );
    expect(edited('a %% open\n', { op: 'append_body', markdown: 'x %% y' })).toBe('a %% open\n\nx %% y\n');
    expect(edited('a ` open\n', { op: 'append_body', markdown: 'x ` y' })).toBe('a ` open\n\nx ` y\n');
  });
});

describe('blocks', () => {
  it.each<[string, string, string, string]>([
    ['text ^a\n', 'a', 'new\ntext', 'new\ntext ^a\n'],
    ['text ^a\n', '^A', 'new ^a', 'new ^a\n'],
    ['- x ^a\n  - child\n- y\n', 'a', '- z', '- z ^a\n- y\n'],
    ['- x ^a\n  - child\n', 'a', '- z\n  - other', '- z ^a\n  - other\n'],
    ['- p\n  - [ ] x ^a\n', 'a', 'z', '- p\n  - [ ] z ^a\n'],
    ['text ^a\n', 'a', '| a |\n| - |\n| 1 |', '| a |\n| - |\n| 1 |\n\n^a\n'],
    ['[^1]: text ^a\n', 'a', '[^1]: new', '[^1]: new ^a\n'],
    ['[^1]: text ^a\n', 'a', 'new', '[^1]: new ^a\n'],
    ['> q\n\n^a\n\nend\n', 'a', '> new\n\n^a', '> new\n\n^a\n\nend\n'],
  ])('%j: ^%s becomes %j', (text, block_id, markdown, right) => {
    expect(edited(text, { op: 'replace_block', block_id, markdown })).toBe(right);
  });

  it('keeps a Logseq id on its own line in the block', () => {
    const id = '11111111-1111-4111-8111-111111111111';
    const text = `- one\n  id:: ${id}\n- two\n`;
    const op = { op: 'replace_block', block_id: id, markdown: '- new' } as const;
    expect(edited(text, op, 'logseq')).toBe(`- new\n  id:: ${id}\n- two\n`);
  });

  it('refuses what the id could not name as a whole, an unknown id and one used twice', () => {
    expect(refused('text ^a\n', { op: 'replace_block', block_id: 'a', markdown: 'one\n\ntwo' }).code).toBe(
      'invalid_input',
    );
    expect(refused('text ^a\n', { op: 'replace_block', block_id: 'b', markdown: 'x' }).details).toMatchObject(
      {
        blocks: [{ block_id: 'a', line: 1 }],
      },
    );
    expect(refused('x ^a\n\ny ^a\n', { op: 'replace_block', block_id: 'a', markdown: 'z' }).code).toBe(
      'ambiguous',
    );
  });
});

describe('text', () => {
  it('matches line breaks of any kind and writes the note’s', () => {
    const op = { op: 'replace_text', old: 'a\nb', new: 'c\nd\ne' } as const;
    expect(edited('x\r\na\r\nb\r\n', op)).toBe('x\r\nc\r\nd\r\ne\r\n');
  });

  it('counts', () => {
    const error = refused('aa a\na\n', { op: 'replace_text', old: 'a', new: 'b' });
    expect(error.code).toBe('ambiguous');
    expect(error.details).toMatchObject({
      count: 4,
      candidates: [{ line: 1 }, { line: 1 }, { line: 1 }, { line: 2 }],
    });
    expect(edited('a a\n', { op: 'replace_text', old: 'a', new: 'b', expected_count: 2 })).toBe('b b\n');
    expect(edited('a a\n', { op: 'replace_text', old: 'a', new: 'b', occurrence: 2 })).toBe('a b\n');
    expect(refused('a\n', { op: 'replace_text', old: 'a', new: 'b', expected_count: 2 }).code).toBe(
      'conflict',
    );
    expect(refused('aaa\n', { op: 'replace_text', old: 'aa', new: 'b' }).code).toBe('ambiguous');
    expect(refused('---\nk: a\n---\n', { op: 'replace_text', old: 'a', new: 'b' }).details).toMatchObject({
      in_frontmatter: true,
    });
  });

  it('quotes a value only where it must, and refuses what would break the block', () => {
    const both = { op: 'replace_text', include_frontmatter: true, all: true } as const;
    const text = '---\nlist: [one, two] # note\nk: one\n---\n';
    expect(edited(text, { ...both, old: 'one', new: 'three' })).toBe(
      '---\nlist: [three, two] # note\nk: three\n---\n',
    );
    expect(edited(text, { ...both, old: 'one', new: 'a, b' })).toBe(
      '---\nlist: ["a, b", two] # note\nk: a, b\n---\n',
    );
    expect(refused(text, { ...both, old: 'two]', new: 'x' }).code).toBe('invalid_input');
    expect(refused(text, { ...both, old: '---\nlist', new: 'x' }).code).toBe('invalid_input');
  });
});

describe('front matter that cannot be read', () => {
  const repair = { op: 'replace_text', include_frontmatter: true } as const;

  it.each<[string, string, string, string]>([
    ['a colon', '---\nt: a: b\n---\nx\n', 't: a: b', 't: "a: b"'],
    ['a tab', '---\nx:\n\t- 1\ny: 2\n---\nb\n', '\t- 1', '  - 1'],
    ['one of two keys', '---\nt: A\nt: B\n---\n', 't: A\n', ''],
    ['a quote', '---\na: "x\nb: 1\n---\n', '"x', '"x"'],
    ['one of two errors', '---\na: "x\nb: c: d\n---\n', '"x', '"x"'],
    ['an error for another', '---\na: "x\n---\n', '"x', '[x'],
    ['text that is no map', '---\nACME Ltd\n---\n', 'ACME Ltd', 'name: ACME Ltd'],
    ['a marker', '---\na: 1\n...\nb: 2\n---\n', '...\n', ''],
    ['a placeholder', '---\n{{x}}\n---\n', '{{x}}', 'x: "{{x}}"'],
    ['with CRLF', '---\r\nx:\r\n\t- 1\r\n---\r\n', 'x:\n\t- 1', 'x:\n  - 1'],
  ])('can be repaired as text: %s', (_, text, old, now) => {
    const eol = text.includes('\r') ? '\r\n' : '\n';
    const written = (part: string) => part.replaceAll('\n', eol);
    expect(edited(text, { ...repair, old, new: now })).toBe(text.replace(written(old), written(now)));
  });

  it('comes to hold any text that leaves its lines of dashes alone', () => {
    const line = fc.constantFrom(
      'a: b: c',
      '\tx: 1',
      'k: "open',
      'k: v',
      '- i',
      '[',
      '}',
      '# c',
      '@x',
      '',
      'k: &a',
    );
    const block = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => `${lines.join('\n')}\n`);
    fc.assert(
      fc.property(block, block, (before, after) => {
        const text = `---\n${before}---\nbody\n`;
        const problems = parseFrontmatter(text, 'obsidian')?.problems ?? [];
        fc.pre(problems.some(({ severity, code }) => severity === 'error' && code !== 'duplicate_key'));
        expect(edited(text, { ...repair, old: `---\n${before}`.slice(4), new: after })).toBe(
          `---\n${after}---\nbody\n`,
        );
      }),
    );
  });

  it('is no way around the lines of dashes, nor to another error in a block that can be read', () => {
    const text = '---\nt: a: b\n---\nx\n';
    expect(refused(text, { ...repair, old: '---\nt: a: b', new: '---\nt: 1' }).next).toContain('between');
    expect(refused(text, { ...repair, old: 'a: b', new: 'a\n---\nb' }).next).toContain('between');
    expect(refused('---\nt: a\n---\n', { ...repair, old: 't: a', new: 't: a\nt: b' }).code).toBe(
      'invalid_input',
    );
    const twice = '---\nt: A\nt: B\nu: 1\n---\n';
    expect(refused(twice, { ...repair, old: 'u: 1', new: 'u: 1\nv: 2' }).code).toBe('invalid_input');
  });

  it('is where each refusal sends to', () => {
    const text = '---\nt: a: b\n---\nx\n';
    const ops: PatchOp[] = [
      { op: 'set_frontmatter', key: 'k', value: 1 },
      { op: 'delete_frontmatter', key: 't' },
      { op: 'replace_text', old: 'a: b', new: 'a' },
    ];
    for (const op of ops) {
      const { next } = refused(text, op);
      expect(next).toContain('include_frontmatter');
      expect(next).not.toContain('set_frontmatter');
    }
  });
});

describe('tasks', () => {
  const text = '---\nk: v\n---\n- [ ] one\n- [ ] two 中文\n- [x] two\n';

  it('sets the status by text, by line as read, or by both', () => {
    expect(edited(text, { op: 'set_task', task: 'one', status: 'done' })).toBe(
      text.replace('[ ] one', '[x] one'),
    );
    expect(edited(text, { op: 'set_task', line: 5, status: '/' })).toBe(
      text.replace('[ ] two 中文', '[/] two 中文'),
    );
    expect(edited(text, { op: 'set_task', task: '- [x] two', line: 6, status: '[ ]' })).toBe(
      text.replace('[x]', '[ ]'),
    );
  });

  it.each<[string, string, string]>([
    ['- TODO a\n', 'done', '- DONE a\n'],
    ['- TODO a\n', 'x', '- DONE a\n'],
    ['- TODO a\n', '[x]', '- DONE a\n'],
    ['- TODO a\n', 'doing', '- DOING a\n'],
    ['- LATER a\n', 'doing', '- NOW a\n'],
    ['- NOW a\n', 'todo', '- LATER a\n'],
    ['- NOW a\n', 'DOING', '- DOING a\n'],
    ['- DONE a\n', 'todo', '- TODO a\n'],
    ['- TODO a\n', 'waiting', '- WAITING a\n'],
    ['- TODO a\n', 'CANCELLED', '- CANCELLED a\n'],
    ['- TODO a\n', 'cancelled', '- CANCELED a\n'],
    ['- TODO [#A] a\n', 'done', '- DONE [#A] a\n'],
    ['- ## TODO a\n', 'done', '- ## DONE a\n'],
    ['- [ ] a\n', 'done', '- [x] a\n'],
    ['- TODO a\n', 'todo', '- TODO a\n'],
  ])('writes the words of Logseq: %j, %s', (before, status, right) => {
    expect(edited(before, { op: 'set_task', task: 'a', status }, 'logseq')).toBe(right);
    expect(edited(before, { op: 'set_task', line: 1, status }, 'logseq')).toBe(right);
  });

  it.each<[string, string, string]>([
    ['* [TODO] a\n', 'done', '* [x] a\n'],
    ['* [ ] a\n', 'IN PROGRESS', '* [IN PROGRESS] a\n'],
    ['* [x] a\n', '[DONE]', '* [DONE] a\n'],
    ['* [WAITING] a\n', 'todo', '* [ ] a\n'],
  ])('writes the states of SilverBullet: %j, %s', (before, status, right) => {
    expect(edited(before, { op: 'set_task', task: 'a', status }, 'silverbullet')).toBe(right);
  });

  it.each<[string, string, Dialect]>([
    ['- TODO a\n', '!', 'logseq'],
    ['- TODO a\n', 'soon', 'logseq'],
    ['- [ ] a\n', 'WAITING', 'logseq'],
    ['- [ ] a\n', 'WAITING', 'obsidian'],
    ['* [ ] a\n', 'a: b', 'silverbullet'],
    ['* [ ] a\n', 'a]', 'silverbullet'],
  ])('refuses a status that the task cannot have: %j, %s', (before, status, dialect) => {
    const error = refused(before, { op: 'set_task', task: 'a', status }, dialect);
    expect([error.code, error.details?.wrong]).toEqual(['invalid_input', ['status']]);
  });

  it('counts lines as they were before the call', () => {
    const ops: PatchOp[] = [
      { op: 'prepend_body', markdown: 'first\nsecond' },
      { op: 'set_task', line: 5, status: 'x' },
    ];
    expect(edited(text, ops)).toContain('- [x] two 中文');
  });

  it('does not guess', () => {
    expect(refused(text, { op: 'set_task', task: 'tw', status: 'x' }).details).toMatchObject({
      candidates: [{ line: 5, text: 'two 中文' }, { line: 6 }],
    });
    expect(refused(text, { op: 'set_task', task: 'one', line: 5, status: 'x' }).code).toBe('conflict');
    expect(refused(text, { op: 'set_task', line: 2, status: 'x' }).code).toBe('not_found');
    expect(refused('- [ ] a\n- [ ] a\n', { op: 'set_task', task: 'a', status: 'x' }).code).toBe('ambiguous');
    expect(refused(text, { op: 'set_task', task: 'one', status: 'xy' }).code).toBe('invalid_input');
  });
});

describe('tags', () => {
  it('adds to the list that is there, and not what the text has', () => {
    expect(edited('---\ntags:\n  - a\n---\n', { op: 'add_tag', tag: '#b' })).toBe(
      '---\ntags:\n  - a\n  - b\n---\n',
    );
    expect(edited('text #A\n', { op: 'add_tag', tag: 'a' })).toBe('text #A\n');
    expect(refused('', { op: 'add_tag', tag: 'two words' }).code).toBe('invalid_input');
  });

  it.each<[string, string]>([
    ['x #a y\n', 'x y\n'],
    ['#a text\n', 'text\n'],
    ['text #a\n', 'text\n'],
    ['- #a text #a, #a/b #ab\n', '- text, #a/b #ab\n'],
    ['- [ ] #a do\n', '- [ ] do\n'],
    ['`#a` #A\n', '`#a`\n'],
    ['---\ntags: [a, b] # c\n---\n#a #a z\n', '---\ntags: [b] # c\n---\nz\n'],
  ])('removes #a from %j', (text, right) => {
    expect(edited(text, { op: 'remove_tag', tag: 'a' })).toBe(right);
  });

  it('leaves the other entries of a Logseq page as they are written', () => {
    const text = 'tags:: [[a]], #b, [[c d]]\n\n- x\n';
    expect(edited(text, { op: 'remove_tag', tag: 'b' }, 'logseq')).toBe(text.replace(', #b', ''));
    expect(edited(text, { op: 'remove_tag', tag: 'c d' }, 'logseq')).toBe(text.replace(', [[c d]]', ''));
  });

  it('refuses a removal that would make a heading', () => {
    expect(refused('#a # b\n', { op: 'remove_tag', tag: 'a' }).code).toBe('invalid_input');
  });

  it('renames nested tags and property tags, quoted where needed', () => {
    const text = '---\nTags: [old, "#Old/sub", other]\n---\n#OLD/x/y #older [l](u#old)\n';
    expect(renameTag(text, 'obsidian', 'old', 'new/er').text).toBe(
      '---\nTags: [new/er, "#new/er/sub", other]\n---\n#new/er/x/y #older [l](u#old)\n',
    );
    expect(renameTag('---\ntags: [old]\n---\n', 'obsidian', 'old', 'true').text).toBe(
      '---\ntags: ["true"]\n---\n',
    );
    expect(renameTag('- #old #[[old]]\n', 'logseq', 'old', 'two words').text).toBe(
      '- #[[two words]] #[[two words]]\n',
    );
    expect(() => renameTag('', 'obsidian', 'old', '1984')).toThrow(/cannot be a tag/);
  });
});

describe('headings', () => {
  it('renames the text and the links of the note that lead there', () => {
    const text = '# A\n## B ^id\n[[#A#B ^id]] [x](#A) [[Other#A]] `[[#A]]`\n';
    expect(edited(text, { op: 'rename_heading', from: 'A', to: 'Q: & A' })).toBe(
      '# Q: & A\n## B ^id\n[[#Q & A#B ^id]] [x](#Q%20%26%20A) [[Other#A]] `[[#A]]`\n',
    );
    expect(edited('## B ^id\n', { op: 'rename_heading', from: 'B ^id', to: 'C' })).toBe('## C ^id\n');
  });

  it('takes links that name the note when told so', () => {
    const isSelfLink = (link: { target: string }) => link.target === 'Me';
    const op = { op: 'rename_heading', from: 'A', to: 'B' } as const;
    expect(applyPatch('# A\n[[Me#A]]\n', [op], { dialect: 'obsidian', isSelfLink }).text).toBe(
      '# B\n[[Me#B]]\n',
    );
  });

  it('refuses another level, a text that is no heading, and a name that would take links away', () => {
    expect(refused('# A\n', { op: 'rename_heading', from: 'A', to: '## B' }).message).toContain('level');
    expect(refused('# A\n', { op: 'rename_heading', from: 'A', to: 'B #' }).message).toContain('read back');
    expect(refused('# A\n# B\n[[#B]]\n', { op: 'rename_heading', from: 'A', to: 'B' }).message).toContain(
      'link',
    );
  });
});

describe('several ops', () => {
  it('apply in order and report spans of the old text', () => {
    const text = '---\ntags: [a]\n---\n# A\n\none\n';
    const result = applyPatch(
      text,
      [
        { op: 'append_to_section', heading: 'A', markdown: '- [ ] do' },
        { op: 'set_task', task: 'do', status: 'x' },
        { op: 'add_tag', tag: 'b' },
        { op: 'add_tag', tag: 'a' },
      ],
      { dialect: 'obsidian' },
    );
    expect(result.text).toBe('---\ntags: [a, b]\n---\n# A\n\none\n- [x] do\n');
    expect(result.changes.map(({ ops }) => ops)).toEqual([[2], [0, 1]]);
    expect(result.counts).toEqual({ body: 2, frontmatter: 1 });
    expect(result.unchangedOps).toEqual([3]);
  });

  it('change nothing when one is refused, and say which', () => {
    const error = refused('# A\n', [
      { op: 'append_body', markdown: 'x' },
      { op: 'replace_section', heading: 'Nope', markdown: 'x' },
    ]);
    expect(error.message).toMatch(/^ops\[1\] replace_section: .* Nothing was changed\.$/);
    expect(error.details).toMatchObject({ op_index: 1, op: 'replace_section' });
  });
});
