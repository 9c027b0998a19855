import { stem } from '../../notes/path.ts';
import { singleSpaced } from '../../notes/structure/single-spaced.ts';
import { clip } from './text.ts';

/** Plain-text forms of the structured answers: one line per row, the same facts, fewer bytes. */

/** `3 notes`, `1 note`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** The share of the whole that this page shows, and how to get the rest. */
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

/** The non-empty parts, one below another. */
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

/** The mark of a conflict copy made by a sync program. */
export function copyOf({ conflict_copy_of: original }: { conflict_copy_of?: string | undefined }): string {
  return original === undefined ? '' : ` [sync conflict copy of ${original}]`;
}

/** For example ` #a #b`; '' without tags. */
export function hashed(tags: readonly string[]): string {
  return tags.map((tag) => ` #${tag}`).join('');
}

export function oneLine(text: string, max: number): string {
  return clip(singleSpaced(text).trim(), max);
}
