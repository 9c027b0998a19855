import type { ParsedNote, Span } from '../model.ts';
import { spanAt } from '../spans.ts';
import { LineIndex } from '../text.ts';
import { percentDecode } from './markdown.ts';

/**
 * The context of a mention that is no link: `code` includes math and HTML; `query` is a query of another
 * program.
 */
export type MentionKind = 'code' | 'comment' | 'query' | 'properties';

/** A text that would be a link elsewhere, or a file name in a query. */
export interface Mention {
  readonly kind: MentionKind;
  /**
   * A link's syntax; `path` = a file or folder quoted in a query; `part` = a part of paths that a query
   * searches for.
   */
  readonly syntax: 'wiki' | 'markdown' | 'path' | 'part';
  /** The decoded path part; empty for the note itself. */
  readonly target: string;
  /** The decoded subpath with its `#`; empty when there is none. */
  readonly subpath: string;
  /** 1-based. */
  readonly line: number;
}

/** The start of a code block in a query language. */
const QUERY_BLOCK =
  /^[ \t>]*(?:[-*+][ \t]+)?(?:`{3,}|~{3,})[ \t]*(?:dataview|dataviewjs|tasks|query|base|template|space-lua)\b/i;
/** The start of an inline query of Dataview, Logseq or SilverBullet. */
const INLINE_QUERY = /^`+\$?=|^\{\{|^\$\{/;

const WIKI = /\[\[([^[\]|#\n]*)(#[^[\]|\n]*)?(?:\|[^[\]\n]*)?\]\]/g;
const MARKDOWN = /\]\(\s*<?([^\s()<>#]+)(#[^\s()<>]*)?/g;
const QUOTED =
  /(\b(?:from|or|and|link|haslink|pages?|infolder)[ \t]*[(!-]*[ \t]*)?(["'])((?:(?!\2)[^\n\\])+)\2/gi;
/** A line of a Tasks query, or a term of Obsidian's search. */
const COMPARED =
  /(?:^|\n)[ \t>]*(?:path|folder|filename|root)[ \t]+(?:does not )?includes?[ \t]+([^\n]+)|\b(?:path|file):([^\s"')]+)/gi;

/** The mentions in a note's code, comments, queries and properties, in source order. */
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
    // A quoted text counts only after a keyword or when it looks like a path.
    each(QUOTED, (kind, at, [, before, , target = '']) => {
      if (before !== undefined || /\/|\.md$/i.test(target)) add(kind, 'path', at, target.trim());
    });
    each(COMPARED, (kind, at, [whole, line, term]) =>
      add(kind, 'part', at + whole.length - 1, (line ?? term ?? '').trim()),
    );
  };
  for (const span of opaque) scan(span, (at) => mentionKind(text, span, at), isQuery(text, span));
  if (frontmatter !== undefined) {
    // Some of these are links, which the parser has found.
    const read = links.filter(({ property }) => property !== undefined).map((link) => link.span);
    scan(frontmatter.span, (at) => (spanAt(read, at) === undefined ? 'properties' : undefined), false);
  }
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...mention }) => mention);
}

/** The kind of a mention at an offset inside an opaque span. */
export function mentionKind(text: string, span: Span, at: number): MentionKind {
  if (text.startsWith('%%', span.start) || isInHtmlComment(text, span, at)) return 'comment';
  return isQuery(text, span) ? 'query' : 'code';
}

function isQuery(text: string, { start, end }: Span): boolean {
  const head = text.slice(start, Math.min(end, start + 100));
  return QUERY_BLOCK.test(head) || INLINE_QUERY.test(head);
}

/** Whether an offset in HTML is inside a comment. */
function isInHtmlComment(text: string, span: Span, at: number): boolean {
  if (text[span.start] !== '<') return false;
  const before = text.slice(span.start, at);
  return before.lastIndexOf('<!--') > before.lastIndexOf('-->');
}
