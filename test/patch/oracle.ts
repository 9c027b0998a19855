import { isDeepStrictEqual } from 'node:util';
import { isLecternError } from '../../src/errors.ts';
import { followedSubpath, headingChain } from '../../src/notes/links/subpath.ts';
import type { Dialect, Heading, ParsedNote } from '../../src/notes/model.ts';
import { parseNote } from '../../src/notes/parse.ts';
import { applyPatch, type PatchResult } from '../../src/notes/patch/apply.ts';
import type { PatchOp } from '../../src/notes/patch/op.ts';
import { applySplices } from '../../src/notes/splice.ts';
import { findBlock } from '../../src/notes/structure/blocks.ts';
import { findHeading, sectionOf } from '../../src/notes/structure/outline.ts';
import { sectionBody } from '../../src/notes/structure/section-body.ts';
import { tagKey } from '../../src/notes/structure/tags.ts';

/** What came of an edit: the op's name when it was applied, `unchanged`, or the refusal's code. */
export interface Outcome {
  readonly kind: 'changed' | 'unchanged' | 'refused';
  readonly code: string;
  readonly text: string;
}

/**
 * Applies an edit and judges the result by rules that know nothing of how edits are made: which bytes of
 * the old text must still stand, in one piece, at which end, and what must read back.
 *
 * @throws Error when a rule is broken
 */
export function judge(before: ParsedNote, op: PatchOp, dialect: Dialect): Outcome {
  const text = before.text;
  let result: PatchResult;
  try {
    result = applyPatch(text, [op], { dialect });
  } catch (error) {
    if (!isLecternError(error)) throw error;
    if (error.code === 'internal') throw error;
    return { kind: 'refused', code: error.code, text };
  }
  if (result.text === text) {
    must(result.changes.length === 0, 'no change is reported when nothing changed');
    must(isDeepStrictEqual(result.unchangedOps, [0]), 'an unchanged op is named');
    return { kind: 'unchanged', code: op.op, text };
  }
  const splices = result.changes.map(({ start, end, inserted }) => ({ start, end, insert: inserted }));
  must(applySplices(text, splices) === result.text, 'the reported spans turn the old text into the new one');
  must(text.startsWith('\ufeff') === result.text.startsWith('\ufeff'), 'a BOM stays, and none comes');
  must(!/\p{Surrogate}/u.test(result.text) || /\p{Surrogate}/u.test(text), 'no character is torn apart');
  // Property lines end in LF, in a note with the old Macintosh's CR, too.
  const inProperties = op.op === 'set_frontmatter' || op.op === 'add_tag';
  const free = op.op === 'replace_text' || (inProperties && /\r(?!\n)/.test(text));
  if (!free) keepsLineEndings(text, result.text);
  const after = parseNote(result.text, { dialect });
  judgeOp(before, after, op, dialect);
  return { kind: 'changed', code: op.op, text: result.text };
}

function judgeOp(before: ParsedNote, after: ParsedNote, op: PatchOp, dialect: Dialect): void {
  switch (op.op) {
    case 'append_body':
      must(after.text.startsWith(before.text), 'the old text stands in front');
      must(/[\r\n]$/.test(after.text), 'the result ends with a line break');
      must(
        sameLines(after.text.slice(before.text.length), op.markdown ?? ''),
        'what was appended is the text',
      );
      keepsOutline(before, after, before.text.length, before.text.length);
      return;
    case 'insert_lines': {
      const bom = before.text.startsWith('\ufeff') ? 1 : 0;
      const at = { top: bom, start: before.bodyStart, end: before.text.length }[op.at ?? 'end'];
      must(after.text.startsWith(before.text.slice(0, at)), 'the old text in front stays');
      must(after.text.endsWith(before.text.slice(at)), 'the old text behind stays');
      const added = after.text.slice(at, after.text.length - (before.text.length - at));
      must(sameLines(added, op.markdown ?? ''), 'what was inserted is the text');
      return;
    }
    case 'prepend_body': {
      const body = before.text.slice(before.bodyStart);
      must(after.text.startsWith(before.text.slice(0, before.bodyStart)), 'the front matter stays');
      must(after.text.endsWith(body), 'the old body stands behind');
      const added = after.text.slice(before.bodyStart, after.text.length - body.length);
      must(sameLines(added, op.markdown ?? ''), 'what was put in front is the text');
      keepsOutline(before, after, before.bodyStart, before.bodyStart);
      return;
    }
    case 'insert_before_heading':
    case 'insert_after_heading':
    case 'append_to_section': {
      const { first, last, length } = insertion(before.text, after.text);
      must(
        sameLines(after.text.slice(last, last + length), op.markdown ?? '', true),
        'what was inserted is the text',
      );
      const heading = headingOf(before, op);
      const section = sectionOf(before, before.headings.indexOf(heading))!;
      if (op.op === 'insert_before_heading') {
        must(first <= section.span.start, 'it stands in front of the heading');
      } else {
        must(last >= heading.span.end && first <= section.span.end, 'it stands in the section');
      }
      keepsOutline(before, after, last, last, false);
      return;
    }
    case 'replace_section': {
      const heading = headingOf(before, op);
      const index = before.headings.indexOf(heading);
      const keepSubsections = op.keep_subsections === true;
      const section = sectionOf(before, index)!;
      const end = keepSubsections ? section.ownSpan.end : section.bodySpan.end;
      must(after.text.startsWith(before.text.slice(0, heading.span.end)), 'all up to the heading stays');
      must(after.text.endsWith(before.text.slice(end)), 'all from the next section on stays');
      keepsOutline(before, after, heading.span.end, end);
      const now = after.headings[index]!;
      must(now.text === heading.text && now.level === heading.level, 'the heading stays');
      if (!/^\s*#{1,6}\s|^.*\n[-=]+\s*$/m.test(op.markdown ?? '')) {
        must(
          sameLines(sectionBody(after, now, { keepSubsections }).text, op.markdown ?? ''),
          'the section reads as written',
        );
      }
      return;
    }
    case 'replace_block': {
      const lookup = findBlock(before, op.block_id ?? '');
      const now = findBlock(after, op.block_id ?? '');
      must(lookup.kind === 'found' && now.kind === 'found', 'the id names one block, before and after');
      if (lookup.kind !== 'found' || now.kind !== 'found') return;
      must(now.block.span.start >= lookup.block.span.start, 'the id names nothing in front of the block');
      const { span, idSpan } = lookup.block;
      must(after.text.startsWith(before.text.slice(0, span.start)), 'all in front of the block stays');
      must(
        after.text.endsWith(before.text.slice(Math.max(span.end, idSpan.end))),
        'all behind the block stays',
      );
      must(others(before, op) === others(after, op), 'other block ids stay');
      return;
    }
    case 'rename_heading':
      judgeRename(before, after, op);
      return;
    case 'replace_text':
      judgeReplacement(before, after, op);
      return;
    case 'set_task': {
      must(withoutStatus(before) === withoutStatus(after), 'only the status differs');
      const changed = before.tasks.filter((task, index) => task.status !== after.tasks[index]?.status);
      must(changed.length === 1 && before.tasks.length === after.tasks.length, 'one task changed');
      return;
    }
    case 'set_frontmatter':
    case 'delete_frontmatter':
    case 'add_tag':
      judgeProperties(before, after, op, dialect);
      return;
    case 'remove_tag': {
      const key = tagKey(op.tag ?? '');
      const kept = before.tags.filter(({ name }) => tagKey(name) !== key).map(({ name }) => name);
      must(
        isDeepStrictEqual(
          after.tags.map(({ name }) => name),
          kept,
        ),
        'exactly that tag is gone',
      );
      return;
    }
  }
}

function judgeRename(before: ParsedNote, after: ParsedNote, op: PatchOp): void {
  const heading = headingOf(before, { ...op, heading: op.from ?? '' });
  const index = before.headings.indexOf(heading);
  must(before.headings.length === after.headings.length, 'no heading comes or goes');
  must(masked(before, index) === masked(after, index), 'nothing but the heading and links to it differs');
  const links = (note: ParsedNote) =>
    note.links
      .filter(
        ({ target, subpath, syntax }) =>
          target === '' && subpath !== '' && syntax !== 'block-ref' && syntax !== 'tag-ref',
      )
      .map(
        ({ subpath }) =>
          headingChain(note.headings, followedSubpath(subpath, 'wiki', 'obsidian'))?.at(-1) ?? -1,
      );
  must(isDeepStrictEqual(links(before), links(after)), 'every link leads to the heading it led to');
}

/** The text with one heading's text and the subpaths of self links blanked out. */
function masked(note: ParsedNote, index: number): string {
  const spans = [
    note.headings[index]!.textSpan,
    ...note.links
      .filter(({ target, subpath }) => target === '' && subpath !== '')
      .map(({ subpathSpan }) => subpathSpan),
  ].sort((a, b) => a.start - b.start);
  let text = '';
  let at = 0;
  for (const { start, end } of spans) {
    if (start < at) continue;
    text += `${note.text.slice(at, start).replace(/[ \t]$/, '')}\0`;
    at = end;
  }
  return text + note.text.slice(at);
}

function judgeReplacement(before: ParsedNote, after: ParsedNote, op: PatchOp): void {
  const lf = (text: string) => text.replace(/\r\n?/g, '\n');
  const old = lf(op.old ?? '');
  const now = lf((op.new ?? '').replace(/^\ufeff/, ''));
  const body = lf(before.text.slice(before.bodyStart));
  const head = before.text.slice(0, before.bodyStart);
  if (op.include_frontmatter === true) {
    if (before.frontmatter?.kind === 'yaml')
      must(after.frontmatter !== undefined, 'the front matter stays readable');
    return;
  }
  must(after.text.startsWith(head), 'the front matter stays');
  const got = lf(after.text.slice(head.length));
  const all = body.split(old).join(now);
  const at = body.indexOf(old);
  const first = body.slice(0, at) + now + body.slice(at + old.length);
  must(
    got === (op.all === true || op.expected_count !== undefined ? all : first),
    'the text is replaced literally',
  );
}

function judgeProperties(before: ParsedNote, after: ParsedNote, op: PatchOp, dialect: Dialect): void {
  const bodyOf = (note: ParsedNote) => note.text.slice(note.bodyStart);
  if (dialect === 'logseq' && before.frontmatter?.kind !== 'yaml') {
    must(after.text.endsWith(bodyOf(before).trimStart()), 'the page’s blocks stay');
  } else {
    must(
      bodyOf(before) === bodyOf(after) || (before.bodyStart === 0 && after.text.endsWith(before.text)),
      'the body stays',
    );
  }
  const key = op.op === 'add_tag' ? 'tags' : (op.key ?? '');
  const sources = (note: ParsedNote) =>
    (note.frontmatter?.properties ?? [])
      .filter((one) => nameOf(one.key) !== nameOf(key))
      .map(({ span }) => note.text.slice(span.start, span.end).trimEnd());
  // Without its only property a Logseq page takes its next block's properties for its own.
  const last = before.frontmatter?.kind === 'logseq' && before.frontmatter.properties.length === 1;
  const kept = isDeepStrictEqual(sources(before), sources(after));
  must(kept || (last && op.op === 'delete_frontmatter'), 'other properties keep every byte');
  if (op.op === 'set_frontmatter' && dialect !== 'logseq') {
    const property = after.frontmatter?.properties.find((one) => nameOf(one.key) === nameOf(key));
    must(
      isDeepStrictEqual(property?.value, op.value),
      `the value reads back: ${JSON.stringify(property?.value)}`,
    );
  }
  if (op.op === 'add_tag') {
    must(
      after.tags.some(({ name }) => tagKey(name) === tagKey(op.tag ?? '')),
      'the note has the tag',
    );
    must(after.tags.length === before.tags.length + 1, 'and no other new one');
  }
}

function nameOf(key: string): string {
  return key.normalize('NFC').toLowerCase().replaceAll('_', '-');
}

function headingOf(note: ParsedNote, op: PatchOp): Heading {
  const lookup = findHeading(note, op.heading ?? '', op.occurrence);
  if (lookup.kind !== 'found') throw new Error('an edit at a heading that is not there was accepted');
  return lookup.heading;
}

/** Headings outside `[start, end)` of the old text are the same ones after. `placed`: the span is exact, not found. */
function keepsOutline(
  before: ParsedNote,
  after: ParsedNote,
  start: number,
  end: number,
  placed = true,
): void {
  const mark = ({ level, text }: Heading) => `${level} ${text}`;
  const head = before.headings.filter(({ span }) => span.end <= start).map(mark);
  const tail = before.headings.filter(({ span }) => span.start >= end && span.end > start).map(mark);
  const now = after.headings.map(mark);
  must(isDeepStrictEqual(now.slice(0, head.length), head), 'headings in front stay');
  const inFront = (note: ParsedNote) => note.headings.filter(({ span }) => span.start < start).length;
  must(!placed || inFront(before) === inFront(after), 'no heading comes up in front');
  const newEnd = end + after.text.length - before.text.length;
  const across = after.headings.some(({ span }) => span.start < newEnd && span.end > newEnd);
  must(!across || !placed, 'no heading reaches across the end of the edit');
  must(isDeepStrictEqual(tail.length === 0 ? [] : now.slice(-tail.length), tail), 'headings behind stay');
}

function keepsLineEndings(before: string, after: string): void {
  const kinds = (text: string) => new Set(text.match(/\r\n?|\n/g) ?? []);
  const old = kinds(before);
  if (old.size === 0) return;
  for (const kind of kinds(after))
    must(old.has(kind), `no new kind of line ending comes in: ${JSON.stringify(kind)}`);
}

/** The one inserted run. Where it repeats its surroundings, it may stand anywhere from `first` to `last`. */
function insertion(before: string, after: string): { first: number; last: number; length: number } {
  let last = 0;
  while (last < before.length && before[last] === after[last]) last++;
  let behind = 0;
  while (behind < before.length && before.at(-1 - behind) === after.at(-1 - behind)) behind++;
  must(last + behind >= before.length, 'the old text stands around one insertion');
  return { first: before.length - behind, last, length: after.length - before.length };
}

/** Equal but for line endings, blank lines at the edges, and, when found from the ends, the edge characters. */
function sameLines(a: string, b: string, fromEnds = false): boolean {
  const plain = (text: string) =>
    text
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .replace(/^[ \t]*(?:\n[ \t]*)*(?=[ \t]*\S)|\s+$/g, (run) =>
        run.includes('\n') || run.trim() === '' ? '' : run,
      )
      .trim();
  if (plain(a) === plain(b)) return true;
  if (!fromEnds) return false;
  // An insertion that starts or ends like its surroundings is found shifted; its characters are the same.
  const bag = (text: string) => [...text.replace(/\s/g, '')].sort().join('');
  return bag(a) === bag(plain(b));
}

function withoutStatus(note: ParsedNote): string {
  const spans = note.tasks.map(({ statusSpan: { start, end } }) => ({ start, end, insert: '' }));
  return applySplices(note.text, spans);
}

function others(note: ParsedNote, op: PatchOp): string {
  const id = (op.block_id ?? '').toLowerCase();
  const lookup = findBlock(note, id);
  if (lookup.kind !== 'found') return '';
  const { span, idSpan } = lookup.block;
  return note.blocks
    .filter((block) => block.id.toLowerCase() !== id)
    .filter((block) => block.idSpan.end <= span.start || block.idSpan.start >= Math.max(span.end, idSpan.end))
    .map((block) => block.id)
    .join(' ');
}

function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Error(`broken rule: ${rule}`);
}
