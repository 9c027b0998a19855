import type { NoteRecord } from '../../index/note-index.ts';
import type { Dialect } from '../../notes/model.ts';
import type { Pacer } from '../pacer.ts';
import type { LeafNode, PropertyNode, RegexNode, ValueNode } from '../query/ast.ts';
import { type Literal, literals, type Normal } from '../query/normal.ts';
import { needsSigns, tagName } from '../query/plan.ts';
import { compilePattern, type TextPattern } from '../query/regex.ts';
import { compose, fold } from '../text/fold.ts';
import { contains, needle } from '../text/words.ts';
import { matchesProperty } from './property-match.ts';
import { type Segment, segments } from './text-segments.ts';

/** What the evaluation of one note reads; `record` only when a property or tag is asked for. */
export interface Candidate {
  readonly path: string;
  readonly text: string;
  readonly record: NoteRecord | undefined;
}

/** Yields where the work may be paused; returns whether the note matches. */
type Steps = Generator<void, boolean>;

/** Longest stretch of text a pattern is run over at once, and what two stretches share. */
const WINDOW = 64 * 1024;
const OVERLAP = 8 * 1024;

/** Evaluates the operators that the index cannot answer on the note itself: substrings, as in Obsidian. */
export class Evaluator {
  /** Why a part of the query is not used, one sentence each. */
  readonly notices: string[] = [];
  private readonly patterns = new Map<string, TextPattern | undefined>();

  constructor(
    private readonly pacer: Pacer,
    private readonly dialect: Dialect = 'obsidian',
  ) {}

  /** Compiles the patterns of a query. A part with an unusable pattern matches nothing, and a notice says why. */
  prepare(parts: readonly Normal[]): void {
    for (const part of parts) {
      for (const { test } of literals(part)) {
        if (test.kind === 'segment') this.prepare([test.part]);
        else if (test.kind === 'leaf') this.prepareLeaf(test.leaf, test.sensitive);
        else {
          this.prepareLeaf(test.property.name, false);
          if (test.property.value.test === 'match') {
            for (const leaf of leaves(test.property.value.node)) this.prepareLeaf(leaf, test.sensitive);
          }
        }
      }
    }
  }

  /** @returns undefined when the time ran out before it was known */
  async matches(parts: readonly Normal[], candidate: Candidate): Promise<boolean | undefined> {
    const note = new NoteView(candidate);
    for (const part of parts) {
      if (this.rejects(part, note, true)) return false;
      const matches = await this.run(this.evaluate(part, note, candidate.text, true));
      if (!matches) return matches;
    }
    return true;
  }

  /** @returns undefined when the time ran out first */
  private async run(steps: Steps): Promise<boolean | undefined> {
    let step = steps.next();
    while (!step.done) {
      await this.pacer.pause();
      if (this.pacer.expired) return undefined;
      step = steps.next();
    }
    return step.value;
  }

  /**
   * The first line, block, section or task that satisfies one of the query's `line:`, `block:`, `section:` or `task:` parts, the innermost where they are
   * nested: the place to show. undefined when the query has none, or the time ran out.
   */
  async place(root: Normal, candidate: Candidate): Promise<Segment | undefined> {
    const { path, text, record } = candidate;
    const note = new NoteView(candidate);
    for (const { test, negated } of literals(root)) {
      if (negated || test.kind !== 'segment') continue;
      for (const { start, end } of segments(text, test.segment, this.dialect)) {
        const part = text.slice(start, end);
        const found = await this.run(this.evaluate(test.part, note, part, false));
        if (found === undefined) return undefined;
        if (!found) continue;
        const inner = await this.place(test.part, { path, text: part, record });
        return inner ? { start: start + inner.start, end: start + inner.end } : { start, end };
      }
    }
    return undefined;
  }

  /** Whether a path satisfies `file:` and `path:` literals. */
  matchesPath(paths: readonly Literal[], path: string): boolean {
    return paths.every(({ test, negated }) => {
      if (test.kind !== 'leaf') return true;
      const subject = test.field === 'file' ? path.slice(path.lastIndexOf('/') + 1) : path;
      return this.matchesShort(test.leaf, test.sensitive, subject) !== negated;
    });
  }

  private prepareLeaf(leaf: LeafNode, sensitive: boolean): void {
    if (leaf.kind !== 'regex') return;
    const key = patternKey(leaf, sensitive);
    if (this.patterns.has(key)) return;
    const pattern = compilePattern(leaf.source, leaf.flags, !sensitive);
    if (typeof pattern === 'string') this.notices.push(pattern);
    this.patterns.set(key, typeof pattern === 'string' ? undefined : pattern);
  }

  /** Rejects a note cheaply: a positive word does not occur in it. */
  private rejects(part: Normal, note: NoteView, whole: boolean): boolean {
    if (part.kind === 'and') return part.parts.some((each) => this.rejects(each, note, whole));
    if (part.kind === 'or') return part.parts.every((each) => this.rejects(each, note, whole));
    if (part.negated) return false;
    if (part.test.kind === 'segment') return this.rejects(part.test.part, note, false);
    if (part.test.kind !== 'leaf' || part.test.leaf.kind === 'regex') return false;
    if (part.test.field === 'file' || part.test.field === 'path') return false;
    if (part.test.field === 'tag' || (whole && !part.test.sensitive)) return false;
    const wanted = fold(part.test.leaf.text);
    return !note.folded.includes(wanted) && !note.foldedPath.includes(wanted);
  }

  private *evaluate(part: Normal, note: NoteView, text: string, whole: boolean): Steps {
    if (part.kind === 'literal') {
      const result: boolean = yield* this.literal(part, note, text, whole);
      return result !== part.negated;
    }
    const all = part.kind === 'and';
    for (const each of part.parts) {
      if ((yield* this.evaluate(each, note, text, whole)) !== all) return !all;
    }
    return all;
  }

  private *literal(part: Literal, note: NoteView, text: string, whole: boolean): Steps {
    const { test } = part;
    if (test.kind === 'segment') {
      for (const { start, end } of segments(text, test.segment, this.dialect)) {
        if (this.pacer.due) yield;
        if (yield* this.evaluate(test.part, note, text.slice(start, end), false)) return true;
      }
      return false;
    }
    if (test.kind === 'property') return this.property(test.property, test.sensitive, note);
    const { leaf, field, sensitive } = test;
    if (field === 'file') return this.matchesShort(leaf, sensitive, note.file);
    if (field === 'path') return this.matchesShort(leaf, sensitive, note.candidate.path);
    if (field === 'tag')
      return whole ? this.tag(leaf, sensitive, note.tags) : this.tag(leaf, sensitive, tagsIn(text));
    if (leaf.kind === 'regex') {
      if (yield* this.pattern(leaf, sensitive, text)) return true;
    } else if (!sensitive && whole) {
      return this.words(leaf, needsSigns(part), note, field === undefined);
    } else if (
      sensitive ? compose(text).includes(compose(leaf.text)) : fold(text).includes(fold(leaf.text))
    ) {
      return true;
    }
    return whole && field === undefined && this.matchesShort(leaf, sensitive, note.candidate.path);
  }

  /** Matches a plain word as the index does. Only words with signs and queries with many `OR`s are evaluated here. */
  private words(leaf: LeafNode, withSigns: boolean, note: NoteView, inPath: boolean): boolean {
    if (leaf.kind === 'regex') return false;
    const prefix = leaf.kind === 'word' && leaf.prefix;
    const wanted = needle(leaf.text, { prefix, ...(withSigns && { signs: 'required' }) });
    if (!wanted) return false;
    return contains(note.folded, wanted) || (inPath && contains(note.foldedPath, wanted));
  }

  private *pattern(leaf: RegexNode, sensitive: boolean, text: string): Steps {
    const pattern = this.patterns.get(patternKey(leaf, sensitive));
    if (!pattern) return false;
    if (text.length <= WINDOW) return pattern.test(text);
    for (let start = 0; start < text.length; ) {
      let end = Math.min(text.length, start + WINDOW);
      const feed = text.lastIndexOf('\n', end);
      const byLines = !pattern.crossesLines && end < text.length && feed > start;
      if (byLines) end = feed;
      if (pattern.test(text.slice(start, end))) return true;
      if (end >= text.length) return false;
      start = byLines ? end + 1 : end - OVERLAP;
      if (this.pacer.due) yield;
    }
    return false;
  }

  private property(property: PropertyNode, sensitive: boolean, note: NoteView): boolean {
    const data = note.candidate.record?.frontmatter ?? {};
    return matchesProperty(property, data, sensitive, (leaf, text) =>
      this.matchesShort(leaf, sensitive, text),
    );
  }

  private tag(leaf: LeafNode, sensitive: boolean, tags: readonly string[]): boolean {
    if (leaf.kind === 'regex') return tags.some((tag) => this.matchesShort(leaf, sensitive, `#${tag}`));
    const name = tagName(leaf.text);
    const wanted = sensitive ? name : name.toLowerCase();
    return tags.some((tag) => {
      const each = sensitive ? tag : tag.toLowerCase();
      return each === wanted || each.startsWith(`${wanted}/`);
    });
  }

  private matchesShort(leaf: LeafNode, sensitive: boolean, text: string): boolean {
    if (leaf.kind === 'regex') return this.patterns.get(patternKey(leaf, sensitive))?.test(text) ?? false;
    return sensitive ? compose(text).includes(compose(leaf.text)) : fold(text).includes(fold(leaf.text));
  }
}

/** A candidate with what is derived from it once. */
class NoteView {
  readonly file: string;
  readonly foldedPath: string;
  private foldedText: string | undefined;

  constructor(readonly candidate: Candidate) {
    this.file = candidate.path.slice(candidate.path.lastIndexOf('/') + 1);
    this.foldedPath = fold(candidate.path);
  }

  get folded(): string {
    this.foldedText ??= fold(this.candidate.text);
    return this.foldedText;
  }

  get tags(): readonly string[] {
    return this.candidate.record?.tags ?? [];
  }
}

function patternKey(leaf: RegexNode, sensitive: boolean): string {
  return `${sensitive ? 's' : 'i'}/${leaf.source}/${leaf.flags}`;
}

function* leaves(node: ValueNode): Generator<LeafNode> {
  if ('parts' in node) for (const part of node.parts) yield* leaves(part);
  else if ('part' in node) yield* leaves(node.part);
  else if (node.kind !== 'compare') yield node;
}

/** Tags written in a line, block or section. */
function tagsIn(text: string): string[] {
  return [...text.matchAll(/(?<=^|\s)#([^\s#!"$%&'()*+,.:;<=>?@[\\\]^`{|}~]+)/gu)].map(
    (match) => match[1] ?? '',
  );
}
