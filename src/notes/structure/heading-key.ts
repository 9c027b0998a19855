/**
 * The characters that Obsidian ignores when it compares a link's `#fragment` with a heading: punctuation on
 * either side counts as a space, several spaces as one, and case is ignored. Apostrophe, `-`, `_` and all
 * characters outside ASCII count. So `C# basics` equals `C basics`, and `**Why?**` equals `why`.
 */
const IGNORED = /[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/g;

/**
 * The form in which headings are compared; empty when nothing comparable is left.
 *
 * @param text a heading's raw source or one decoded segment of a link fragment, without its `#`
 */
export function headingKey(text: string): string {
  // NFC comes first, as it turns the Greek question mark into `;` and the Greek varia into a backtick.
  return text.normalize('NFC').replace(IGNORED, ' ').trim().toLowerCase();
}

/** Whether a part is `^block` or `[^footnote]`, which would look like headings without punctuation. */
export function namesNoHeading(part: string): boolean {
  return /^\s*(?:\^|\[\^[^\]]*\]\s*$)/.test(part);
}
