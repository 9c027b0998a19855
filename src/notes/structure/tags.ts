/** The syntax and comparison of tags by Obsidian's rules, as observed in Obsidian 1.13.7. */

/**
 * A run of tag characters: all except white space, ASCII punctuation other than `-`, `_` and `/`, and the
 * punctuation blocks U+2000–206F and U+2E00–2E7F. Emoji and CJK punctuation are tag characters.
 */
const TAG_RUN = /[^\s!-,.:-@[-^`{-~\u2000-\u206f\u2e00-\u2e7f]+/y;
const ONLY_DIGITS_OR_SLASHES = /^[\d/]*$/;

/**
 * Reads the tag whose `#` is directly before `start`.
 *
 * @returns the offset after the name; undefined when there is no tag (digits only, or nothing)
 */
export function tagEnd(text: string, start: number): number | undefined {
  TAG_RUN.lastIndex = start;
  const run = TAG_RUN.exec(text)?.[0];
  if (run === undefined) return undefined;
  const name = run.replace(/\/+$/, '');
  return isTagName(name) ? start + name.length : undefined;
}

/** Whether a whole text, without `#`, is one tag name. */
export function isTagName(name: string): boolean {
  if (ONLY_DIGITS_OR_SLASHES.test(name)) return false;
  TAG_RUN.lastIndex = 0;
  return TAG_RUN.exec(name)?.[0].length === name.length && !name.endsWith('/');
}

/** Whether an entry of the `tags` property, without `#`, is a tag: one word and not only digits. */
export function isPropertyTag(name: string): boolean {
  return name !== '' && !/^\d+$/.test(name) && !/[\s,]/.test(name);
}

/** The form in which tags are compared: without `#` and final slashes, NFC, lower case. */
export function tagKey(tag: string): string {
  return tag.replace(/^#/, '').replace(/\/+$/, '').normalize('NFC').toLowerCase();
}

/** Whether a tag is the wanted one or nested in it; both are {@link tagKey}s. */
export function isWithinTag(key: string, wanted: string): boolean {
  return key === wanted || key.startsWith(`${wanted}/`);
}
