import { LecternError } from '../../../errors.ts';
import { matchesGlob, parseGlob } from '../../../notes/glob.ts';

/** A glob over vault paths, with what SQL can check before the matcher is asked. */
export interface PathGlob {
  /** Every matching path starts with this; empty when nothing is certain. */
  readonly prefix: string;
  /** Every matching path contains this; empty when nothing is certain. */
  readonly part: string;
  /** The prefix alone decides: `Folder/**`. */
  readonly prefixOnly: boolean;
  matches(path: string): boolean;
}

const MAX_LENGTH = 1000;

/**
 * Compiles a glob with picomatch's rules: `*` within a folder, `**` across, `?`, `[a-z]`, `[!a]`,
 * `{a,b}`, a leading `!` for "all but". Parentheses stand for themselves, as they do in file names.
 * Case counts; Unicode form does not. A trailing slash means everything below. A glob that is some path as it
 * stands, brackets and all, means that file or folder too: `[2020] Trip/**`.
 * @throws LecternError `invalid_input` for one too long or with too many alternatives
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

/** Letters that stand for themselves and have one spelling: ASCII, nothing with a meaning in a glob. */
const LITERAL = /^[\w ./,;=~-]*/;

/** What comes before the first wildcard, up to and with the last slash. */
function literalPrefix(glob: string): string {
  const literal = LITERAL.exec(glob)?.[0] ?? '';
  // A quantifier or a combining mark behind it would change the last literal character.
  return literal === glob ? literal : literal.slice(0, Math.max(0, literal.lastIndexOf('/') + 1));
}

/** The longest run between stars in a glob made of nothing else. */
function literalPart(glob: string): string {
  const runs = glob.split(/[*?]+/).map((run) => run.replace(/^\/+|\/+$/g, ''));
  if (runs.some((run) => LITERAL.exec(run)?.[0] !== run)) return '';
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}
