import { htmlLinks } from '../../notes/links/id-links.ts';
import { percentDecode } from '../../notes/links/markdown.ts';
import { parseMarkdown } from '../../notes/markdown.ts';
import type { Link, ParsedNote } from '../../notes/model.ts';
import { LineIndex } from '../../notes/text.ts';

/**
 * Links in the HTML of a note, by path. Lectern's parser does not treat them as links, but Joplin renders
 * what its importer makes of them.
 */
const PATHS = /\b(src|href)[ \t\r\n]*=[ \t\r\n]*(["'])([^"'<>#:?&\r\n/][^"'<>#:?&\r\n]*)(#[^"'<>]*)?\2/gi;

export function htmlPathLinks({ text, bodyStart }: ParsedNote): readonly Link[] {
  if (!/<[^>]*\b(?:src|href)[ \t\r\n]*=/i.test(text)) return [];
  const nodes = parseMarkdown(text.slice(bodyStart), bodyStart, 'obsidian');
  return htmlLinks(text, nodes, new LineIndex(text), PATHS).map((link) => ({
    ...link,
    target: percentDecode(link.target),
  }));
}
