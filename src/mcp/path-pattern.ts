import { decodeSegment } from './resource-uri.ts';

/**
 * Matches a path against segments with `*` (any characters of one segment) and `**` (any number of segments).
 * Everything else is literal. The number of steps is bounded by pattern × path.
 */
export function pathMatcher(pattern: readonly string[]): (path: string) => boolean {
  const segments = pattern.map((segment) =>
    segment === '**' ? '**' : segment.split(/\*+/).map((part) => literal(part)),
  );
  return (path) => matches(segments, path.normalize('NFC').split('/'));
}

type Segment = '**' | readonly string[];

function literal(part: string): string {
  return (decodeSegment(part) ?? part).normalize('NFC');
}

/** Only the last `**` ever needs to take more: everything before it has matched. */
function matches(pattern: readonly Segment[], path: readonly string[]): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let starPlace = 0;
  while (place < path.length) {
    const segment = pattern[at];
    if (segment === '**') {
      star = at++;
      starPlace = place;
    } else if (segment !== undefined && matchesSegment(segment, path[place] ?? '')) {
      at++;
      place++;
    } else if (star !== -1) {
      at = star + 1;
      place = ++starPlace;
    } else {
      return false;
    }
  }
  while (pattern[at] === '**') at++;
  return at === pattern.length;
}

/** The parts between the stars, each at its first match: the first at the start, the last at the end. */
function matchesSegment(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
