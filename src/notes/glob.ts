/**
 * Glob matching that takes linear time in the path for each alternative. The backtracking expressions that glob
 * packages compile to can run for minutes on one pattern and one long name.
 */

type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'class'; readonly pattern: RegExp };

/** `folders` is `**` between slashes: any number of folders, including none. */
type Segment = 'folders' | readonly Token[];

/** One alternative of a pattern, with braces expanded. */
export type GlobAlternative = readonly Segment[];

/** Most alternatives that braces may expand to. */
const MAX_ALTERNATIVES = 256;

/** Parses a glob. @returns its alternatives; undefined when braces expand to more than 256 */
export function parseGlob(glob: string): readonly GlobAlternative[] | undefined {
  return expandBraces(glob)?.map((pattern) => {
    const segments = splitOutsideClasses(pattern).map(
      (segment): Segment => (segment === '**' ? 'folders' : tokens(segment)),
    );
    // Only files are matched: `a/**` matches those below `a` and never `a` itself.
    if (segments.at(-1) === 'folders') segments.push([{ kind: 'star' }]);
    return segments;
  });
}

/** Whether an alternative matches a whole path. @param path its segments */
export function matchesGlob(alternative: GlobAlternative, path: readonly string[]): boolean {
  // Backtracking to the last `**` suffices: an earlier one matches nothing that the last cannot.
  let at = 0;
  let part = 0;
  let folders = -1;
  let resume = 0;
  while (at < path.length) {
    const segment = alternative[part];
    if (segment === 'folders') {
      folders = part;
      part += 1;
      resume = at;
    } else if (segment !== undefined && matchesSegment(segment, path[at] ?? '')) {
      part += 1;
      at += 1;
    } else if (folders >= 0) {
      resume += 1;
      at = resume;
      part = folders + 1;
    } else {
      return false;
    }
  }
  while (alternative[part] === 'folders') part += 1;
  return part === alternative.length;
}

function matchesSegment(segment: readonly Token[], name: string): boolean {
  const chars = [...name];
  let at = 0;
  let part = 0;
  let star = -1;
  let resume = 0;
  while (at < chars.length) {
    const token = segment[part];
    if (token?.kind === 'star') {
      star = part;
      part += 1;
      resume = at;
    } else if (token !== undefined && matchesChar(token, chars[at] ?? '')) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      part = star + 1;
    } else {
      return false;
    }
  }
  while (segment[part]?.kind === 'star') part += 1;
  return part === segment.length;
}

function matchesChar(token: Exclude<Token, { kind: 'star' }>, char: string): boolean {
  if (token.kind === 'any') return true;
  return token.kind === 'char' ? token.char === char : token.pattern.test(char);
}

function tokens(segment: string): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < segment.length; ) {
    const char = String.fromCodePoint(segment.codePointAt(at) ?? 0);
    const set = char === '[' ? classAt(segment, at) : undefined;
    if (set !== undefined) {
      found.push({ kind: 'class', pattern: set.pattern });
      at = set.end;
      continue;
    }
    if (char === '*') {
      if (found.at(-1)?.kind !== 'star') found.push({ kind: 'star' });
    } else if (char === '?') {
      found.push({ kind: 'any' });
    } else if (char === '\\' && at + 1 < segment.length) {
      const escaped = String.fromCodePoint(segment.codePointAt(at + 1) ?? 0);
      found.push({ kind: 'char', char: escaped });
      at += escaped.length;
    } else {
      found.push({ kind: 'char', char });
    }
    at += char.length;
  }
  return found;
}

/**
 * The end of the class `[…]` at `at`; undefined when it is unclosed. A `]` directly after the opening belongs
 * to it.
 */
function classEnd(text: string, at: number): number | undefined {
  const negated = text[at + 1] === '!' || text[at + 1] === '^' ? 1 : 0;
  const close = text.indexOf(']', at + 2 + negated);
  return close === -1 ? undefined : close + 1;
}

function classAt(text: string, at: number): { pattern: RegExp; end: number } | undefined {
  const end = classEnd(text, at);
  if (end === undefined) return undefined;
  const inner = text.slice(at + 1, end - 1);
  const negated = /^[!^]/.test(inner);
  const body = (negated ? inner.slice(1) : inner).replace(/[\\\]^[]/g, '\\$&');
  try {
    return { pattern: new RegExp(`^[${negated ? '^' : ''}${body}]$`, 'u'), end };
  } catch {
    // An invalid range makes the bracket literal.
    return undefined;
  }
}

/** Splits a pattern at slashes that are neither escaped nor inside `[…]`. */
function splitOutsideClasses(pattern: string): string[] {
  const segments: string[] = [];
  let from = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === '[') at = Math.max(at, closedBefore(pattern, at));
    else if (pattern[at] === '/') {
      segments.push(pattern.slice(from, at));
      from = at + 1;
    }
  }
  segments.push(pattern.slice(from));
  return segments;
}

/** The last index of the class at `at`, or `at` itself when there is none; a class never spans a slash. */
function closedBefore(pattern: string, at: number): number {
  const end = classEnd(pattern, at);
  return end === undefined || pattern.slice(at, end).includes('/') ? at : end - 1;
}

/** Expands `a{b,c{d,e}}` to `ab`, `acd`, `ace`. Braces without a comma are literal. */
function expandBraces(glob: string): string[] | undefined {
  let done: string[] = [];
  let open = [glob];
  while (open.length > 0) {
    const next: string[] = [];
    for (const pattern of open) {
      const alternatives = firstBraces(pattern);
      if (alternatives === undefined) done.push(pattern);
      else next.push(...alternatives);
    }
    if (next.length + done.length > MAX_ALTERNATIVES) return undefined;
    open = next;
  }
  done = [...new Set(done)];
  return done;
}

/** Expands the first innermost braces of a pattern; undefined when it has none. */
function firstBraces(pattern: string): string[] | undefined {
  let open = -1;
  let commas: number[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (char === '{') {
      open = at;
      commas = [];
    } else if (char === ',' && open >= 0) commas.push(at);
    else if (char === '}' && open >= 0) {
      if (commas.length > 0) {
        const edges = [open, ...commas, at];
        return edges
          .slice(1)
          .map(
            (edge, index) =>
              pattern.slice(0, open) + pattern.slice((edges[index] ?? 0) + 1, edge) + pattern.slice(at + 1),
          );
      }
      open = -1;
    }
  }
  return undefined;
}

/** A pattern that matches only this path. */
export function literalGlob(path: string): string {
  return path.replace(/[\\*?[\]{},!]/g, '\\$&');
}
