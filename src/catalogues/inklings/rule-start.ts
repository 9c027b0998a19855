/** Lines between two rules at the start, which would be taken for properties. */
const LIKE_PROPERTIES = /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/**
 * Text of a page as the text of a note: this system knows nothing of properties in it, so what looks like them is kept
 * apart by an empty line.
 *
 * @param now the text that the note has, whose own lines at the start stay what they are
 */
export function asNoteText(content: string, now = ''): string {
  const text = content.replace(/^\ufeff/, '');
  const [block] = LIKE_PROPERTIES.exec(text) ?? [];
  return block === undefined || now.startsWith(block) ? text : `\n${text}`;
}

/** Text of a note as that of a page. */
export function asPageText(text: string): string {
  const [first = ''] = /^\r?\n/.exec(text) ?? [];
  const rest = text.slice(first.length);
  return first !== '' && LIKE_PROPERTIES.test(rest) ? rest : text;
}
