import { listItems } from '../frontmatter/logseq.ts';
import { wikiLink } from '../links/wiki.ts';
import type { Link, Span } from '../model.ts';
import type { InlineRule, InlineScan, InlineSyntax } from '../structure/inline.ts';
import type { LineIndex } from '../text.ts';
import { mathRule } from './math-rule.ts';
import { wikiBrackets } from './wiki-rule.ts';

const BLOCK_REF = /\(\(([0-9a-zA-Z-]+)\)\)/y;
const EMBED_MACRO = /\{\{embed\s+$/;
const TAG_RUN = /[^\s#,.!?;:'"()[\]{}`\\]+(?:[.:'][^\s#,.!?;:'"()[\]{}`\\]+)*/y;
/** True when `#name` needs no brackets. */
export function isBareTag(name: string): boolean {
  TAG_RUN.lastIndex = 0;
  return TAG_RUN.exec(name)?.[0] === name;
}

/** How far back the text of `[text]([[Page]])` is searched, in characters. */
const MAX_LABEL = 500;

/** `[[Page]]`, also as `[text]([[Page]])` and in `{{embed [[Page]]}}`. */
const pageRule: InlineRule = (scan, at) => {
  const brackets = wikiBrackets(scan, at);
  if (brackets === undefined) return at + 1;
  const link = wikiLink(scan.text, brackets, 'logseq');
  if (link !== undefined) scan.addLink(inContext(scan, link));
  return brackets.span.end;
};

/** `((uuid))`, also as `[text](((uuid)))` and in `{{embed ((uuid))}}`. */
const blockRefRule: InlineRule = (scan, at) => {
  BLOCK_REF.lastIndex = at;
  const id = BLOCK_REF.exec(scan.text)?.[1];
  if (id === undefined) return at + 1;
  const targetSpan = { start: at + 2, end: at + 2 + id.length };
  const span = { start: at, end: targetSpan.end + 2 };
  scan.addLink(inContext(scan, reference(scan, 'block-ref', id, span, targetSpan)));
  return span.end;
};

/** `#Page` and `#[[Two words]]`: a tag and a link to the page of that name at once. */
const tagRule: InlineRule = (scan, at) => {
  const { text } = scan;
  if ((at > scan.start && !/[\s,]/.test(text[at - 1] ?? '')) || scan.inLink(at)) return at + 1;
  if (text.startsWith('[[', at + 1)) {
    const brackets = wikiBrackets(scan, at + 1);
    if (brackets === undefined || brackets.inner.start === brackets.inner.end) return at + 1;
    return addTagRef(scan, { start: at, end: brackets.span.end }, brackets.inner);
  }
  TAG_RUN.lastIndex = at + 1;
  const name = TAG_RUN.exec(text)?.[0];
  if (name === undefined) return at + 1;
  const end = at + 1 + name.length;
  return addTagRef(scan, { start: at, end }, { start: at + 1, end });
};

/**
 * `tags:: one, [[two]], #three` below a block: each item is a page, with or without marks. Those with marks
 * have their own rules.
 */
const blockTagsRule: InlineRule = (scan, at) => {
  const { text } = scan;
  const key = text.slice(Math.max(scan.start, at - TAGS.length), at);
  if (key.toLowerCase() !== TAGS || !/^::[ \t]/.test(text.slice(at, at + 3))) return at + 1;
  if (!opensLine(scan, at - TAGS.length)) return at + 2;
  const lineEnd = /[\r\n]/.exec(text.slice(at, scan.end))?.index ?? scan.end - at;
  const from = at + 2;
  for (const { value, start, end } of listItems(text.slice(from, at + lineEnd))) {
    const span = { start: from + start, end: from + end };
    const isPlain = text.slice(span.start, span.end) === value && !/[#"[\]]|^\d+$/.test(value);
    if (!isPlain || scan.opaqueAt(span.start) !== undefined) continue;
    scan.addTag(span.start, span.end);
    scan.addLink(reference(scan, 'tag-ref', value, span, span));
  }
  return from;
};

const TAGS = 'tags';

function opensLine(scan: InlineScan, at: number): boolean {
  let before = at;
  while (before > scan.start && /[ \t]/.test(scan.text[before - 1] ?? '')) before -= 1;
  return before === scan.start || /[\r\n]/.test(scan.text[before - 1] ?? '');
}

function addTagRef(scan: InlineScan, span: Span, target: Span): number {
  scan.addTag(target.start, target.end);
  scan.addLink(reference(scan, 'tag-ref', scan.text.slice(target.start, target.end), span, target));
  return span.end;
}

function reference(
  scan: Pick<InlineScan, 'lines'>,
  syntax: 'block-ref' | 'tag-ref',
  target: string,
  span: Span,
  targetSpan: Span,
): Link {
  return {
    syntax,
    embed: false,
    property: undefined,
    target,
    subpath: '',
    display: undefined,
    span,
    targetSpan,
    subpathSpan: { start: targetSpan.end, end: targetSpan.end },
    displaySpan: undefined,
    angle: false,
    line: scan.lines.lineAt(span.start),
  };
}

/** A page named in `tags::` without brackets or `#`. */
export function propertyTagLink(lines: LineIndex, name: string, span: Span, property: string): Link {
  return { ...reference({ lines }, 'tag-ref', name, span, span), property };
}

/** Extends a reference to the Markdown link or embed macro around it. */
function inContext(scan: InlineScan, link: Link): Link {
  const { text } = scan;
  const { start, end } = link.span;
  const macro = EMBED_MACRO.exec(text.slice(Math.max(scan.start, start - 20), start));
  if (macro !== null) {
    const close = text.indexOf('}}', end);
    if (close >= 0 && close + 2 <= scan.end && text.slice(end, close).trim() === '') {
      return { ...widened(scan, link, { start: start - macro[0].length, end: close + 2 }), embed: true };
    }
  }
  if (text[start - 1] === '(' && text[start - 2] === ']' && text[end] === ')') {
    const open = labelStart(text, start - 2, Math.max(scan.start, start - 2 - MAX_LABEL));
    if (open !== undefined) {
      const displaySpan = { start: open + 1, end: start - 2 };
      return {
        ...widened(scan, link, { start: open, end: end + 1 }),
        display: text.slice(displaySpan.start, displaySpan.end),
        displaySpan,
      };
    }
  }
  return link;
}

/** The same link over a longer span, which may begin on an earlier line. */
function widened(scan: InlineScan, link: Link, span: Span): Link {
  return { ...link, span, line: scan.lines.lineAt(span.start) };
}

/** The `[` that balances the `]` at `close`. */
function labelStart(text: string, close: number, from: number): number | undefined {
  let depth = 0;
  for (let at = close; at >= from; at -= 1) {
    if (text[at] === ']') depth += 1;
    else if (text[at] === '[') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}

export const LOGSEQ: InlineSyntax = {
  rules: { '[': pageRule, '(': blockRefRule, '#': tagRule, ':': blockTagsRule, $: mathRule },
};
