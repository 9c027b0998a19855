import { parseFrontmatter, propertyByName } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect, Frontmatter } from '../../notes/model.ts';
import { isPropertyTag } from '../../notes/structure/tags.ts';

/**
 * What a write did to the properties that its caller can hardly have meant: a block that nobody can
 * read, and entries of `tags` that are no tags. What was so before the write is not told.
 */
export function propertyNotices(before: string | undefined, after: string, dialect: Dialect): string[] {
  const now = parseFrontmatter(after, dialect);
  if (now === undefined) return [];
  const old = before === undefined ? undefined : parseFrontmatter(before, dialect);
  const problem = errorOf(now);
  if (problem !== undefined) {
    if (old !== undefined && errorOf(old) !== undefined) return [];
    return [`The properties cannot be read: ${problem.message}, line ${problem.line}; repair that line`];
  }
  if (dialect !== 'obsidian') return [];
  const known = new Set(noTags(old));
  const wrong = noTags(now).filter((entry) => !known.has(entry));
  if (wrong.length === 0) return [];
  const shown = wrong.slice(0, 3).map((entry) => JSON.stringify(entry));
  return [`tags: ${shown.join(', ')} is no tag and finds nothing; write tags as a list of single words`];
}

function errorOf(frontmatter: Frontmatter) {
  return frontmatter.problems.find(({ severity }) => severity === 'error');
}

function noTags(frontmatter: Frontmatter | undefined): string[] {
  const value = propertyByName(frontmatter, 'tags')?.value;
  const entries = Array.isArray(value) ? value : [value];
  return entries.filter((entry): entry is string => typeof entry === 'string' && !isWrittenTag(entry));
}

function isWrittenTag(entry: string): boolean {
  const name = entry.trim().replace(/^#/, '').replace(/\/+$/, '');
  return entry.trim() === '' || isPropertyTag(name);
}
