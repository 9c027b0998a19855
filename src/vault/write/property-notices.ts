import { DIALECT_RULES } from '../../notes/dialects/rules.ts';
import { errorsIn, parseFrontmatter, propertyByName } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect, Frontmatter } from '../../notes/model.ts';
import { isPropertyTag } from '../../notes/structure/tags.ts';

/**
 * Probably unintended effects of a write on properties: an unreadable block, entries of `tags` that are no
 * valid tags, and a number or boolean that became text. Only new effects are reported; text that became an
 * entry of a list counts as new.
 */
export function propertyNotices(before: string | undefined, after: string, dialect: Dialect): string[] {
  const now = parseFrontmatter(after, dialect);
  if (now === undefined) return [];
  const old = before === undefined ? undefined : parseFrontmatter(before, dialect);
  const [problem] = errorsIn(now);
  if (problem !== undefined) {
    if (errorsIn(old).length > 0) return [];
    return [`The properties cannot be read: ${problem.message}, line ${problem.line}; repair that line`];
  }
  return [
    ...(DIALECT_RULES[dialect].tagBrackets === undefined ? tagNotices(old, now) : []),
    ...typeNotices(old, now),
  ];
}

function tagNotices(old: Frontmatter | undefined, now: Frontmatter): string[] {
  const was = propertyByName(old, 'tags')?.value;
  const isStill = typeof was !== 'string' || propertyByName(now, 'tags')?.value === was;
  const known = new Set(isStill ? noTags(old) : []);
  const wrong = noTags(now).filter((entry) => !known.has(entry));
  if (wrong.length === 0) return [];
  const shown = wrong.slice(0, 3).map((entry) => JSON.stringify(entry));
  return [`tags: ${shown.join(', ')} is no tag and finds nothing; write tags as a list of single words`];
}

/** A client whose tools support only text sends `true` for a boolean. */
function typeNotices(old: Frontmatter | undefined, now: Frontmatter): string[] {
  return now.properties.flatMap(({ key, value }) => {
    const before = propertyByName(old, key);
    const type = before === undefined ? 'boolean' : typeof before.value;
    if (typeof value !== 'string' || !LOOKS_LIKE[type]?.test(value)) return [];
    return [
      `${key} is the text "${value}" now, ${before === undefined ? 'no boolean' : `and was a ${type}`}`,
    ];
  });
}

const LOOKS_LIKE: Readonly<Record<string, RegExp>> = {
  boolean: /^(true|false)$/,
  number: /^-?\d+(\.\d+)?$/,
};

function noTags(frontmatter: Frontmatter | undefined): string[] {
  const value = propertyByName(frontmatter, 'tags')?.value;
  const entries = Array.isArray(value) ? value : [value];
  return entries.filter((entry): entry is string => typeof entry === 'string' && !isWrittenTag(entry));
}

function isWrittenTag(entry: string): boolean {
  const name = entry.trim().replace(/^#/, '').replace(/\/+$/, '');
  return entry.trim() === '' || isPropertyTag(name);
}
