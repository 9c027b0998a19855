import type { Link, Span, Tag } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { LineIndex } from '../text.ts';

/**
 * The scanner for what Markdown itself does not know: wiki links, tags, comments, `$math$` and
 * their kin. It walks each run of inline text once, from left to right; where two constructs
 * overlap, the one that starts first wins. A dialect is a table of rules by first character.
 */

/** What the parser found, in the terms the scanner needs. All lists are sorted and disjoint. */
export interface InlineContext {
  readonly text: string;
  readonly lines: LineIndex;
  /** Runs of inline content: paragraphs, headings, table cells. */
  readonly runs: readonly Span[];
  /** Code, HTML, display math: nothing starts in here. */
  readonly opaque: readonly Span[];
  /** Destinations of Markdown links: no wiki link starts in here. */
  readonly destinations: readonly Span[];
  /** Markdown links as a whole: no tag starts in here. */
  readonly links: readonly Span[];
}

export interface InlineFindings {
  readonly links: Link[];
  readonly tags: Tag[];
  /** Comments, inline math and the like. */
  readonly opaque: Span[];
}

/**
 * Looks at the construct whose first character stands at `at`.
 * @returns the offset to go on from, always greater than `at`
 */
export type InlineRule = (scan: InlineScan, at: number) => number;

export interface InlineSyntax {
  readonly rules: Readonly<Record<string, InlineRule>>;
}

export class InlineScan {
  readonly text: string;
  readonly lines: LineIndex;
  readonly findings: InlineFindings = { links: [], tags: [], opaque: [] };
  /** The run being walked. */
  start = 0;
  end = 0;
  readonly #context: InlineContext;
  /** Per mark: no closing mark stands between the last search's start and here. Keeps hostile input linear. */
  readonly #noneBefore = new Map<string, number>();

  constructor(context: InlineContext) {
    this.#context = context;
    this.text = context.text;
    this.lines = context.lines;
  }

  run(syntax: InlineSyntax): InlineFindings {
    const { text } = this;
    const trigger = triggerOf(syntax);
    let next = -1;
    for (const run of this.#context.runs) {
      this.start = run.start;
      this.end = run.end;
      if (next < run.start) next = nextMatch(trigger, text, run.start);
      while (next < run.end) {
        next = nextMatch(trigger, text, this.#step(syntax, next));
      }
    }
    return this.findings;
  }

  #step(syntax: InlineSyntax, at: number): number {
    const opaque = this.opaqueAt(at);
    if (opaque !== undefined) return opaque.end;
    const mark = this.text[at] ?? '';
    if (mark === '\\') return at + 2;
    return Math.max(at + 1, syntax.rules[mark]?.(this, at) ?? 0);
  }

  opaqueAt(at: number): Span | undefined {
    return spanAt(this.#context.opaque, at);
  }

  inDestination(at: number): boolean {
    return spanAt(this.#context.destinations, at) !== undefined;
  }

  inLink(at: number): boolean {
    return spanAt(this.#context.links, at) !== undefined;
  }

  /**
   * The next `mark` in this run that is not in an opaque span and that `accepts` agrees to.
   * `accepts` must judge the place alone, not the opener, because a failed search is remembered.
   */
  find(mark: string, from: number, accepts?: (at: number) => boolean): number | undefined {
    if (from < (this.#noneBefore.get(mark) ?? 0)) return undefined;
    let at = this.text.indexOf(mark, from);
    while (at >= 0 && at + mark.length <= this.end) {
      const opaque = this.opaqueAt(at);
      if (opaque === undefined && (accepts === undefined || accepts(at))) return at;
      at = this.text.indexOf(mark, opaque === undefined ? at + 1 : opaque.end);
    }
    this.#noneBefore.set(mark, this.end);
    return undefined;
  }

  addOpaque(start: number, end: number): void {
    this.findings.opaque.push({ start, end });
  }

  addTag(start: number, end: number): void {
    this.findings.tags.push({
      name: this.text.slice(start, end),
      span: { start, end },
      property: undefined,
      line: this.lines.lineAt(start),
    });
  }

  addLink(link: Link | undefined): void {
    if (link !== undefined) this.findings.links.push(link);
  }
}

const triggers = new WeakMap<InlineSyntax, RegExp>();

/** Every character a rule may start at, and the backslash that hides the next one. */
function triggerOf(syntax: InlineSyntax): RegExp {
  const known = triggers.get(syntax);
  if (known !== undefined) return known;
  const marks = Object.keys(syntax.rules).map((mark) => `\\${mark}`);
  const trigger = new RegExp(`[\\\\${marks.join('')}]`, 'g');
  triggers.set(syntax, trigger);
  return trigger;
}

/** Infinity when there is none. */
function nextMatch(trigger: RegExp, text: string, from: number): number {
  trigger.lastIndex = from;
  return trigger.exec(text)?.index ?? Number.POSITIVE_INFINITY;
}
