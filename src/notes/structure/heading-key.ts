/**
 * How Obsidian compares a link's `#fragment` with a heading: punctuation on either side counts as a
 * space, runs of spaces as one, case does not count. Apostrophe, `-`, `_` and everything outside
 * ASCII stay, so `C# basics` equals `C basics` and `**Why?**` equals `why`.
 */
const IGNORED = /[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/g;

/**
 * @param text a heading's raw source or one decoded segment of a link fragment, without its `#`
 * @returns the form two headings are compared in; empty when nothing comparable is left
 */
export function headingKey(text: string): string {
  // Composed first: the Greek question mark becomes `;`, the Greek varia a backtick.
  return text.normalize('NFC').replace(IGNORED, ' ').trim().toLowerCase();
}

/** True for `^block` and `[^footnote]`: without their punctuation they would look like headings. */
export function namesNoHeading(part: string): boolean {
  return /^\s*(?:\^|\[\^[^\]]*\]\s*$)/.test(part);
}
