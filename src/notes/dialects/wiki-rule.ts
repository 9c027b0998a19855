import { type WikiBrackets, wikiLink } from '../links/wiki.ts';
import type { Dialect } from '../model.ts';
import type { InlineRule, InlineScan } from '../structure/inline.ts';

/** Finds `[[…]]` and `![[…]]`. The innermost pair on one line counts, as in `[[a [[b]]`. */
export function wikiRule(dialect: Dialect): InlineRule {
  return (scan, at) => {
    const brackets = wikiBrackets(scan, at);
    if (brackets === undefined) return at + 1;
    scan.addLink(wikiLink(scan.text, brackets, dialect));
    return brackets.span.end;
  };
}

/** @param at offset of a `[` that is neither escaped nor opaque */
export function wikiBrackets(scan: InlineScan, at: number): WikiBrackets | undefined {
  const { text } = scan;
  // In `[[[a]]` the last two of the run open the link.
  if (text[at + 1] !== '[' || text[at + 2] === '[' || scan.inDestination(at)) return undefined;
  const close = closingBrackets(scan, at + 2);
  if (close === undefined) return undefined;
  const embed = text[at - 1] === '!' && at > scan.start && !isEscaped(text, at - 1);
  return {
    span: { start: embed ? at - 1 : at, end: close + 2 },
    inner: { start: at + 2, end: close },
    embed,
    line: scan.lines.lineAt(at),
  };
}

/** Offset of the `]]` on the same line with no other `[[` before it. */
function closingBrackets(scan: InlineScan, from: number): number | undefined {
  const { text, end } = scan;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) return undefined;
    if (code === 0x5b && text.charCodeAt(at + 1) === 0x5b) return undefined;
    if (code !== 0x5d || text.charCodeAt(at + 1) !== 0x5d || at + 1 >= end) continue;
    const opaque = scan.opaqueAt(at);
    if (opaque !== undefined) {
      at = opaque.end - 1;
      continue;
    }
    // A footnote subpath ends in a bracket of its own: `[[Note#[^1]]]`.
    const footnote = text.charCodeAt(at + 2) === 0x5d && text.slice(from, at).includes('#[^');
    return footnote && at + 2 < end ? at + 1 : at;
  }
  return undefined;
}

/** True when an odd number of backslashes stands before the offset. */
export function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}
