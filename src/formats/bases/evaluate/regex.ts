import { RE2JS } from 're2js';
import type { RegexValue } from '../values/value.ts';
import type { CallContext } from './call.ts';

/** Longest pattern, UTF-16 code units. */
const MAX_PATTERN = 1000;
/** Number of compiled patterns, or their errors, in the cache. */
const CACHE_SIZE = 50;

/** A regular expression compiled by RE2, which matches in linear time: no pattern can block the process. */
export interface CompiledRegex {
  test(text: string): boolean;
  /** Replaces the first match, or all with the flag `g`; `$1` and `$<name>` refer to groups. */
  replace(text: string, replacement: string): string;
  split(text: string): readonly string[];
}

const compiled = new Map<string, CompiledRegex | string>();

/**
 * @throws ExpressionError for an invalid pattern or one that RE2 does not support (lookaround, backreferences)
 */
export function compileRegex({ source, flags }: RegexValue, { fail }: CallContext): CompiledRegex {
  const key = `${flags}/${source}`;
  let found = compiled.get(key);
  if (found === undefined) {
    found = compile(source, flags);
    // The oldest entry is evicted: a base has only a few patterns.
    const [oldest] = compiled.keys();
    if (compiled.size >= CACHE_SIZE && oldest !== undefined) compiled.delete(oldest);
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
