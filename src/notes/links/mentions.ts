import type { ParsedNote, Span } from '../model.ts';
import { spanAt } from '../spans.ts';
import { LineIndex } from '../text.ts';
import { percentDecode } from './markdown.ts';

/**
 * Where a mention stands that is no link: code, math and HTML; a comment; a query of a program that runs over notes;
 * the properties.
 */
export type MentionKind = 'code' | 'comment' | 'query' | 'properties';

/** Something that would be a link, or names a file in a query, where nothing is a link. */
export interface Mention {
  readonly kind: MentionKind;
  /** As a link writes it; `path`: quoted in a query, a file or a folder; `part`: what a query looks for in paths. */
  readonly syntax: 'wiki' | 'markdown' | 'path' | 'part';
  /** Path part, decoded; empty for the note itself. */
  readonly target: string;
  /** With its `#`, decoded; empty when there is none. */
  readonly subpath: string;
  /** 1-based. */
  readonly line: number;
}

/** The languages of code blocks that are run over the notes of a vault. */
const QUERY_BLOCK =
  /^[ \t>]*(?:[-*+][ \t]+)?(?:`{3,}|~{3,})[ \t]*(?:dataview|dataviewjs|tasks|query|base|template|space-lua)\b/i;
/** Dataview's inline queries, Logseq's, SilverBullet's. */
const INLINE_QUERY = /^`+\$?=|^\{\{|^\$\{/;

const WIKI = /\[\[([^[\]|#\n]*)(#[^[\]|\n]*)?(?:\|[^[\]\n]*)?\]\]/g;
const MARKDOWN = /\]\(\s*<?([^\s()<>#]+)(#[^\s()<>]*)?/g;
const QUOTED =
  /(\b(?:from|or|and|link|haslink|pages?|infolder)[ \t]*[(!-]*[ \t]*)?(["'])((?:(?!\2)[^\n\\])+)\2/gi;
/** A line of a Tasks query, and a term of Obsidian's search. */
const COMPARED =
  /(?:^|\n)[ \t>]*(?:path|folder|filename|root)[ \t]+(?:does not )?includes?[ \t]+([^\n]+)|\b(?:path|file):([^\s"')]+)/gi;

/** Every place in a note's code, comments, queries and properties at which a file seems to be named. */
export function mentionsIn(
  note: Pick<ParsedNote, 'text' | 'opaque' | 'frontmatter' | 'links'>,
): readonly Mention[] {
  const { text, opaque, frontmatter, links } = note;
  const found: (Mention & { readonly at: number })[] = [];
  const lines = new LineIndex(text);
  const add = (kind: MentionKind, syntax: Mention['syntax'], at: number, target: string, subpath = '') =>
    found.push({ kind, syntax, target, subpath, line: lines.lineAt(at), at });
  const scan = (span: Span, kindAt: (at: number) => MentionKind | undefined, inQuery: boolean) => {
    const part = text.slice(span.start, span.end);
    const each = (pattern: RegExp, take: (kind: MentionKind, at: number, match: RegExpExecArray) => void) => {
      for (const match of part.matchAll(pattern)) {
        const at = span.start + match.index;
        const kind = kindAt(at);
        if (kind !== undefined) take(kind, at, match);
      }
    };
    if (part.includes('[['))
      each(WIKI, (kind, at, [, target = '', subpath]) => add(kind, 'wiki', at, target.trim(), subpath));
    if (part.includes(']('))
      each(MARKDOWN, (kind, at, [, target = '', subpath = '']) =>
        add(kind, 'markdown', at, percentDecode(target), percentDecode(subpath)),
      );
    if (!inQuery) return;
    // Without a word before it or the looks of a path a quoted text may be any.
    each(QUOTED, (kind, at, [, before, , target = '']) => {
      if (before !== undefined || /\/|\.md$/i.test(target)) add(kind, 'path', at, target.trim());
    });
    each(COMPARED, (kind, at, [whole, line, term]) =>
      add(kind, 'part', at + whole.length - 1, (line ?? term ?? '').trim()),
    );
  };
  for (const span of opaque) scan(span, (at) => mentionKind(text, span, at), isQuery(text, span));
  if (frontmatter !== undefined) {
    // The parser tells which of these are links.
    const read = links.filter(({ property }) => property !== undefined).map((link) => link.span);
    scan(frontmatter.span, (at) => (spanAt(read, at) === undefined ? 'properties' : undefined), false);
  }
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...mention }) => mention);
}

/** What a place in an opaque span of a note is. */
export function mentionKind(text: string, span: Span, at: number): MentionKind {
  if (text.startsWith('%%', span.start) || isInHtmlComment(text, span, at)) return 'comment';
  return isQuery(text, span) ? 'query' : 'code';
}

function isQuery(text: string, { start, end }: Span): boolean {
  const head = text.slice(start, Math.min(end, start + 100));
  return QUERY_BLOCK.test(head) || INLINE_QUERY.test(head);
}

/** It may stand inside of other HTML. */
function isInHtmlComment(text: string, span: Span, at: number): boolean {
  if (text[span.start] !== '<') return false;
  const before = text.slice(span.start, at);
  return before.lastIndexOf('<!--') > before.lastIndexOf('-->');
}
