/** @returns `LF`, `CRLF`, or how many lines end in each */
export function lineEndings(text: string): string {
  const crlf = text.split('\r\n').length - 1;
  const lf = text.split('\n').length - 1 - crlf;
  if (crlf === 0) return 'LF';
  return lf === 0 ? 'CRLF' : `mixed, ${crlf} CRLF and ${lf} LF`;
}

/**
 * Lines of a note that are not, byte for byte and in their order, in its text after one property was
 * edited. Of that property's own line the comment at its end has to stay too.
 */
export function otherLinesChanged(before: string, after: string, key: string): string[] {
  const old = before.split(/\r?\n/);
  const left = after.split(/\r?\n/);
  const changed: string[] = [];
  for (const line of old) {
    const own = line.startsWith(`${key}:`);
    const comment = own ? (/\s+#.*$/.exec(line)?.[0] ?? '') : '';
    const at = own
      ? left.findIndex((other) => other.startsWith(`${key}:`) && other.endsWith(comment))
      : left.indexOf(line);
    if (at === -1) changed.push(line.trim());
    else left.splice(0, at + 1);
  }
  return changed;
}
