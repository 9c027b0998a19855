import { stem } from '../../notes/path.ts';
import { singleSpaced } from '../../notes/structure/single-spaced.ts';
import { clip } from './text.ts';

/** Plain-text forms of the structured answers: one line per row, the same facts, fewer bytes. */

/** `3 notes`, `1 note`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** How much of the whole this page is, and how to get the rest. */
export function shown(page: { total: number; next_cursor: string | null }, rows: number): string {
  if (page.next_cursor === null) return rows === page.total ? '' : ` (showing ${rows}, the last page)`;
  return ` (showing ${rows}; next: cursor ${page.next_cursor})`;
}

/** The notice as its own sentence at the end of a summary. */
export function noticed(notice: string | undefined): string {
  return notice === undefined ? '' : ` Note: ${notice.replace(/\.$/, '')}.`;
}

export function lines<Row>(rows: readonly Row[], line: (row: Row) => string): string {
  return rows.map(line).join('\n');
}

/** What there is, below each other. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

export function noteLine(note: {
  path: string;
  title: string;
  modified: string;
  tags: readonly string[];
  conflict_copy_of?: string | undefined;
}): string {
  const title = stem(note.path) === note.title ? '' : ` "${oneLine(note.title, 80)}"`;
  return `${note.path}${title} ${note.modified.slice(0, 10)}${hashed(note.tags)}${copyOf(note)}`;
}

/** Says of a copy that a sync program made what it is a copy of. */
export function copyOf({ conflict_copy_of: original }: { conflict_copy_of?: string | undefined }): string {
  return original === undefined ? '' : ` [sync conflict copy of ${original}]`;
}

/** ` #a #b`, or nothing. */
export function hashed(tags: readonly string[]): string {
  return tags.map((tag) => ` #${tag}`).join('');
}

export function oneLine(text: string, max: number): string {
  return clip(singleSpaced(text).trim(), max);
}
