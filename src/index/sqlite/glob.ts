import picomatch from 'picomatch';
import { LecternError } from '../../errors.ts';

/** A glob over vault paths, with what SQL can check before the matcher is asked. */
export interface PathGlob {
  /** Every matching path starts with this; empty when nothing is certain. */
  readonly prefix: string;
  matches(path: string): boolean;
}

const MAX_LENGTH = 1000;
/** picomatch compiles to a backtracking expression: each wildcard multiplies the worst case. */
const MAX_WILDCARDS = 10;
const MAX_WILDCARDS_PER_SEGMENT = 4;

/**
 * Compiles a glob with picomatch's rules: `*` within a folder, `**` across, `?`, `[a-z]`, `{a,b}`.
 * Case counts; Unicode form does not. A trailing slash means everything below.
 * @throws LecternError `invalid_input` for one too long or with too many wildcards
 */
export function compileGlob(pattern: string): PathGlob {
  const glob = pattern
    .normalize('NFC')
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '/**');
  const stars = (text: string): number => (text.match(/\*+|[+?@!]\(/g) ?? []).length;
  if (
    glob.length > MAX_LENGTH ||
    stars(glob) > MAX_WILDCARDS ||
    glob.split('/').some((segment) => stars(segment) > MAX_WILDCARDS_PER_SEGMENT)
  ) {
    throw new LecternError('invalid_input', 'The glob is too long or has too many wildcards.', {
      details: { field: 'path_glob' },
      next: `Use at most ${MAX_WILDCARDS_PER_SEGMENT} wildcards in one path segment and ${MAX_WILDCARDS} in all.`,
    });
  }
  const matcher = glob === '' ? () => false : picomatch(glob, { dot: true });
  return { prefix: literalPrefix(glob), matches: (path) => matcher(path.normalize('NFC')) };
}

/** The part before the first character with a meaning, cut to ASCII: beyond it spellings may differ. */
function literalPrefix(glob: string): string {
  const literal = /^[\w ./,;=~-]*/.exec(glob)?.[0] ?? '';
  const rest = glob.slice(literal.length);
  // A quantifier or a combining mark behind it changes the last literal character.
  return rest === '' ? literal : literal.slice(0, Math.max(0, literal.lastIndexOf('/') + 1));
}
