import { propertyByName } from './frontmatter/frontmatter.ts';
import type { ParsedNote } from './model.ts';
import { stem } from './path.ts';

/** A note's title: the `title` property when it is a text, else its first level-1 heading, else its file name. */
export function noteTitle(note: Pick<ParsedNote, 'frontmatter' | 'headings'>, path: string): string {
  const property = propertyByName(note.frontmatter, 'title')?.value;
  if (typeof property === 'string' && property.trim() !== '') return property.trim();
  const heading = note.headings.find(({ level, text }) => level === 1 && text.trim() !== '');
  return heading?.text.trim() ?? stem(path);
}
