/** Text between two rules at the start, which would be parsed as front matter. */
const LIKE_PROPERTIES = /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/**
 * Converts the text of a page to that of a note. This system has no properties, so an empty line is inserted
 * before text that would be parsed as front matter.
 *
 * @param now the note's present text; its own front matter is kept
 */
export function asNoteText(content: string, now = ''): string {
  const text = content.replace(/^\ufeff/, '');
  const [block] = LIKE_PROPERTIES.exec(text) ?? [];
  return block === undefined || now.startsWith(block) ? text : `\n${text}`;
}

/** Converts the text of a note to that of a page. */
export function asPageText(text: string): string {
  const [first = ''] = /^\r?\n/.exec(text) ?? [];
  const rest = text.slice(first.length);
  return first !== '' && LIKE_PROPERTIES.test(rest) ? rest : text;
}
