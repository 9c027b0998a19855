/** What a tag is and when two are the same (Obsidian's rules, measured on 1.13.7). */

/**
 * A run of tag characters: everything but whitespace, ASCII punctuation other than `-`, `_` and `/`,
 * and the punctuation blocks U+2000–206F and U+2E00–2E7F. Emoji and CJK punctuation belong to a tag.
 */
const TAG_RUN = /[^\s!-,.:-@[-^`{-~\u2000-\u206f\u2e00-\u2e7f]+/y;
const ONLY_DIGITS_OR_SLASHES = /^[\d/]*$/;

/**
 * Reads the tag whose `#` stands just before `start`.
 * @returns the offset after the name, or undefined when no tag starts there (digits only, or nothing)
 */
export function tagEnd(text: string, start: number): number | undefined {
  TAG_RUN.lastIndex = start;
  const run = TAG_RUN.exec(text)?.[0];
  if (run === undefined) return undefined;
  const name = run.replace(/\/+$/, '');
  return isTagName(name) ? start + name.length : undefined;
}

/** True when a whole string is one tag name, without `#`. */
export function isTagName(name: string): boolean {
  if (ONLY_DIGITS_OR_SLASHES.test(name)) return false;
  TAG_RUN.lastIndex = 0;
  return TAG_RUN.exec(name)?.[0].length === name.length && !name.endsWith('/');
}

/** True when an entry of the `tags` property, without `#`, is a tag: one word and not only digits. */
export function isPropertyTag(name: string): boolean {
  return name !== '' && !/^\d+$/.test(name) && !/[\s,]/.test(name);
}

/** The form tags are compared in: no `#`, no final slash, NFC, lower case. */
export function tagKey(tag: string): string {
  return tag.replace(/^#/, '').replace(/\/+$/, '').normalize('NFC').toLowerCase();
}

/** Whether a tag is the wanted one or nested below it; both by their {@link tagKey}. */
export function isWithinTag(key: string, wanted: string): boolean {
  return key === wanted || key.startsWith(`${wanted}/`);
}
