import { type WikiBrackets, wikiLink } from '../links/wiki.ts';
import type { Dialect } from '../model.ts';
import type { InlineRule, InlineScan } from '../structure/inline.ts';

const [LF, CR, OPEN, CLOSE] = [10, 13, 91, 93] as const;

/**
 * Finds `[[…]]` and `![[…]]`. The innermost pair on one line counts, as in `[[a [[b]]`. Single brackets
 * inside belong to the name when they are balanced: `[[Note [draft]]]` names `Note [draft]`.
 */
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
  if (text[at + 1] !== '[' || scan.inDestination(at)) return undefined;
  const close = closingBrackets(scan, at + 2);
  if (close === undefined) return undefined;
  // In `[[[a]]` and `[[[a]]]` the last two of the run open the link; in `[[[a] b]]` the third pairs within the name.
  if (text[at + 2] === '[' && !pairsWithin(text, at + 2, close)) return undefined;
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
  /** Single brackets that are open. */
  let open = 0;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) return undefined;
    if (code !== OPEN && code !== CLOSE) continue;
    const opaque = scan.opaqueAt(at);
    if (opaque !== undefined) {
      at = opaque.end - 1;
    } else if (code === OPEN) {
      if (text.charCodeAt(at + 1) === OPEN) return undefined;
      open += 1;
    } else if (text.charCodeAt(at + 1) === CLOSE && at + 1 < end) {
      let run = 2;
      while (run - 2 < open && at + run < end && text.charCodeAt(at + run) === CLOSE) run += 1;
      return at + run - 2;
    } else if (open > 0) {
      open -= 1;
    }
  }
  return undefined;
}

/** True when the bracket at the start of a name pairs with one before the name's end. */
function pairsWithin(text: string, start: number, end: number): boolean {
  let open = 0;
  for (let at = start; at < end - 1; at += 1) {
    if (text[at] === '[') open += 1;
    else if (text[at] === ']') open -= 1;
    if (open === 0) return true;
  }
  return false;
}

/** Whether an odd number of backslashes precedes the offset. */
export function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}
