import type { InlineRule } from '../structure/inline.ts';
import { isEscaped } from './wiki-rule.ts';

/**
 * `$…$`: the opening mark touches what follows, the closing one what precedes and no digit follows
 * it, so that "$5 and $6" stays text. `$$…$$` is the parser's.
 */
export const mathRule: InlineRule = (scan, at) => {
  const { text } = scan;
  if (text[at + 1] === '$') return at + 2;
  if (/\s/.test(text[at + 1] ?? ' ')) return at + 1;
  const close = scan.find('$', at + 1, (place) => closesMath(text, place));
  if (close === undefined) return at + 1;
  scan.addOpaque(at, close + 1);
  return close + 1;
};

function closesMath(text: string, at: number): boolean {
  return !/\s/.test(text[at - 1] ?? ' ') && !/\d/.test(text[at + 1] ?? '') && !isEscaped(text, at);
}
