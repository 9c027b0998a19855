/**
 * Glob matching in time linear in the path for each alternative: a backtracking expression, which is
 * what glob packages compile to, can be made to run for minutes by one pattern and one long name.
 */

type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'class'; readonly pattern: RegExp };

/** `**` on its own between slashes: any folders, none included. */
type Segment = 'folders' | readonly Token[];

/** One alternative of a pattern, braces resolved. */
export type GlobAlternative = readonly Segment[];

const MAX_ALTERNATIVES = 256;

/**
 * @returns the alternatives, or undefined when braces multiply beyond reason
 */
export function parseGlob(glob: string): readonly GlobAlternative[] | undefined {
  return expandBraces(glob)?.map((pattern) => {
    const segments = splitOutsideClasses(pattern).map(
      (segment): Segment => (segment === '**' ? 'folders' : tokens(segment)),
    );
    // What is matched are files: `a/**` means those below `a`, never `a`.
    if (segments.at(-1) === 'folders') segments.push([{ kind: 'star' }]);
    return segments;
  });
}

/** True when the whole path (segments) matches. */
export function matchesGlob(alternative: GlobAlternative, path: readonly string[]): boolean {
  // Going back to the last `**` only is enough: an earlier one could do nothing the last cannot.
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

/** The end of `[…]` that opens at `at`, undefined when it never closes. `]` right after the opening belongs to it. */
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
    // A range that runs backwards: the bracket stands for itself.
    return undefined;
  }
}

/** Splits at slashes, but not inside `[…]` and not at escaped ones. */
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

/** The last index of the class that opens at `at`; classes never span a slash. */
function closedBefore(pattern: string, at: number): number {
  const end = classEnd(pattern, at);
  return end === undefined || pattern.slice(at, end).includes('/') ? at : end - 1;
}

/** `a{b,c{d,e}}` → `ab`, `acd`, `ace`. Braces without a comma stand for themselves. */
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

/** The pattern with its first innermost braces replaced by each of their parts; undefined without any. */
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

/** A path as a pattern that matches it alone. */
export function literalGlob(path: string): string {
  return path.replace(/[\\*?[\]{},!]/g, '\\$&');
}
