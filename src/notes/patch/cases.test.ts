import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isLecternError, type LecternError } from '../../errors.ts';
import { parseNote } from '../parse.ts';
import { sectionBody } from '../structure/section-body.ts';
import { applyPatch } from './apply.ts';
import type { PatchOp } from './op.ts';
import { renameTag } from './rename-tag.ts';

/** The shared cases that edit the text of one note. */

interface Action {
  readonly op: string;
  readonly path: string;
  readonly [field: string]: unknown;
}

interface Case {
  readonly id: string;
  readonly input: { readonly files: Readonly<Record<string, string>> };
  readonly action: Action | readonly Action[];
  readonly right: { readonly files?: Readonly<Record<string, string>> };
}

const cases = new Map(
  readFileSync(new URL('../../../test/fixtures/cases.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Case)
    .map((one) => [one.id, one]),
);

function caseOf(id: string): Case {
  const found = cases.get(id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
}

/** Converts a case's action to ops; undefined when it is no edit of one note. */
function opsOf(action: Action): readonly PatchOp[] | undefined {
  const { content, heading, key, value } = action as unknown as Record<string, never>;
  switch (action.op) {
    case 'append':
      return [{ op: 'append_body', markdown: content }];
    case 'prepend':
      return [{ op: 'prepend_body', markdown: content }];
    case 'append_section':
      return [{ op: 'append_to_section', heading, markdown: content }];
    case 'replace_section':
      return [{ op: 'replace_section', heading, markdown: content }];
    case 'replace_block':
      return [{ op: 'replace_block', block_id: action.block as string, markdown: content }];
    case 'replace_text':
      return [
        {
          op: 'replace_text',
          old: action.old as string,
          new: action.new as string,
          all: action.all === true,
        },
      ];
    case 'rename_heading':
      return [
        {
          op: 'rename_heading',
          from: heading,
          to: action.new as string,
          occurrence: action.occurrence as number,
        },
      ];
    case 'add_tag':
      return [{ op: 'add_tag', tag: action.tag as string }];
    case 'set_property':
      return [{ op: 'set_frontmatter', key, value }];
    case 'set_properties':
      return Object.entries(action.values as object).map(([name, one]) => ({
        op: 'set_frontmatter',
        key: name,
        value: one,
      }));
    default:
      return undefined;
  }
}

/** The files of a case after its edits; a refused edit leaves its file unchanged. */
function run(id: string): { files: Record<string, string>; refusals: LecternError[] } {
  const { input, action } = caseOf(id);
  const files = { ...input.files };
  const refusals: LecternError[] = [];
  const dialect = id.startsWith('log-') ? 'logseq' : 'obsidian';
  for (const one of Array.isArray(action) ? (action as Action[]) : [action as Action]) {
    const ops = opsOf(one);
    if (ops === undefined) continue;
    try {
      files[one.path] = applyPatch(files[one.path] ?? '', ops, { dialect }).text;
    } catch (error) {
      if (!isLecternError(error)) throw error;
      refusals.push(error);
    }
  }
  return { files, refusals };
}

describe('shared cases', () => {
  it.each([
    'app-01',
    'app-02',
    'app-04',
    'app-05',
    'app-07',
    'fm-01',
    'fm-07',
    'fm-11',
    'fm-12',
    'fm-15',
    'fm-16',
    'sec-01',
    'sec-03',
    'sec-04',
    'sec-05',
    'sec-10',
    'sec-11',
    'sec-14',
    'sec-15',
    'sec-16',
    'log-03',
  ])('%s gives exactly the right bytes', (id) => {
    const { files, refusals } = run(id);
    expect(refusals).toEqual([]);
    expect(files).toEqual(caseOf(id).right.files);
  });

  it.each(['sec-02', 'fm-18', 'fm-19'])('%s is refused and changes nothing', (id) => {
    const { files, refusals } = run(id);
    expect(refusals).toHaveLength(1);
    expect(files).toEqual(caseOf(id).right.files);
  });

  it('sec-02: the refusal lists both headings with their paths, and a path is enough', () => {
    const [refusal] = run('sec-02').refusals;
    expect(refusal?.code).toBe('ambiguous');
    expect(refusal?.message).toContain('Jan > Tasks (line 3), Feb > Tasks (line 9)');
    expect(refusal?.details.candidates).toEqual([
      { heading: 'Jan > Tasks', line: 3, occurrence: 1 },
      { heading: 'Feb > Tasks', line: 9, occurrence: 2 },
    ]);
    const text = caseOf('sec-02').input.files['Log.md']!;
    for (const heading of [['Feb', 'Tasks'], 'Feb#Tasks', 'Feb > Tasks', '# Feb > ## Tasks']) {
      const op = { op: 'append_to_section', heading, markdown: '- c' } as const;
      expect(applyPatch(text, [op], { dialect: 'obsidian' }).text).toBe(`${text}- c\n`);
    }
  });

  it('sec-03: twice gives the same file', () => {
    const once = run('sec-03').files['J.md']!;
    const op = { op: 'replace_section', heading: 'Journal', markdown: 'one line' } as const;
    expect(applyPatch(once, [op], { dialect: 'obsidian' })).toMatchObject({
      text: once,
      unchangedOps: [0],
      changes: [],
    });
  });

  it('sec-07: a section read and written back is byte-identical', () => {
    const text = caseOf('sec-07').input.files['R.md']!;
    const note = parseNote(text, { dialect: 'obsidian' });
    const body = sectionBody(note, note.headings[0]!).text;
    expect(body).toBe('```sh\n# not a heading\n```\n\ntext');
    for (const markdown of [body, `\n\n${body}\n\n`, `# A\n\n\n${body}\n`]) {
      const op = { op: 'replace_section', heading: 'A', markdown } as const;
      expect(applyPatch(text, [op], { dialect: 'obsidian' }).text).toBe(text);
    }
  });

  it('sec-08: below a rule that is no underline', () => {
    const { files } = run('sec-08');
    expect(files['I.md']).toBe('## Install\n- step one\n---\n- step two\n## Usage\ntext\n');
    expect(parseNote(files['I.md']!, { dialect: 'obsidian' }).headings).toHaveLength(2);
  });

  it('sec-11: sub-sections are left alone on request', () => {
    const text = caseOf('sec-11').input.files['S.md']!;
    const op = { op: 'replace_section', heading: 'A', markdown: 'new', keep_subsections: true } as const;
    expect(applyPatch(text, [op], { dialect: 'obsidian' }).text).toBe(
      '# T\n## A\nnew\n### A1\na1\n## B\nb\n',
    );
  });

  it('sec-15: in the front matter the value is quoted, and the hits are told apart', () => {
    const text = caseOf('sec-15').input.files['Q.md']!;
    const op = { op: 'replace_text', old: 'Q3 Planning', new: 'Q3: Planning', all: true } as const;
    expect(applyPatch(text, [op], { dialect: 'obsidian' }).counts).toEqual({ body: 1, frontmatter: 0 });
    const both = applyPatch(text, [{ ...op, include_frontmatter: true }], { dialect: 'obsidian' });
    expect(both.text).toBe('---\nproject: "Q3: Planning"\ntags: [q3]\n---\n\nNotes for Q3: Planning.\n');
    expect(both.counts).toEqual({ body: 1, frontmatter: 1 });
  });

  it('sec-16: without an occurrence the heading is ambiguous; the first one takes its links along', () => {
    const text = caseOf('sec-16').input.files['X.md']!;
    const op = { op: 'rename_heading', from: 'Ex', to: 'New one' } as const;
    expect(() => applyPatch(text, [op], { dialect: 'obsidian' })).toThrow(/names 2 headings/);
    const { text: now, renamedHeadings } = applyPatch(text, [{ ...op, occurrence: 1 }], {
      dialect: 'obsidian',
    });
    // "#Ex" would now lead to the second heading, so both links follow the first.
    expect(now).toBe('# R\n\n## New one\n\na\n\n## Ex\n\nb\n\n[one](#New%20one) [[#New one]]\n');
    expect(renamedHeadings).toMatchObject([{ from: 'Ex', to: 'New one', line: 3, occurrence: 1, links: 2 }]);
  });

  it('fm-06: values read back with their types', () => {
    const { files } = run('fm-06');
    const { values } = caseOf('fm-06').action as unknown as { values: unknown };
    const note = parseNote(files['N.md']!, { dialect: 'obsidian' });
    expect(note.frontmatter?.data).toEqual(values);
    expect(files['N.md']!.slice(note.bodyStart)).toBe('# x\n');
  });

  it('fm-09: unquoted links stay as they are', () => {
    expect(run('fm-09').files['N.md']).toBe(
      '---\nwho: [[Bill Gates]]\nok: "[[Bill Gates]]"\nlist:\n  - [[A]]\nz: 1\n---\n',
    );
  });

  it('fm-17: a single tag becomes a list of two', () => {
    const { files } = run('fm-17');
    expect(parseNote(files['N.md']!, { dialect: 'obsidian' }).frontmatter?.data).toEqual({
      tags: ['a', 'proj/sub'],
    });
  });

  it('tag-08: only tags are renamed, and what was left alone is reported', () => {
    const { input, right } = caseOf('tag-08');
    const result = renameTag(input.files['A.md']!, 'obsidian', 'todo', 'done');
    expect(result.text).toBe(right.files!['A.md']);
    expect(result.skipped.map(({ line, kind }) => [line, kind])).toEqual([
      [1, 'code'],
      [1, 'text'],
      [1, 'text'],
      [3, 'query'],
    ]);
  });
});
