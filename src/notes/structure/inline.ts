import type { Link, Span, Tag } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { LineIndex } from '../text.ts';

/**
 * The scanner for inline syntax that Markdown does not have: wikilinks, tags, comments, `$math$` and others. It
 * scans each run of inline text once, from left to right; of two overlapping constructs the one that starts
 * first takes precedence. A dialect is a table of rules by first character.
 */

/** The parser's results for the scanner. All lists are sorted and disjoint. */
export interface InlineContext {
  readonly text: string;
  readonly lines: LineIndex;
  /** Runs of inline content: paragraphs, headings, table cells. */
  readonly runs: readonly Span[];
  /** Code, HTML, display math: no construct starts inside. */
  readonly opaque: readonly Span[];
  /** Destinations of Markdown links: no wikilink starts inside. */
  readonly destinations: readonly Span[];
  /** Whole Markdown links: no tag starts inside. */
  readonly links: readonly Span[];
}

export interface InlineFindings {
  readonly links: Link[];
  readonly tags: Tag[];
  /** Comments, inline math and similar spans. */
  readonly opaque: Span[];
}

/**
 * Reads the construct whose first character is at `at`.
 *
 * @returns the offset to continue from, always greater than `at`
 */
export type InlineRule = (scan: InlineScan, at: number) => number;

export interface InlineSyntax {
  readonly rules: Readonly<Record<string, InlineRule>>;
}

/** One scan of a text by a dialect's rules, which add their findings to it. */
export class InlineScan {
  readonly text: string;
  readonly lines: LineIndex;
  readonly findings: InlineFindings = { links: [], tags: [], opaque: [] };
  /** The span of the current run. */
  start = 0;
  end = 0;
  readonly #context: InlineContext;
  /** Mark → offset; searches that start before it find no mark. It keeps the time linear for hostile input. */
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
   * The offset of the next `mark` in this run that is outside opaque spans and accepted by `accepts`. As failed
   * searches are cached, `accepts` must depend on the offset only and not on the opening mark.
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

/** Matches every character at which a rule may start, and the backslash that escapes the next one. */
function triggerOf(syntax: InlineSyntax): RegExp {
  const known = triggers.get(syntax);
  if (known !== undefined) return known;
  const marks = Object.keys(syntax.rules).map((mark) => `\\${mark}`);
  const trigger = new RegExp(`[\\\\${marks.join('')}]`, 'g');
  triggers.set(syntax, trigger);
  return trigger;
}

/** The offset of the next match; Infinity when there is none. */
function nextMatch(trigger: RegExp, text: string, from: number): number {
  trigger.lastIndex = from;
  return trigger.exec(text)?.index ?? Number.POSITIVE_INFINITY;
}
