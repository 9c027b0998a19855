/** White space that is not a single space; single spaces, the most frequent case, are not matched. */
const WIDE = /[^\S ]\s*| \s+/g;

/** Replaces every run of white space by one space. */
export function singleSpaced(text: string): string {
  return text.replace(WIDE, ' ');
}
