import { LecternError } from '../../errors.ts';
import { removeFromConfig } from './edit.ts';
import { type ConfigFile, parseConfig } from './parse.ts';

export interface LenientConfig {
  /** All problems, in the order they were found. */
  readonly problems: readonly LecternError[];
  /** The remaining valid settings; undefined when nothing of the text can be parsed. */
  readonly file: ConfigFile | undefined;
}

/** Most problems that are reported. */
const MAX_PROBLEMS = 20;

/**
 * Parses a configuration file that may be invalid: each wrong setting is reported and left out. Use it for
 * diagnosis only and never for serving, as a setting that is left out may be an access rule.
 *
 * @param source its text
 * @param path its path, for the messages
 */
export function parseLeniently(source: string, path: string): LenientConfig {
  const problems: LecternError[] = [];
  let text = source;
  while (problems.length < MAX_PROBLEMS) {
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

/** The text without a setting, with the same number of lines, so that later problems name the right lines. */
function withoutSetting(text: string, key: unknown): string | undefined {
  if (typeof key !== 'string' || key === '') return undefined;
  // A wrong item of a list removes the whole list.
  for (let parts = key.split('.'); parts.length > 0; parts = parts.slice(0, -1)) {
    try {
      const shorter = removeFromConfig(text, parts as [string, ...string[]]);
      if (shorter !== text) return withLinesOf(text, shorter);
    } catch {
      // The setting cannot be removed without changing other text.
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
