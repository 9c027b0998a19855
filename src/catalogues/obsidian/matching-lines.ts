/** The words of a query that can be shown in the text of notes. */
export interface WantedText {
  readonly words: readonly string[];
  /** Whether upper and lower case differ. */
  readonly isExact: boolean;
}

export interface MatchingLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** The words and phrases of a query, without exclusions and filters. */
export function wantedText(query: string, isExact: boolean): WantedText {
  const words: string[] = [];
  for (const [, sign = '', phrase, word = ''] of query.matchAll(/(-?)(?:"([^"]*)"?|([^\s()"]+))/g)) {
    if (sign !== '') continue;
    const text = phrase ?? word.replace(/^(?:content|line|block|section|match-case|ignore-case):/i, '');
    if (text === '' || text === 'OR' || text.startsWith('[') || /^[a-z-]+:/i.test(text)) continue;
    words.push(text);
  }
  return { words: isExact ? words : words.map(folded), isExact };
}

export function matchingLines(text: string, wanted: WantedText, around: number): MatchingLine[] {
  const lines = text.split(/\r\n|\n|\r/);
  const found: MatchingLine[] = [];
  for (const [at, line] of lines.entries()) {
    const seen = wanted.isExact ? line : folded(line);
    if (!wanted.words.some((word) => seen.includes(word))) continue;
    found.push({
      line: at + 1,
      text: line,
      ...(around > 0 && {
        before: lines.slice(Math.max(0, at - around), at),
        after: lines.slice(at + 1, at + 1 + around),
      }),
    });
  }
  return found;
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
