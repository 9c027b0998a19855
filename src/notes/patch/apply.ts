import { isLecternError, LecternError } from '../../errors.ts';
import { DIALECT_RULES } from '../dialects/rules.ts';
import { bodyStartOf, parseFrontmatter } from '../frontmatter/frontmatter.ts';
import type { Dialect, Link, ParsedNote } from '../model.ts';
import { parseNote } from '../parse.ts';
import { applySplices, type Splice } from '../splice.ts';
import { type Eol, eolToInsert, LineIndex } from '../text.ts';
import type { WorkLimit } from '../work.ts';
import { replaceBlock } from './blocks.ts';
import { appendBody, prependBody } from './body.ts';
import { type Change, ChangeLog, effective } from './changes.ts';
import { checkOps } from './check.ts';
import type { Edit, NoteInEdit, Occurrences, RenamedHeading } from './edit.ts';
import { deleteFrontmatter, setFrontmatter } from './frontmatter.ts';
import { renameHeading } from './headings.ts';
import { insertLines } from './insert-lines.ts';
import { joins } from './joining.ts';
import type { CheckedOp, PatchOp } from './op.ts';
import { assertSplices } from './places.ts';
import { appendToSection, insertAfterHeading, insertBeforeHeading, replaceSection } from './sections.ts';
import { disturbance, unclosedAbove } from './structure.ts';
import { addTag, removeTag } from './tags.ts';
import { setTask } from './tasks.ts';
import { replaceText } from './text.ts';

export interface PatchOptions {
  readonly dialect: Dialect;
  /**
   * Whether a link with a path refers to this note (`[[This note#A]]`). Links without a path (`[[#A]]`) always
   * do.
   */
  readonly isSelfLink?: (link: Link) => boolean;
  /** Limit of work; undefined = none. */
  readonly work?: WorkLimit;
}

export interface PatchCounts {
  /** Number of changed places in the body, and in the front matter. */
  readonly body: number;
  readonly frontmatter: number;
}

/** The result of {@link applyPatch}. */
export interface PatchResult {
  readonly text: string;
  /** Sorted, disjoint changes with offsets in the old text; applying them to it gives `text`. */
  readonly changes: readonly Change[];
  readonly counts: PatchCounts;
  /** Indices of ops without an effect. */
  readonly unchangedOps: readonly number[];
  readonly renamedHeadings: readonly RenamedHeading[];
  /** One per `replace_text`. */
  readonly replaced: readonly Replaced[];
}

/** The matches of one `replace_text`. */
export interface Replaced {
  /** The op's index in the list. */
  readonly op: number;
  /** Number of replaced matches. */
  readonly count: number;
  /** Number of matches that still contain the old text. */
  readonly left: number;
  /** 1-based lines of the first of them, in the note after the op. */
  readonly leftLines: readonly number[];
}

const MAX_LEFT_LINES = 10;

/**
 * Applies edits to a note's text, in order, all or none. Every edit is a set of splices; no byte outside them
 * changes, and nothing is printed from a parsed form. The size limit is checked after every op, so that ops
 * which double the text cannot exhaust the memory.
 *
 * @param text the note as stored, BOM and line endings included
 * @param ops flat edit objects as a client sends them, unchecked
 * @throws LecternError `invalid_input`, `not_found`, `ambiguous`, `conflict` or `too_large`, with
 *   `details.op_index`
 * @throws TooMuchWork when parsing takes more than `options.work`
 */
export function applyPatch(text: string, ops: readonly PatchOp[], options: PatchOptions): PatchResult {
  const checked = checkOps(ops);
  const draft = new Draft(text, options);
  checked.forEach((op, index) => {
    try {
      draft.apply(op, index);
    } catch (error) {
      throw isLecternError(error) ? located(error, op, index, checked.length) : error;
    }
  });
  return draft.result();
}

class Draft implements NoteInEdit {
  readonly dialect: Dialect;
  readonly eol: Eol;
  readonly #options: PatchOptions;
  readonly #original: string;
  readonly #log: ChangeLog;
  #originalLines: LineIndex | undefined;
  #parsed: ParsedNote | undefined;
  #counts = { body: 0, frontmatter: 0 };
  readonly #unchanged: number[] = [];
  readonly #renamed: RenamedHeading[] = [];
  readonly #replaced: Replaced[] = [];

  constructor(text: string, options: PatchOptions) {
    this.dialect = options.dialect;
    this.eol = eolToInsert(text);
    this.#options = options;
    this.#original = text;
    this.#log = new ChangeLog(text);
  }

  get text(): string {
    return this.#log.current;
  }

  get parsed(): ParsedNote {
    this.#parsed ??= parseNote(this.text, { dialect: this.dialect });
    return this.#parsed;
  }

  startOfOriginalLine(line: number): number | undefined {
    this.#originalLines ??= new LineIndex(this.#original);
    if (line > this.#originalLines.count) return this.text.length;
    return this.#log.currentOffset(this.#originalLines.startOf(line));
  }

  willChange(places: number): void {
    this.#options.work?.change(places);
  }

  isSelfLink(link: Link): boolean {
    if (link.syntax === 'block-ref' || link.syntax === 'tag-ref') return false;
    return link.target === '' || this.#options.isSelfLink?.(link) === true;
  }

  apply(op: CheckedOp, index: number): void {
    this.#options.work?.parse(this.text);
    const { splices, after, edit } = this.#choose(planned(this, op));
    if (edit.renamed !== undefined) this.#renamed.push(edit.renamed);
    if (splices.length === 0) this.#unchanged.push(index);
    else {
      const oldBody = this.#bodyStart();
      this.#log.record(splices, op.op, index);
      this.#parsed = after;
      this.#count(splices, oldBody, this.#bodyStart());
    }
    if (edit.replaced !== undefined) this.#replaced.push(this.#report(edit.replaced, splices, index));
  }

  #report({ count, left }: Occurrences, splices: readonly Splice[], op: number): Replaced {
    const shown = left.slice(0, MAX_LEFT_LINES);
    const lines = shown.length === 0 ? undefined : new LineIndex(this.text);
    const now = (at: number) =>
      splices.reduce(
        (sum, { start, end, insert }) => (start < at ? sum + insert.length - (end - start) : sum),
        at,
      );
    const leftLines = new Set(shown.map(({ start }) => lines?.lineAt(now(start)) ?? 0));
    return { op, count, left: left.length, leftLines: [...leftLines] };
  }

  result(): PatchResult {
    return {
      text: this.text,
      changes: this.#log.changes,
      counts: this.#counts,
      unchangedOps: this.#unchanged,
      renamedHeadings: this.#renamed,
      replaced: this.#replaced,
    };
  }

  /** The first variant of the edit that passes all checks. */
  #choose(edit: Edit): { splices: readonly Splice[]; after: ParsedNote | undefined; edit: Edit } {
    let problem: string | undefined;
    let joined: { splices: readonly Splice[]; after: ParsedNote } | undefined;
    for (const attempt of edit.attempts) {
      const splices = effective(this.text, attempt);
      if (splices.length === 0) return { splices, after: this.#parsed, edit };
      assertSplices(this.text, splices);
      if (!edit.contained && edit.problemIn === undefined) return { splices, after: undefined, edit };
      const text = applySplices(this.text, splices);
      this.#options.work?.parse(text);
      const after = parseNote(text, { dialect: this.dialect });
      const unclosed = edit.contained ? unclosedAbove(after, splices) : undefined;
      if (unclosed !== undefined) throw inUnclosed(unclosed);
      const found =
        (edit.contained ? disturbance(this.parsed, after, splices) : undefined) ??
        edit.problemIn?.(after, splices);
      if (found !== undefined) problem ??= found;
      else if (
        edit.parted === true &&
        !DIALECT_RULES[this.dialect].outlines &&
        joins(after, splices, this.dialect)
      )
        joined ??= { splices, after };
      else return { splices, after, edit };
    }
    if (joined !== undefined) return { ...joined, edit };
    throw new LecternError('invalid_input', `Refused, because ${problem ?? 'the edit has no safe form'}.`, {
      next:
        edit.next ??
        'Change the new text: close code fences and comments, and start it with a blank line where it must stand apart.',
    });
  }

  #bodyStart(): number {
    return this.#parsed?.bodyStart ?? bodyStartOf(this.text, parseFrontmatter(this.text, this.dialect));
  }

  #count(splices: readonly Splice[], oldBody: number, newBody: number): void {
    let shift = 0;
    for (const { start, end, insert } of splices) {
      if (start < oldBody || start + shift < newBody) this.#counts.frontmatter++;
      else this.#counts.body++;
      shift += insert.length - (end - start);
    }
  }
}

function planned(note: NoteInEdit, op: CheckedOp): Edit {
  switch (op.op) {
    case 'set_frontmatter':
      return setFrontmatter(note, op);
    case 'delete_frontmatter':
      return deleteFrontmatter(note, op);
    case 'append_body':
      return appendBody(note, op);
    case 'prepend_body':
      return prependBody(note, op);
    case 'insert_before_heading':
      return insertBeforeHeading(note, op);
    case 'insert_after_heading':
      return insertAfterHeading(note, op);
    case 'replace_section':
      return replaceSection(note, op);
    case 'replace_block':
      return replaceBlock(note, op);
    case 'rename_heading':
      return renameHeading(note, op);
    case 'replace_text':
      return replaceText(note, op);
    case 'append_to_section':
      return appendToSection(note, op);
    case 'set_task':
      return setTask(note, op);
    case 'add_tag':
      return addTag(note, op);
    case 'remove_tag':
      return removeTag(note, op);
    case 'insert_lines':
      return insertLines(note, op);
  }
}

function inUnclosed({ line, closing }: { line: number; closing: string }): LecternError {
  return new LecternError(
    'invalid_input',
    `Refused, because the text would stand inside what line ${line} opens and nothing closes.`,
    {
      details: { line },
      next: `Begin the text with a line ${closing} to close that block, or write into it with replace_text.`,
    },
  );
}

/** The error with its op; with several ops the message names the op. */
function located(error: LecternError, op: CheckedOp, index: number, count: number): LecternError {
  const message =
    count === 1 ? error.message : `ops[${index}] ${op.op}: ${error.message} Nothing was changed.`;
  return new LecternError(error.code, message, {
    details: { op_index: index, op: op.op, ...error.details },
    ...(error.next === undefined ? {} : { next: error.next }),
    cause: error,
  });
}
