import { LOGSEQ } from './dialects/logseq.ts';
import { readLogseqBlocks } from './dialects/logseq-blocks.ts';
import { outdentChildren } from './dialects/logseq-outline.ts';
import { OBSIDIAN } from './dialects/obsidian.ts';
import { DIALECT_RULES } from './dialects/rules.ts';
import { SILVERBULLET } from './dialects/silverbullet.ts';
import { bodyStartOf, type FrontmatterReading, readFrontmatter } from './frontmatter/frontmatter.ts';
import { htmlIdLinks } from './links/id-links.ts';
import { markdownLink, readDefinitions } from './links/markdown.ts';
import { readPropertyFindings } from './links/property-links.ts';
import { type MarkdownNode, parseMarkdown } from './markdown.ts';
import type { Dialect, Heading, Link, ParsedNote, ParseOptions, Span } from './model.ts';
import { mergeSpans, spanAt } from './spans.ts';
import { readBlocks } from './structure/blocks.ts';
import { isFiller, readComments } from './structure/comments.ts';
import { displayMath, hasOpenMath, hideMath } from './structure/display-math.ts';
import { InlineScan, type InlineSyntax } from './structure/inline.ts';
import { structureSpans } from './structure/runs.ts';
import { readTasks } from './structure/tasks.ts';
import { LineIndex } from './text.ts';
import { isTooMuchWork } from './work.ts';

const SYNTAX: Readonly<Record<Dialect, InlineSyntax>> = {
  obsidian: OBSIDIAN,
  silverbullet: SILVERBULLET,
  logseq: LOGSEQ,
};

/** Most passes over a Logseq page, each of which outdents one more level of the first block's children. */
const MAX_PASSES = 4;

/**
 * Parses a note. It never throws. Of a note that would take minutes to parse only the properties are read (see
 * {@link isTooMuchWork}).
 *
 * @param text the note as stored, BOM and line endings included; see `decodeText`
 * @returns the structure, with spans in `text` itself
 */
export function parseNote(text: string, options: ParseOptions): ParsedNote {
  const { dialect } = options;
  const rules = DIALECT_RULES[dialect];
  const syntax = SYNTAX[dialect];
  const lines = new LineIndex(text);
  const reading = readFrontmatter(text, dialect);
  const frontmatter = reading?.frontmatter;
  const bodyStart = bodyStartOf(text, frontmatter);
  if (isTooMuchWork(text))
    return withoutStructure(text, reading, readPropertyFindings(text, reading, lines, dialect, syntax));
  const { nodes, hidden } = readStructure(text, bodyStart, dialect, lines);
  const parsed = structureSpans(text, nodes, hidden, dialect);
  const inline = new InlineScan({ ...parsed, text, lines }).run(syntax);
  const opaque = mergeSpans([...parsed.opaque, ...inline.opaque].sort(byStart));
  const properties = readPropertyFindings(text, reading, lines, dialect, syntax);
  const links = [
    ...inline.links,
    ...markdownLinks(text, nodes, inline, lines),
    ...htmlIdLinks(text, nodes, lines),
  ].sort((a, b) => a.span.start - b.span.start);
  return {
    text,
    bodyStart,
    frontmatter,
    headings: readHeadings(text, nodes, hidden, lines),
    blocks: rules.outlines
      ? readLogseqBlocks(text, nodes, frontmatter, opaque, lines)
      : readBlocks(text, nodes, opaque, lines),
    links: [...properties.links, ...links],
    // Unmarked tags of a Logseq block's `tags::` are found before the marked ones, so the list is sorted.
    tags: [...properties.tags, ...inline.tags.sort((a, b) => a.span.start - b.span.start)],
    tasks: readTasks(text, nodes, opaque, lines, dialect),
    opaque,
  };
}

/** A note whose whole body is opaque, so that no edit relies on its structure. */
function withoutStructure(
  text: string,
  reading: FrontmatterReading | undefined,
  { links, tags }: Pick<ParsedNote, 'links' | 'tags'>,
): ParsedNote {
  const frontmatter = reading?.frontmatter;
  const bodyStart = bodyStartOf(text, frontmatter);
  const opaque = [{ start: bodyStart, end: text.length }];
  return { text, bodyStart, frontmatter, headings: [], blocks: [], links, tags, tasks: [], opaque };
}

interface Structure {
  readonly nodes: readonly MarkdownNode[];
  /** Block comments and math over several lines, which were hidden from the parser. */
  readonly hidden: readonly Span[];
}

/**
 * Parses the Markdown structure; almost every note needs one pass. Syntax that Markdown does not have is
 * replaced in the source, which keeps its length, and the text is parsed again: comments, which may contain
 * half a fence, math over several lines, and the children of a Logseq page's first block.
 */
function readStructure(text: string, bodyStart: number, dialect: Dialect, lines: LineIndex): Structure {
  const rules = DIALECT_RULES[dialect];
  const openMath = rules.math && hasOpenMath(text, bodyStart);
  const parse = (source: string) => parseMarkdown(source.slice(bodyStart), bodyStart, dialect, !openMath);
  let source = text;
  let nodes = parse(source);
  let comments: readonly Span[] = [];
  if (rules.outlines) {
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const next = outdentChildren(source, nodes);
      if (next === undefined) break;
      source = next;
      nodes = parse(source);
    }
  } else if (rules.percentComments && text.includes('%%', bodyStart)) {
    const read = readComments(text, nodes, parse, (now, seen, hidden) => {
      const math = openMath ? displayMath(now, bodyStart, seen).spans : [];
      return { ...structureSpans(text, seen, [...hidden, ...math], dialect), text, lines };
    });
    ({ source, nodes } = read);
    comments = read.comments.map(({ start, end }) => ({ start, end }));
  }
  if (!openMath) return { nodes, hidden: comments };
  const math = displayMath(source, bodyStart, nodes);
  nodes = parseMarkdown(hideMath(source, math).slice(bodyStart), bodyStart, dialect);
  return { nodes, hidden: mergeSpans([...comments, ...math.spans].sort(byStart)) };
}

/** Markdown links, except those inside a comment or math, and those that are a wikilink's brackets. */
function markdownLinks(
  text: string,
  nodes: readonly MarkdownNode[],
  inline: { readonly links: readonly Link[]; readonly opaque: readonly Span[] },
  lines: LineIndex,
): Link[] {
  const definitions = readDefinitions(text, nodes);
  const taken = mergeSpans([...inline.opaque, ...inline.links.map((link) => link.span)].sort(byStart));
  const links: Link[] = [];
  for (const node of nodes) {
    if (
      node.kind !== 'link' &&
      node.kind !== 'image' &&
      node.kind !== 'linkReference' &&
      node.kind !== 'imageReference'
    ) {
      continue;
    }
    if (spanAt(taken, node.start) !== undefined) continue;
    const link = markdownLink(text, node, definitions, lines.lineAt(node.start));
    if (link === undefined) continue;
    links.push(link);
  }
  return links;
}

/** The headings of the note itself, without those in quotes, list items and footnotes. */
function readHeadings(
  text: string,
  nodes: readonly MarkdownNode[],
  hidden: readonly Span[],
  lines: LineIndex,
): Heading[] {
  const headings: Heading[] = [];
  for (const node of nodes) {
    if (node.kind !== 'heading' || node.parent?.kind !== 'root' || isFiller(node, hidden)) continue;
    const empty = node.contentStart === node.end;
    const setext = text[node.start] !== '#' || isSetext(text, node);
    const contentStart = empty ? emptyContent(text, node) : node.contentStart;
    headings.push({
      level: level(node.depth),
      text: text.slice(contentStart, empty ? contentStart : node.contentEnd),
      textSpan: { start: contentStart, end: empty ? contentStart : node.contentEnd },
      span: { start: node.start, end: node.end },
      line: lines.lineAt(node.start),
      style: setext ? 'setext' : 'atx',
    });
  }
  return headings;
}

function level(depth: number): Heading['level'] {
  return depth === 1 || depth === 2 || depth === 3 || depth === 4 || depth === 5 ? depth : 6;
}

/** Whether a heading is a setext heading: it spans two lines. Its text may start with `#tag`. */
function isSetext(text: string, node: MarkdownNode): boolean {
  return /[\r\n]/.test(text.slice(node.start, node.end));
}

/** The offset after the marks of a heading without text. */
function emptyContent(text: string, node: MarkdownNode): number {
  let at = node.start;
  while (at < node.end && text[at] === '#') at += 1;
  return at < node.end && (text[at] === ' ' || text[at] === '\t') ? at + 1 : at;
}

function byStart(a: Span, b: Span): number {
  return a.start - b.start;
}
