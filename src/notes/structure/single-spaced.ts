/** White space that is not one space already: most is, and is left where it stands. */
const WIDE = /[^\S ]\s*| \s+/g;

/** The text with every run of white space as one space. */
export function singleSpaced(text: string): string {
  return text.replace(WIDE, ' ');
}
