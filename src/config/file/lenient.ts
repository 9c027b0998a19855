import { LecternError } from '../../errors.ts';
import { removeFromConfig } from './edit.ts';
import { type ConfigFile, parseConfig } from './parse.ts';

export interface LenientConfig {
  /** Everything that is wrong, the first thing first. */
  readonly problems: readonly LecternError[];
  /** What is left without that; undefined when nothing of the text can be read. */
  readonly file: ConfigFile | undefined;
}

/** Nobody reads more. */
const MOST_PROBLEMS = 20;

/**
 * Reads a configuration file that need not be good: each setting that is wrong is told and left out. For looking at what
 * there is, never for serving: what is left out may be a rule.
 *
 * @param source its text
 * @param path where it is from
 */
export function parseLeniently(source: string, path: string): LenientConfig {
  const problems: LecternError[] = [];
  let text = source;
  while (problems.length < MOST_PROBLEMS) {
    try {
      return { problems, file: parseConfig(text, path) };
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      problems.push(error);
      const without = withoutSetting(text, error.details.key);
      if (without === undefined || without === text) break;
      text = without;
    }
  }
  return { problems, file: undefined };
}

/** The same number of lines, so that what is told next stands where it says. */
function withoutSetting(text: string, key: unknown): string | undefined {
  if (typeof key !== 'string' || key === '') return undefined;
  // What is wrong with an item of a list is wrong with the list.
  for (let parts = key.split('.'); parts.length > 0; parts = parts.slice(0, -1)) {
    try {
      const shorter = removeFromConfig(text, parts as [string, ...string[]]);
      if (shorter !== text) return withLinesOf(text, shorter);
    } catch {
      // The text cannot be changed there alone.
    }
  }
  return undefined;
}

function withLinesOf(text: string, shorter: string): string {
  const missing = text.split('\n').length - shorter.split('\n').length;
  if (missing <= 0) return shorter;
  let start = 0;
  while (start < shorter.length && shorter[start] === text[start]) start++;
  const line = shorter.lastIndexOf('\n', start - 1) + 1;
  return shorter.slice(0, line) + '\n'.repeat(missing) + shorter.slice(line);
}
