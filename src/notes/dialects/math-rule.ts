import type { InlineRule } from '../structure/inline.ts';
import { isEscaped } from './wiki-rule.ts';

/**
 * `$…$`: the opening mark must touch the following character and the closing one the preceding; no digit may
 * follow, so that "$5 and $6" stays text. `$$…$$` is handled by the parser.
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
