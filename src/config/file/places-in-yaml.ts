/** The span of a node of the YAML parser, `[start, end]` in UTF-16 code units; `[0, 0]` when it has none. */
export function rangeOf(node: unknown): readonly [number, number] {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : [0, 0];
}

/** The offset of the start of the line that contains a position. */
export function lineStart(source: string, at: number): number {
  return source.lastIndexOf('\n', at - 1) + 1;
}

/** The end of the line that contains a position, line ending included. */
export function lineEnd(source: string, at: number): number {
  if (at > 0 && source[at - 1] === '\n') return at;
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end + 1;
}

/** The 0-based column of a position. */
export function columnOf(source: string, at: number): number {
  return at - lineStart(source, at);
}

/** The offset after the last character before `end` that is not white space. */
export function trimmedEnd(source: string, end: number): number {
  return source.slice(0, end).trimEnd().length;
}
