import { LecternError } from '../../../errors.ts';
import { matchesGlob, parseGlob } from '../../../notes/glob.ts';

/** A compiled glob over vault paths, with literal parts that SQL can test before the matcher runs. */
export interface PathGlob {
  /** A prefix of every matching path; empty when unknown. */
  readonly prefix: string;
  /** A part of every matching path; empty when unknown. */
  readonly part: string;
  /** Whether exactly the paths with the prefix match: `Folder/**`. */
  readonly prefixOnly: boolean;
  matches(path: string): boolean;
}

/** Longest glob, UTF-16 code units. */
const MAX_LENGTH = 1000;

/**
 * Compiles a glob by picomatch's rules: `*` within a folder, `**` across folders, `?`, `[a-z]`, `[!a]`,
 * `{a,b}`, and a leading `!` for negation. Parentheses are literal, as they occur in file names. Matching is
 * case-sensitive and ignores the Unicode form. A trailing slash means everything below. A glob also matches the
 * path that equals it literally, brackets included: `[2020] Trip/**`.
 *
 * @throws LecternError `invalid_input` for a glob that is too long or has too many alternatives
 */
export function compileGlob(pattern: string): PathGlob {
  const bangs = /^!*/.exec(pattern)?.[0].length ?? 0;
  const glob = pattern
    .slice(bangs)
    .normalize('NFC')
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '/**');
  const alternatives = glob.length > MAX_LENGTH ? undefined : parseGlob(glob);
  if (alternatives === undefined) {
    throw new LecternError('invalid_input', 'The glob is too long or has too many alternatives in braces.', {
      details: { field: 'path_glob' },
      next: 'Use a shorter pattern, such as "Projects/**/*.md", or several queries.',
    });
  }
  const negated = bangs % 2 === 1;
  const folder = glob.endsWith('/**') ? glob.slice(0, -'**'.length) : undefined;
  return {
    prefix: negated ? '' : literalPrefix(glob),
    part: negated ? '' : literalPart(glob),
    prefixOnly: !negated && glob === `${literalPrefix(glob)}**`,
    matches(path) {
      const composed = path.normalize('NFC');
      const segments = composed.split('/');
      const literally = folder === undefined ? composed === glob : composed.startsWith(folder);
      return (literally || alternatives.some((each) => matchesGlob(each, segments))) !== negated;
    },
  };
}

/** ASCII characters without a meaning in a glob, which have one Unicode form. */
const LITERAL = /^[\w ./,;=~-]*/;

/** The text before the first wildcard, up to and including its last slash. */
function literalPrefix(glob: string): string {
  const literal = LITERAL.exec(glob)?.[0] ?? '';
  // A quantifier or a combining mark after it would change the last literal character.
  return literal === glob ? literal : literal.slice(0, Math.max(0, literal.lastIndexOf('/') + 1));
}

/** The longest literal run of a glob that has only `*` and `?` besides; empty for other globs. */
function literalPart(glob: string): string {
  const runs = glob.split(/[*?]+/).map((run) => run.replace(/^\/+|\/+$/g, ''));
  if (runs.some((run) => LITERAL.exec(run)?.[0] !== run)) return '';
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}
