import type { InlineRule, InlineScan, InlineSyntax } from '../structure/inline.ts';
import { wikiRule } from './wiki-rule.ts';

const TAG_RUN = /[^\s!@#$%^&*(),.?":{}|<>\\]+/y;
const BRACKETED_TAG = /<([^<>\n]+)>/y;

/** `#tag` and `#<tag with spaces>`. */
const tagRule: InlineRule = (scan, at) => {
  const { text } = scan;
  if ((at > scan.start && !/\s/.test(text[at - 1] ?? '')) || scan.inLink(at)) return at + 1;
  BRACKETED_TAG.lastIndex = at + 1;
  const bracketed = BRACKETED_TAG.exec(text)?.[1];
  if (bracketed !== undefined) {
    scan.addTag(at + 2, at + 2 + bracketed.length);
    return at + 3 + bracketed.length;
  }
  TAG_RUN.lastIndex = at + 1;
  const name = TAG_RUN.exec(text)?.[0];
  if (name === undefined || /^\d+$/.test(name)) return at + 1;
  scan.addTag(at + 1, at + 1 + name.length);
  return at + 1 + name.length;
};

/** `${…}` is Lua: its braces balance, and nothing in it is a link or a tag. */
const luaRule: InlineRule = (scan, at) => {
  if (scan.text[at + 1] !== '{') return at + 1;
  const close = bracePairs(scan).get(at + 1);
  if (close === undefined) return at + 2;
  scan.addOpaque(at, close + 1);
  return close + 1;
};

const pairsOfRun = new WeakMap<InlineScan, { readonly start: number; readonly pairs: Map<number, number> }>();

/** Opening brace → closing brace in the current run, found in one pass however many openers there are. */
function bracePairs(scan: InlineScan): ReadonlyMap<number, number> {
  const known = pairsOfRun.get(scan);
  if (known?.start === scan.start) return known.pairs;
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let at = scan.start; at < scan.end; at += 1) {
    const code = scan.text.charCodeAt(at);
    if (code === 0x7b) open.push(at);
    else if (code === 0x7d) {
      const opener = open.pop();
      if (opener !== undefined) pairs.set(opener, at);
    }
  }
  pairsOfRun.set(scan, { start: scan.start, pairs });
  return pairs;
}

export const SILVERBULLET: InlineSyntax = {
  rules: { '[': wikiRule('silverbullet'), '#': tagRule, $: luaRule },
};
