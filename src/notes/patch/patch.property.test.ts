import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomEdit } from '../../../test/patch/edits.ts';
import { noteText } from '../../../test/patch/note-arbitrary.ts';
import { judge } from '../../../test/patch/oracle.ts';
import { Random } from '../../../test/patch/random.ts';
import { isLecternError } from '../../errors.ts';
import type { Dialect } from '../model.ts';
import { parseNote } from '../parse.ts';
import { applySplices } from '../splice.ts';
import { sectionBody } from '../structure/section-body.ts';
import { tagKey } from '../structure/tags.ts';
import { applyPatch } from './apply.ts';
import type { PatchOp } from './op.ts';
import { renameTag } from './rename-tag.ts';

const dialects = fc.constantFrom<Dialect>('obsidian', 'obsidian', 'silverbullet', 'logseq');
const seeds = fc.nat(1_000_000);

/** Ops that have no effect the second time. */
const IDEMPOTENT = new Set<PatchOp['op']>([
  'set_frontmatter',
  'delete_frontmatter',
  'replace_section',
  'set_task',
  'add_tag',
  'remove_tag',
]);

function tried(text: string, ops: readonly PatchOp[], dialect: Dialect) {
  try {
    return applyPatch(text, ops, { dialect });
  } catch (error) {
    if (isLecternError(error) && error.code !== 'internal') return undefined;
    throw error;
  }
}

describe('any edit of any note', () => {
  it('changes its own place and nothing else, and reads back', () => {
    fc.assert(
      fc.property(noteText, dialects, seeds, (text, dialect, seed) => {
        const random = new Random(seed);
        let now = text;
        for (let step = 0; step < 3; step++) {
          // CR before an LF becomes a CRLF, so in such a mixture an insertion cannot keep its line breaks.
          if (/\r(?!\n)/.test(now) && now.includes('\n')) return;
          const note = parseNote(now, { dialect });
          now = judge(note, randomEdit(random, note), dialect).text;
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is complete after the first time where it states a result', () => {
    fc.assert(
      fc.property(noteText, dialects, seeds, (text, dialect, seed) => {
        const op = randomEdit(new Random(seed), parseNote(text, { dialect }));
        if (!IDEMPOTENT.has(op.op)) return;
        const once = tried(text, [op], dialect);
        if (once === undefined || op.line !== undefined) return;
        // A heading inserted into a section may end the section.
        if (op.op === 'replace_section' && /^ {0,3}#|^[-=]/m.test(op.markdown ?? '')) return;
        const again = tried(once.text, [op], dialect);
        // The inserted text may have made a section ambiguous, or the new text a task.
        if (again !== undefined) expect(again.text).toBe(once.text);
      }),
      { numRuns: 200 },
    );
  });

  it('is no edit when a section is written back as it was read', () => {
    fc.assert(
      fc.property(noteText, dialects, fc.boolean(), (text, dialect, keepSubsections) => {
        const note = parseNote(text, { dialect });
        for (const heading of note.headings) {
          const same = note.headings.filter((one) => one.text === heading.text);
          const markdown = sectionBody(note, heading, { keepSubsections }).text;
          const op: PatchOp = {
            op: 'replace_section',
            heading: heading.text,
            occurrence: same.indexOf(heading) + 1,
            markdown,
            keep_subsections: keepSubsections,
          };
          const result = tried(text, [op], dialect);
          if (result !== undefined) expect(result).toMatchObject({ text, unchangedOps: [0] });
        }
      }),
      { numRuns: 200 },
    );
  });

  it('comes to the same in one call as one after the other, or is refused as a whole', () => {
    fc.assert(
      fc.property(noteText, dialects, seeds, (text, dialect, seed) => {
        const random = new Random(seed);
        const first = randomEdit(random, parseNote(text, { dialect }));
        const between = tried(text, [first], dialect);
        if (between === undefined) return;
        const second = randomEdit(random, parseNote(between.text, { dialect }));
        if (second.line !== undefined) return;
        const apart = tried(between.text, [second], dialect);
        const together = tried(text, [first, second], dialect);
        // The line ending is detected once per call, as new front matter may change the most frequent one.
        if (!text.includes('\n')) return;
        expect(together?.text).toBe(apart?.text);
      }),
      { numRuns: 200 },
    );
  });

  it('renames a tag and no other text', () => {
    fc.assert(
      fc.property(
        noteText,
        dialects,
        fc.constantFrom('tag', 'todo', 'a', 'real', 'タグ'),
        (text, dialect, from) => {
          const before = parseNote(text, { dialect });
          const { text: now, changes } = renameTag(text, dialect, `#${from}`, 'new/name');
          const after = parseNote(now, { dialect });
          expect(applySplices(text, changes)).toBe(now);
          expect(after.tags.map(({ name }) => name)).toEqual(
            before.tags.map(({ name }) =>
              `${tagKey(name)}/`.startsWith(`${tagKey(from)}/`) ? `new/name${name.slice(from.length)}` : name,
            ),
          );
          const blank = (note: typeof before) =>
            applySplices(
              note.text,
              note.tags.map(({ span }) => ({ ...span, insert: '' })),
            );
          expect(blank(after)).toBe(blank(before));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('hostile notes', () => {
  const long = 200_000;
  it.each<[string, string, PatchOp]>([
    ['blank lines', `# A\n${'\n'.repeat(long)}x`, { op: 'replace_section', heading: 'A', markdown: 'y' }],
    ['spaces in a heading', `# A${' '.repeat(long)}b`, { op: 'rename_heading', from: 'A b', to: 'c' }],
    ['one long line', `${'a '.repeat(long)}`, { op: 'replace_text', old: 'a a', new: 'b', all: true }],
    ['line breaks to match', 'a\r\n'.repeat(long), { op: 'replace_text', old: 'a\na', new: 'b', all: true }],
    ['hashes', '#'.repeat(long), { op: 'remove_tag', tag: 'a' }],
    ['carets', `x ${'^'.repeat(long)}`, { op: 'append_body', markdown: '^a' }],
    [
      'spaces to insert',
      '# A\n',
      { op: 'append_to_section', heading: 'A', markdown: `x${' '.repeat(long)}\n${' \n'.repeat(long)}` },
    ],
  ])('%s are edited in linear time', (_, text, op) => {
    const started = process.cpuUsage();
    tried(text, [op], 'obsidian');
    // Processor time, which other work on the machine does not affect.
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(3_000);
  });
});
