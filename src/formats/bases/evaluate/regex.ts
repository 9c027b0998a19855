import { RE2JS } from 're2js';
import type { RegexValue } from '../values/value.ts';
import type { CallContext } from './call.ts';

const MAX_PATTERN = 1000;
const KEPT = 50;

/** A compiled regular expression. All of it runs in linear time: no pattern can hang the program. */
export interface CompiledRegex {
  test(text: string): boolean;
  /** The first match, or all with the flag `g`; `$1` and `$<name>` stand for groups. */
  replace(text: string, replacement: string): string;
  split(text: string): readonly string[];
}

const compiled = new Map<string, CompiledRegex | string>();

/** @throws ExpressionError for a pattern that RE2 does not have (lookaround, backreferences) or that is wrong */
export function compileRegex({ source, flags }: RegexValue, { fail }: CallContext): CompiledRegex {
  const key = `${flags}/${source}`;
  let found = compiled.get(key);
  if (found === undefined) {
    found = compile(source, flags);
    // The oldest goes: a base has a handful of them.
    const [oldest] = compiled.keys();
    if (compiled.size >= KEPT && oldest !== undefined) compiled.delete(oldest);
    compiled.set(key, found);
  }
  return typeof found === 'string' ? fail(found) : found;
}

function compile(source: string, flags: string): CompiledRegex | string {
  if (source.length > MAX_PATTERN) return `The regular expression is longer than ${MAX_PATTERN} characters.`;
  const unknown = /[^gimsuy]/.exec(flags)?.[0];
  if (unknown !== undefined) return `A regular expression has no flag ${unknown}.`;
  let options = 0;
  if (flags.includes('i')) options |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) options |= RE2JS.MULTILINE;
  if (flags.includes('s')) options |= RE2JS.DOTALL;
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(RE2JS.translateRegExp(source), options);
  } catch (error) {
    return `/${source}/ cannot be used: ${error instanceof Error ? error.message : String(error)}.`;
  }
  return {
    test: (text: string) => pattern.matcher(text).find(),
    replace(text: string, replacement: string) {
      const matcher = pattern.matcher(text);
      return flags.includes('g') ? matcher.replaceAll(replacement) : matcher.replaceFirst(replacement);
    },
    split: (text: string) => pattern.split(text, -1),
  };
}
