import type { InlineRule, InlineSyntax } from '../structure/inline.ts';
import { tagEnd } from '../structure/tags.ts';
import { mathRule } from './math-rule.ts';
import { wikiRule } from './wiki-rule.ts';

/** A `#` starts a tag at the beginning of a line (also after quote marks) or after whitespace. */
const tagRule: InlineRule = (scan, at) => {
  const { text } = scan;
  if (!opensTag(text, at) || scan.inLink(at)) return at + 1;
  const end = tagEnd(text, at + 1);
  if (end === undefined) return at + 1;
  scan.addTag(at + 1, end);
  return end;
};

function opensTag(text: string, at: number): boolean {
  const before = text[at - 1];
  if (before === undefined || /\s/.test(before)) return true;
  let start = at;
  while (text[start - 1] === '>' || text[start - 1] === ' ' || text[start - 1] === '\t') start -= 1;
  return start < at && (start === 0 || text[start - 1] === '\n' || text[start - 1] === '\r');
}

export const OBSIDIAN: InlineSyntax = {
  rules: { '[': wikiRule('obsidian'), '#': tagRule, $: mathRule },
};
